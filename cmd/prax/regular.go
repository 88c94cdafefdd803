package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// maxFile bounds what is read of a file of settings.
const maxFile = 1 << 20

// readRegular is the content of a file of at most most bytes. It never waits, whatever stands there:
// the file is opened without blocking, and judged by its descriptor, so that nothing can be swapped
// in between.
func readRegular(name string, most int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, pathError(name, errors.New("not a regular file"))
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = pathError(name, fmt.Errorf("larger than %d bytes", most))
	}
	return text, err
}

func pathError(name string, err error) error {
	return &os.PathError{Op: "read", Path: name, Err: err}
}
