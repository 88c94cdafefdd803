package clients

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"prax/auth/watch"
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

// readSource reads the file behind path, once, without waiting for whatever stands there.
func readSource(path string) (source, *failure) {
	s := source{path: path}
	text, info, err := watch.ReadRegular(path, maxFile)
	s.loose = info != nil && info.Mode().Perm()&0o077 != 0
	if err != nil {
		return s, whyUnread(err)
	}
	s.text = text
	sum := sha256.Sum256(text)
	s.digest = hex.EncodeToString(sum[:])
	return s, nil
}

func whyUnread(err error) *failure {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &failure{FileMissing, -1, "the file does not exist"}
	case errors.Is(err, watch.ErrNotRegular):
		return &failure{FileNotRegular, -1, "not a regular file"}
	case errors.Is(err, watch.ErrTooLarge):
		return &failure{FileTooLarge, -1, fmt.Sprintf("larger than %d MiB", maxFile>>20)}
	}
	return &failure{FileUnreadable, -1, watch.Reason(err)}
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
