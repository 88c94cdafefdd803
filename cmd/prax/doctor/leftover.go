package doctor

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"prax/server/control"
)

// settled is how old something has to be not to be somebody's work of this moment.
const settled = time.Minute

// leftovers are what those left who were killed.
func (x *examination) leftovers(context.Context) {
	if _, err := os.Stat(x.Data); err == nil {
		x.looked("leftovers")
		x.interrupted()
		x.deadSocket()
		x.mismatch()
		x.unfinished()
	}
	x.edits()
}

// interrupted is a restore that did not come to its end. One that goes on holds the lock.
func (x *examination) interrupted() {
	path := filepath.Join(x.Data, "restoring")
	if _, err := os.Lstat(path); err != nil || locked(filepath.Join(x.Data, "prax.lock")) {
		return
	}
	x.found(Error, InterruptedRestore, path, "empty "+x.Word(x.Data)+", and run prax restore again",
		"a restore into %s was interrupted, and no server starts with it", x.Data)
}

// locked tells whether somebody has a lock on a file.
func locked(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close() // and the lock with it
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil
}

// deadSocket is the operator's socket of a server that was killed.
func (x *examination) deadSocket() {
	path := filepath.Join(x.Data, control.SocketName)
	switch info, err := os.Lstat(path); {
	case x.Down != nil:
		x.found(Error, SocketUnusable, path, "run prax doctor as the user that the server runs as, or as root", "whether a server runs cannot be told: %v", x.Down)
	case err != nil || x.Server != nil:
	case info.Mode().Type() != fs.ModeSocket:
		x.found(Error, NoSocket, path, "mv "+x.Word(path)+" "+x.Word(path+".before"), "%s is no socket, and no server starts with it", path)
	default:
		x.found(Warning, DeadSocket, path, "prax serve replaces it; the end of its log may say why it died", "%s is of a server that ended without an end: it was killed, or the machine went down", path)
	}
}

// mismatch is the head that a chain did not fit, kept when a server found that out.
func (x *examination) mismatch() {
	path := filepath.Join(x.Data, "audit-head.mismatch.json")
	if _, err := os.Lstat(path); err == nil {
		x.found(Warning, ChainMismatch, path, "prax audit verify; move the file away once it is explained",
			"a server found that the audit did not fit its signed head: events are missing, or the data was put back by other means than prax restore")
	}
}

// unfinished are files that were being written.
func (x *examination) unfinished() {
	old := x.walk(func(path string, info fs.FileInfo) string {
		name := filepath.Base(path)
		mine := strings.HasPrefix(name, ".prax-draft-") || strings.HasPrefix(name, ".sock-") || strings.HasSuffix(name, ".new")
		if !mine || x.Now.Sub(info.ModTime()) < settled || within("restoring", path) {
			return ""
		}
		return filepath.Join(x.Data, path)
	})
	x.remove(Leftover, old, "was being written when somebody was killed")
}

// edits are copies of the file of clients that an edit was about to put in its place. There may be secrets in them.
func (x *examination) edits() {
	for _, file := range x.Files {
		if !file.Watched {
			continue
		}
		var old []string
		found, _ := filepath.Glob(escapeGlob(resolved(file.Path)) + ".*.tmp")
		for _, path := range found {
			if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && x.Now.Sub(info.ModTime()) >= settled {
				old = append(old, path)
			}
		}
		x.remove(LeftoverEdit, old, "is what an edit of "+file.What+" left that was killed")
	}
}

func (x *examination) remove(code Code, paths []string, what string) {
	if len(paths) == 0 {
		return
	}
	hint := "rm -r"
	for _, path := range paths[:min(len(paths), mostNamed)] {
		hint += " " + x.Word(path)
	}
	x.found(Warning, code, paths[0], hint, "%s %s", some(paths), what)
}

// escapeGlob is a path as a pattern for itself.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
