package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"prax/store"
)

// ahead is how far in the future a time may lie before the clock is in doubt: clocks of file systems are coarse.
const ahead = 2 * time.Minute

const clockHint = "timedatectl says whether the clock is kept; expiries, leases and the audit go by it"

// clock holds the clock to the times of files: they do not lie after now. One clock that went back is one finding.
func (x *examination) clock(context.Context) {
	x.looked("clock")
	if x.told(ClockBack) {
		return
	}
	late := x.walk(func(path string, info fs.FileInfo) string { return x.fromFuture(path, info) })
	for _, file := range x.Files {
		if info, err := os.Stat(file.Path); err == nil && !within(resolved(x.Data), resolved(file.Path)) {
			if text := x.fromFuture(filepath.Base(file.Path), info); text != "" {
				late = append(late, text)
			}
		}
	}
	if len(late) > 0 {
		x.found(Warning, ClockFiles, "", clockHint, "the clock says %s, and %s later than that: %s", stamp(x.Now), are(len(late)), some(late))
	}
}

func are(n int) string {
	if n == 1 {
		return "1 file is of"
	}
	return fmt.Sprintf("%d files are of", n)
}

func (x *examination) fromFuture(name string, info fs.FileInfo) string {
	if info.ModTime().Sub(x.Now) <= ahead {
		return ""
	}
	return fmt.Sprintf("%s (%s)", name, stamp(info.ModTime()))
}

// newest holds the clock to the newest event of the audit.
func (x *examination) newest(tx store.Tx) error {
	last, err := tx.LastEvent()
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err == nil && last.At.Sub(x.Now) > ahead {
		x.found(Error, ClockBack, "", clockHint, "the clock says %s, and the newest event of the audit is of %s: it was set back, or was ahead",
			stamp(x.Now), stamp(last.At))
	}
	return err
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }
