package definition

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxEntries bounds the entries of a folder, whatever they are.
const maxEntries = 10_000

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// readFolder reads the files of a folder in the order of their names.
func (r *reading) readFolder(path string) {
	refuse := func(code Code, text string) {
		r.fail(Problem{Code: code, File: path, Text: text})
	}
	names, err := entries(path)
	if err == nil {
		r.folder, err = unlinked(path)
	}
	switch {
	case err != nil:
		refuse(FileUnreadable, "cannot read the folder: "+cause(err))
		return
	case len(names) > maxEntries:
		refuse(TooManyFiles, fmt.Sprintf("a folder of more than %d entries", maxEntries))
		return
	}
	slices.Sort(names)
	for _, name := range slices.DeleteFunc(names, func(name string) bool { return !isSource(name) }) {
		r.readBelow(filepath.Join(path, name), "", r.fail)
	}
	if len(r.names) == 0 && len(r.errors) == 0 {
		refuse(FileMissing, "the folder has no *.yaml, *.yml or *.json file")
	}
}

// cause is the system's reason without the path, which the problem has already.
func cause(err error) string {
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) {
		return inner.Err.Error()
	}
	return err.Error()
}

// entries are the names in a folder, one more than may be at most.
func entries(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var names []string
	for len(names) <= maxEntries {
		some, err := f.Readdirnames(1000)
		names = append(names, some...)
		if errors.Is(err, io.EOF) {
			return names, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

// isSource tells whether a name in a folder is that of a file to be read: neither hidden nor left over by an editor.
func isSource(name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "#") || strings.HasPrefix(name, "~") {
		return false
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

// readBelow reads a file that must lie in the folder, links resolved, unless it has been read. What is wrong with it as
// a file is told by refuse; a path that does not exist may be there later. The hash is "" where any will do.
func (r *reading) readBelow(path, hash string, refuse func(Problem)) {
	r.tried = append(r.tried, path)
	resolved, p := r.resolve(path)
	if p != nil {
		refuse(*p)
		return
	}
	if before := r.visits[resolved]; before != nil {
		switch {
		case !before.done:
			refuse(Problem{Code: IncludeCycle, File: path, Text: "includes itself, by way of what it includes"})
		case hash != "" && hash != "sha256:"+before.digest:
			refuse(wrongHash(path, before.digest))
		}
		return
	}
	src, p := readSource(resolved)
	switch {
	case p != nil:
		refuse(Problem{Code: p.Code, File: path, Text: p.Text})
	case hash != "" && hash != "sha256:"+src.digest:
		refuse(wrongHash(path, src.digest))
	default:
		src.path = path
		r.take(src, resolved)
	}
}

// resolve is the path without links, if it lies in the folder.
func (r *reading) resolve(path string) (string, *Problem) {
	resolved, err := unlinked(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", &Problem{Code: FileMissing, File: path, Text: "the file does not exist"}
	case err != nil:
		return "", &Problem{Code: FileUnreadable, File: path, Text: "cannot resolve: " + cause(err)}
	case !within(r.folder, resolved):
		return "", &Problem{Code: FileOutside, File: path, Text: "lies outside the folder of the configuration, links resolved"}
	}
	return resolved, nil
}

func wrongHash(path, digest string) Problem {
	return Problem{Code: IncludeHash, File: path, Text: "its hash is sha256:" + digest}
}

func (r *reading) fail(p Problem) { r.errors = append(r.errors, p) }

// within tells whether a path lies below a folder; both are absolute and without links.
func within(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}
