package watch

import (
	"os"
	"syscall"
	"time"
)

// fingerprint is what a file looks like from outside. A save changes it, except one that falls in the same
// tick of the file system's clock and keeps the size: see fresh.
type fingerprint struct {
	exists   bool
	device   uint64
	inode    uint64
	size     int64
	modified time.Time
	changed  time.Time // the inode; no program can set it back
}

// look takes the fingerprint of the file behind path, links followed. A file that cannot be seen has the zero
// fingerprint.
func look(path string) fingerprint {
	info, err := os.Stat(path)
	if err != nil {
		return fingerprint{}
	}
	p := fingerprint{exists: true, size: info.Size(), modified: info.ModTime()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		p.device, p.inode, p.changed = uint64(st.Dev), st.Ino, changeTime(st)
	}
	return p
}

// coarsest is the tick of the coarsest clock that a file system stamps files with.
const coarsest = 2 * time.Second

// fresh tells whether the file changed so short a time before now that another change could have left
// the same fingerprint. A look at such a file proves nothing, and is repeated.
func (p fingerprint) fresh(now time.Time) bool {
	return p.exists && (near(p.modified, now) || near(p.changed, now))
}

func near(t, now time.Time) bool { return now.Sub(t).Abs() < coarsest }
