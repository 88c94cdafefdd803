package doctor

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mount is one line of mountinfo (proc_pid_mountinfo(5)).
type mount struct {
	point string
	kind  string // of the file system
}

// mounts tells of files that are mounted by themselves, and of data on file systems that are not this machine's.
func (x *examination) mounts(context.Context) {
	if sync := syncedBy(x.Data); sync != "" {
		x.found(Error, SyncedData, x.Data, "PRAX_DATA=DIR outside of it, and prax backup for copies",
			"%s is in a folder of %s: a database that is copied while it is written is damaged, and its keys are on other machines", x.Data, sync)
	}
	text, err := x.Machine.Mounts()
	if err != nil {
		return // there is none to read on this system
	}
	x.looked("mounts")
	all := parseMounts(string(text))
	if m, ok := mountOf(all, resolved(x.Data)); ok && remote(m.kind) {
		x.found(Error, RemoteData, x.Data, "PRAX_DATA=DIR on a disk of this machine",
			"%s is on a file system of kind %s, where locks and the log of the database do not hold", x.Data, m.kind)
	}
	for _, file := range x.Files {
		at := resolved(file.Path)
		if info, err := os.Stat(at); err != nil || info.IsDir() || !file.Watched {
			continue
		}
		if slices.ContainsFunc(all, func(m mount) bool { return m.point == at }) {
			x.found(Warning, MountedFile, file.Path, "mount the directory that it is in",
				"%s, %s, is mounted by itself: an edit that replaces the file outside is not seen here, and prax client cannot replace it", file.What, file.Path)
		}
	}
}

func parseMounts(text string) (all []mount) {
	for line := range strings.Lines(text) {
		before, after, found := strings.Cut(line, " - ")
		fields, kind := strings.Fields(before), strings.Fields(after)
		if found && len(fields) >= 5 && len(kind) > 0 {
			all = append(all, mount{unescape(fields[4]), kind[0]})
		}
	}
	return all
}

// unescape resolves the blanks and the like that mountinfo has as \ and three octal digits.
func unescape(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] == '\\' && i+3 < len(path) {
			if n, err := strconv.ParseUint(path[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

// mountOf is the mount that a path is on: the deepest, and of several at one place the last.
func mountOf(all []mount, path string) (at mount, ok bool) {
	for _, m := range all {
		if within(m.point, path) && (!ok || len(m.point) >= len(at.point)) {
			at, ok = m, true
		}
	}
	return at, ok
}

func within(folder, path string) bool {
	return folder == "/" || path == folder || strings.HasPrefix(path, folder+"/")
}

// remoteKinds are file systems of other machines, and those that hand on to one. A fuse file system has its own name
// after a dot.
var remoteKinds = []string{
	"9p", "afs", "beegfs", "ceph", "cifs", "fuse", "gfs2", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "prl_fs", "smb3", "smbfs",
	"vboxsf", "virtiofs", "vmhgfs",
}

func remote(kind string) bool {
	kind, _, _ = strings.Cut(kind, ".")
	return slices.Contains(remoteKinds, kind)
}

// resolved is a path without links, as far as it exists.
func resolved(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if path == "/" {
		return path
	}
	return filepath.Join(resolved(filepath.Dir(path)), filepath.Base(path))
}
