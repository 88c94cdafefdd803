package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// What a disk has to have left. Below the first, writes are about to be refused; a start with a new version keeps a copy of the
// database, and a backup is one.
const (
	leastFree        = 32 << 20
	spareFree        = 256 << 20
	leastFiles       = 16
	spareFiles       = 1000
	largestLog       = 64 << 20 // four times what the server lets it grow to while nobody reads
	database         = "prax.db"
	roomHint         = "make room: prax audit archive moves old events elsewhere, and prax-before-vN.db can go when all is well"
	folding          = "end what has been reading for long (prax backup, prax audit export); a restart folds it back in any case"
	megabyte   int64 = 1 << 20
)

// disk is the room that the data has, and what takes it.
func (x *examination) disk(context.Context) {
	if _, err := os.Stat(x.Data); err != nil {
		return
	}
	x.looked("disk")
	if size := sizeOf(filepath.Join(x.Data, database+"-wal")); size > largestLog {
		x.found(Warning, LargeLog, filepath.Join(x.Data, database+"-wal"), folding, "the log of the database has %s: somebody keeps it from being folded back", megabytes(size))
	}
	d, err := x.Machine.Disk(x.Data)
	if err != nil {
		x.found(Warning, DiskUnknown, x.Data, "", "how much room %s has cannot be told: %v", x.Data, err)
		return
	}
	if d.ReadOnly {
		x.found(Error, ReadOnlyData, x.Data, "mount -o remount,rw, once its log (dmesg) says why it is so", "%s is on a read-only file system: nothing can be written", x.Data)
		return
	}
	need := spareFree + sizeOf(filepath.Join(x.Data, database))
	switch {
	case d.Free < leastFree:
		x.found(Error, DiskFull, x.Data, roomHint, "%s has %s left: writes are refused, or soon will be", x.Data, megabytes(int64(d.Free)))
	case d.Free < uint64(need):
		x.found(Warning, DiskLow, x.Data, roomHint, "%s has %s left, less than a backup and an upgrade want (%s)", x.Data, megabytes(int64(d.Free)), megabytes(need))
	}
	switch {
	case d.Files == 0: // not counted on this file system
	case d.FilesUnused < leastFiles:
		x.found(Error, NoFilesLeft, x.Data, "df -i "+x.Word(x.Data), "the disk of %s has room for %s more", x.Data, count(int(d.FilesUnused), "file"))
	case d.FilesUnused < spareFiles:
		x.found(Warning, FewFilesLeft, x.Data, "df -i "+x.Word(x.Data), "the disk of %s has room for %s more", x.Data, count(int(d.FilesUnused), "file"))
	}
}

// sizeOf is the size of a file; 0 when there is none.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

func megabytes(n int64) string {
	if n < megabyte {
		return fmt.Sprintf("%d kB", n>>10)
	}
	return fmt.Sprintf("%d MB", n/megabyte)
}
