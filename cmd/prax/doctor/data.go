package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// mostNamed bounds the files that one finding names.
const mostNamed = 3

// data is the data directory: whether it is there, and who can do what with it.
func (x *examination) data(context.Context) {
	x.looked("data directory")
	dir, err := os.Stat(x.Data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		x.found(Warning, NoData, x.Data, "prax serve makes it; PRAX_DATA or --data names another", "%s does not exist: no server has run with it", x.Data)
		return
	case err != nil:
		x.found(Error, DataUnusable, x.Data, "PRAX_DATA or --data names another", "%v", err)
		return
	case !dir.IsDir():
		x.found(Error, DataUnusable, x.Data, "PRAX_DATA or --data names another", "%s is no directory", x.Data)
		return
	}
	if uid, ok := x.Machine.Owner(dir); ok && x.UID != 0 && uid != x.UID {
		x.found(Error, NotYours, x.Data, fmt.Sprintf("sudo -u '#%d' prax doctor", uid),
			"%s belongs to uid %d, and you are uid %d: little of it can be seen", x.Data, uid, x.UID)
		return
	}
	if dir.Mode().Perm()&0o700 != 0o700 {
		x.found(Error, DataUnusable, x.Data, "chmod u+rwx "+x.Word(x.Data), "the owner of %s may not read and write there (%04o)", x.Data, dir.Mode().Perm())
	}
	x.dataModes(dir)
	x.dataOwners(dir)
}

// dataModes tells of what others than the owner can reach. In a directory that is closed to them they reach nothing.
func (x *examination) dataModes(dir fs.FileInfo) {
	closed := dir.Mode().Perm()&0o077 == 0
	if !closed {
		severity := Warning
		if dir.Mode().Perm()&0o022 != 0 {
			severity = Error
		}
		x.found(severity, DataOpen, x.Data, "chmod go= "+x.Word(x.Data), "%s is open to others (%04o)", x.Data, dir.Mode().Perm())
	}
	open := x.walk(func(path string, info fs.FileInfo) string {
		if info.Mode().Type() == fs.ModeSymlink || info.Mode().Perm()&0o077 == 0 {
			return ""
		}
		return fmt.Sprintf("%s (%04o)", path, info.Mode().Perm())
	})
	if len(open) == 0 {
		return
	}
	severity := Error
	if closed {
		severity = Warning
	}
	x.found(severity, DataFileOpen, x.Data, "chmod -R go= "+x.Word(x.Data), "%s open to others in %s: %s", isAre(len(open), "file"), x.Data, some(open))
}

// dataOwners tells of files that the server cannot use, because another user made them.
func (x *examination) dataOwners(dir fs.FileInfo) {
	server, ok := x.Machine.Owner(dir)
	if !ok {
		return
	}
	foreign := x.walk(func(path string, info fs.FileInfo) string {
		if uid, ok := x.Machine.Owner(info); ok && uid != server {
			return fmt.Sprintf("%s (uid %d)", path, uid)
		}
		return ""
	})
	if len(foreign) > 0 {
		x.found(Error, DataOwner, x.Data, fmt.Sprintf("chown -R %d %s", server, x.Word(x.Data)),
			"%s belongs to uid %d, and %s of somebody else in it, which its server may not be able to use: %s",
			x.Data, server, isAre(len(foreign), "file"), some(foreign))
	}
}

// walk is what f says of the files below the data directory, those that it says nothing of left out. What vanishes
// meanwhile is no fault.
func (x *examination) walk(f func(path string, info fs.FileInfo) string) (said []string) {
	_ = filepath.WalkDir(x.Data, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == x.Data {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return nil
		}
		name, _ := filepath.Rel(x.Data, path)
		if text := f(name, info); text != "" {
			said = append(said, text)
		}
		return nil
	})
	return said
}

// some are the first of a list, and how many more there are.
func some(all []string) string {
	text := strings.Join(all[:min(len(all), mostNamed)], ", ")
	if more := len(all) - mostNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
