package definition

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"unicode/utf8"

	"prax/auth/watch"
)

// maxFile bounds the file, in bytes.
const maxFile = 4 << 20

// source is the file as it was read, once.
type source struct {
	path   string
	text   []byte
	digest string // SHA-256 in hex; "" when nothing was read
}

// readSource reads the file behind path, once, without waiting for whatever stands there.
func readSource(path string) (source, *Problem) {
	s := source{path: path}
	text, info, err := watch.ReadRegular(path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, s.problem(FileMissing, "the file does not exist")
	case errors.Is(err, watch.ErrNotRegular) && info.IsDir():
		return s, s.problem(FileNotRegular, "a directory: name one file")
	case errors.Is(err, watch.ErrNotRegular):
		return s, s.problem(FileNotRegular, "not a regular file")
	case errors.Is(err, watch.ErrTooLarge):
		return s, s.problem(FileTooLarge, fmt.Sprintf("larger than %d MiB", maxFile>>20))
	case err != nil:
		return s, s.problem(FileUnreadable, watch.Reason(err))
	}
	sum := sha256.Sum256(text)
	s.text, s.digest = text, hex.EncodeToString(sum[:])
	return s, nil
}

func (s source) problem(code Code, text string) *Problem {
	return &Problem{Code: code, File: s.path, Text: text}
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
