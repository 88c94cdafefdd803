package sqlite

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/url"
	"os"

	"prax/store/digest"
)

// sealName is the file by which an end in order vouches for the database that it leaves: it has been inspected, and
// these are its bytes. A start on the same bytes need not look through them again, which takes most of its time. Any
// other byte, and it does. No seal is worth a sync: one that is missing, old or torn fits nothing, and none is there
// while a server runs.
const sealName = databaseName + ".seal"

// inspection is the number of what inspect looks for. It grows when that does: an older seal then fits nothing.
const inspection = 1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sealOf is the seal of a database file that nobody writes to; "" when the file is too large to be looked through.
func sealOf(f *os.File) (string, error) {
	info, err := f.Stat()
	if err != nil || info.Size() > inspectAlways {
		return "", err
	}
	sum, buffer := crc32.New(castagnoli), make([]byte, 128<<10)
	size, err := io.CopyBuffer(sum, io.NewSectionReader(f, 0, info.Size()), buffer)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("inspection %d, schema %d, %d bytes, crc32c %08x\n", inspection, len(migrations), size, sum.Sum32()), nil
}

// sealed tells whether a database file is as an end in order left it, and will be when SQLite has opened it: a journal, which
// the store never leaves, SQLite would play back into it. What cannot be read is not.
func (db *DB) sealed(f *os.File) bool {
	if exists(db.path(databaseName + "-journal")) {
		return false
	}
	said, err := digest.Read(db.path(sealName))
	if err != nil || len(said) == 0 {
		return false
	}
	seal, err := sealOf(f)
	return err == nil && seal == string(said)
}

// seal vouches for the database that an end in order leaves, if it is sound, for the next start. That goes without.
func (db *DB) seal() {
	c, err := connect(reading(db.path(databaseName), url.Values{"mode": {"ro"}, "immutable": {"1"}})) // what the file holds, not what is remembered of it
	if err == nil {
		db.readers = lent(c)
		if db.sound(c) {
			err = db.writeSeal()
		}
		err = errors.Join(err, c.close())
	}
	if err != nil {
		db.log.Warn("the database could not be sealed: the next start looks through it", "error", err)
	}
}

func (db *DB) writeSeal() error {
	f, err := os.Open(db.path(databaseName))
	if err != nil {
		return err
	}
	seal, err := sealOf(f)
	_ = f.Close()
	if err != nil || seal == "" {
		return err
	}
	if f, err = openPrivate(db.path(sealName)); err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.WriteString(seal)
	return err
}
