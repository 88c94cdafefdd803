package watch

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks bounds the links followed, as the kernel does.
const maxLinks = 40

// place is one directory, with the identity that tells it from another one made later under its name.
type place struct{ device, inode uint64 }

// trail is the directories whose events may mean that the file behind path is another one now: those in
// which a symbolic link on the way is, that of the file, and for what does not exist the nearest
// directory above that does. The path must be absolute.
func trail(path string) map[string]place {
	dirs := map[string]place{}
	add(dirs, filepath.Dir(path))
	rest, at := split(path), "/"
	for links := 0; len(rest) > 0; {
		here := filepath.Join(at, rest[0])
		info, err := os.Lstat(here)
		switch {
		case err != nil:
			add(dirs, at)
			return dirs
		case info.Mode()&os.ModeSymlink != 0:
			target, err := os.Readlink(here)
			add(dirs, at)
			if links++; err != nil || links > maxLinks {
				return dirs
			}
			if filepath.IsAbs(target) {
				at = "/"
			}
			rest = append(split(target), rest[1:]...)
		default:
			if len(rest) == 1 {
				add(dirs, at)
			}
			at, rest = here, rest[1:]
		}
	}
	return dirs
}

// split is the elements of a path. Those that are .. stay: they are resolved after the links before
// them, as the kernel does it.
func split(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// add puts a directory in the set, if it is one.
func add(dirs map[string]place, dir string) {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return
	}
	var p place
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		p = place{uint64(st.Dev), st.Ino}
	}
	dirs[dir] = p
}
