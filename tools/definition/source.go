package definition

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
	"unicode/utf8"
)

// maxFile bounds the file, in bytes.
const maxFile = 4 << 20

// source is the file as it was read, once.
type source struct {
	path   string
	text   []byte
	digest string // SHA-256 in hex; "" when nothing was read
}

// readSource reads the file behind path. It never waits, whatever stands there, and what is judged is what
// is read: the descriptor itself must be a regular file.
func readSource(path string) (source, *Problem) {
	s := source{path: path}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return s, s.problem(FileMissing, "the file does not exist")
	}
	if err != nil {
		return s, s.problem(FileUnreadable, "cannot open: "+cause(err))
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return s, s.problem(FileUnreadable, "cannot stat: "+cause(err))
	case info.IsDir():
		return s, s.problem(FileNotRegular, "a directory: name one file")
	case !info.Mode().IsRegular():
		return s, s.problem(FileNotRegular, "not a regular file")
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return s, s.problem(FileUnreadable, "cannot read: "+cause(err))
	case len(text) > maxFile:
		return s, s.problem(FileTooLarge, fmt.Sprintf("larger than %d MiB", maxFile>>20))
	}
	sum := sha256.Sum256(text)
	s.text, s.digest = text, hex.EncodeToString(sum[:])
	return s, nil
}

func (s source) problem(code Code, text string) *Problem {
	return &Problem{Code: code, File: s.path, Text: text}
}

// cause is the system's reason without the path, which the problem has already.
func cause(err error) string {
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) {
		return inner.Err.Error()
	}
	return err.Error()
}

var byteOrderMark = []byte("\ufeff")

// plain is the text without a byte order mark. The YAML library would take UTF-16 for text; here only
// UTF-8 is, so that lines and columns are those that an editor shows.
func (s source) plain() ([]byte, *Problem) {
	if !utf8.Valid(s.text) {
		return nil, s.problem(NotReadable, "is not UTF-8 text")
	}
	return bytes.TrimPrefix(s.text, byteOrderMark), nil
}
