package watch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// The errors of [ReadRegular] that are not the system's. An [fs.PathError] that names the file is around them.
var (
	ErrNotRegular = errors.New("not a regular file")
	ErrTooLarge   = errors.New("too large")
)

// patience bounds the reading of a file that waits.
const patience = 500 * time.Millisecond

// ReadRegular reads the whole of a file of at most most bytes. It does not wait, whatever stands there: the file
// is opened without blocking, and judged by its descriptor, so that nothing can be swapped in between. What it
// knows of the file it returns beside an error too; info is nil when the file could not be opened. Every error
// is an [fs.PathError] that says what could not be done: open, stat or read.
func ReadRegular(path string, most int64) (text []byte, info fs.FileInfo, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }()
	info, err = f.Stat()
	switch {
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular():
		return nil, info, unreadable(path, ErrNotRegular)
	case info.Size() > most:
		return nil, info, unreadable(path, tooLarge(most))
	}
	// What calls itself a regular file may wait for more all the same, as /proc/kmsg does. Only such a one knows
	// a deadline.
	_ = f.SetReadDeadline(time.Now().Add(patience))
	buf := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err := buf.ReadFrom(io.LimitReader(f, most+1)); err != nil {
		return nil, info, err
	}
	if int64(buf.Len()) > most { // it grew
		return nil, info, unreadable(path, tooLarge(most))
	}
	return buf.Bytes(), info, nil
}

// Reason is what could not be done, and why, without the name of the file: "cannot open: permission denied".
func Reason(err error) string {
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		return "cannot " + of.Op + ": " + of.Err.Error()
	}
	return err.Error()
}

func unreadable(path string, err error) error {
	return &fs.PathError{Op: "read", Path: path, Err: err}
}

// tooLarge is ErrTooLarge with the limit in its text.
type tooLarge int64

func (most tooLarge) Error() string { return fmt.Sprintf("larger than %d bytes", int64(most)) }

func (tooLarge) Is(target error) bool { return target == ErrTooLarge }
