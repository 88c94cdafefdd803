package clients

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// maxFile bounds the clients file, in bytes.
const maxFile = 64 << 20

// source is the file as it was read, once.
type source struct {
	path   string
	text   []byte // whole, a byte order mark included
	digest string // SHA-256 in hex
	loose  bool   // others than the owner may read or write it
}

// failure says why a file cannot be used.
type failure struct {
	code   Code
	offset int // where in the text; -1 for nowhere
	text   string
}

func (f *failure) missing() bool { return f.code == FileMissing }

// readSource reads the file behind path. It never waits, whatever stands there: the descriptor is
// opened without blocking and must be a regular file, judged on the descriptor itself so that nothing
// can be swapped in between.
func readSource(path string) (source, *failure) {
	s := source{path: path}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return s, &failure{FileMissing, -1, "the file does not exist"}
	}
	if err != nil {
		return s, &failure{FileUnreadable, -1, "cannot open: " + cause(err)}
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return s, &failure{FileUnreadable, -1, "cannot stat: " + cause(err)}
	case !info.Mode().IsRegular():
		return s, &failure{FileNotRegular, -1, "not a regular file"}
	case info.Size() > maxFile:
		return s, tooLarge()
	}
	s.loose = info.Mode().Perm()&0o077 != 0
	return s.fill(f, info.Size())
}

func (s source) fill(r io.Reader, size int64) (source, *failure) {
	buf := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	if _, err := buf.ReadFrom(io.LimitReader(r, maxFile+1)); err != nil {
		return s, &failure{FileUnreadable, -1, "cannot read: " + cause(err)}
	}
	if buf.Len() > maxFile {
		return s, tooLarge()
	}
	s.text = buf.Bytes()
	sum := sha256.Sum256(s.text)
	s.digest = hex.EncodeToString(sum[:])
	return s, nil
}

func tooLarge() *failure {
	return &failure{FileTooLarge, -1, fmt.Sprintf("larger than %d MiB", maxFile>>20)}
}

// cause is the system's reason without the path, which the problem has already.
func cause(err error) string {
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) {
		return inner.Err.Error()
	}
	return err.Error()
}

// places turns byte offsets into lines and columns. The lines are found once, when first asked for.
type places struct {
	text  []byte
	lines []int // offset of each line's first byte
}

func (p *places) at(offset int) (line, column int) {
	if offset < 0 {
		return 0, 0
	}
	if p.lines == nil {
		p.lines = []int{0}
		for at := 0; ; {
			next := bytes.IndexByte(p.text[at:], '\n') + 1
			if next == 0 {
				break
			}
			at += next
			p.lines = append(p.lines, at)
		}
	}
	low, high := 0, len(p.lines)
	for low+1 < high {
		if mid := (low + high) / 2; p.lines[mid] <= offset {
			low = mid
		} else {
			high = mid
		}
	}
	return low + 1, offset - p.lines[low] + 1
}
