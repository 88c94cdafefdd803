package definition

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"prax/auth/watch"
)

// interval is the time between two looks at the files that are not watched themselves.
const interval = 500 * time.Millisecond

// coarse is the tick of the coarsest clock that a file system stamps files with: what changed so short a time ago could
// have changed again without looking different.
const coarse = 2 * time.Second

// sight is how files and folders look from outside.
type sight struct {
	paths []string
	looks string
	fresh bool // one of them changed so shortly before the reading that its look proves nothing
}

// look takes the looks of what a reading tried that began at a time.
func look(paths []string, begin time.Time) sight {
	s := sight{paths: paths}
	var b strings.Builder
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			b.WriteString("-\n")
			continue
		}
		fmt.Fprint(&b, info.Size(), info.ModTime().UnixNano(), inode(info), "\n")
		age := begin.Sub(info.ModTime())
		s.fresh = s.fresh || age < coarse && age > -coarse-time.Since(begin)
	}
	s.looks = b.String()
	return s
}

func inode(info os.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

// poll reads again when a file or a folder looks different: the watcher sees the one that everything begins with.
func (s *Source) poll(ctx context.Context) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if s.differs() {
				s.Reload(watch.Poll)
			}
		}
	}
}

// differs tells whether there may be something else to read.
func (s *Source) differs() bool {
	s.mu.Lock()
	seen := s.seen
	s.mu.Unlock()
	if len(seen.paths) < 2 {
		return false // the watcher's
	}
	return seen.fresh || look(seen.paths, time.Now()).looks != seen.looks
}
