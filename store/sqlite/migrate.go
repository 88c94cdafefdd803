package sqlite

import (
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"prax/store"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrations are applied in order, each once; the database's user_version counts them. They are
// only ever added to.
var migrations = readMigrations()

// SchemaNumber is that of the schema which a database has once this version has opened it.
func SchemaNumber() int { return len(migrations) }

func readMigrations() []string {
	var all []string
	for n := 1; ; n++ {
		text, err := migrationFiles.ReadFile(fmt.Sprintf("migrations/%04d.sql", n))
		if err != nil {
			return all
		}
		all = append(all, string(text))
	}
}

// applicationID marks a SQLite file as ours: "prax".
const applicationID = 0x70726178

var (
	errNotDatabase = errors.New("the file is not a database")
	errForeign     = errors.New("the file is a database of another program")
)

// checkHeader looks at a file before SQLite does, so that a foreign one stays as it is. An empty
// one is new. (https://www.sqlite.org/fileformat.html, 1.3)
func checkHeader(f *os.File) error {
	var header [100]byte
	n, err := io.ReadFull(f, header[:])
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return nil
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case n < len(header) || string(header[:16]) != "SQLite format 3\x00":
		return errNotDatabase
	}
	if id := binary.BigEndian.Uint32(header[68:]); id != 0 && id != applicationID {
		return errForeign
	}
	return nil
}

// checkVersion refuses what a newer prax wrote, and what none did.
func checkVersion(c *connection) error {
	version, err := schemaVersion(c)
	if err != nil {
		return err
	}
	if version == 0 {
		return errors.New("the database is empty: no server has finished starting with it")
	}
	return nil
}

// schemaVersion is the number of migrations that the database has.
func schemaVersion(c *connection) (int, error) {
	var version, id, tables int
	err := c.row(`SELECT (SELECT user_version FROM pragma_user_version),
		(SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)`,
		nil, &version, &id, &tables)
	switch {
	case err != nil:
		return 0, err
	case id != applicationID && (id != 0 || version != 0 || tables != 0):
		return 0, errForeign
	case version < 0:
		return 0, fmt.Errorf("the number of its schema is negative (%d): %s", version, nextStep)
	case version > len(migrations):
		return 0, fmt.Errorf("%w: its schema is %d, this one knows %d", store.ErrNewer, version, len(migrations))
	}
	return version, nil
}

// prepareDatabase brings the schema up to date.
func prepareDatabase(c *connection, dir string) error {
	version, err := schemaVersion(c)
	if err != nil {
		return err
	}
	var mode string
	if err := c.row(`PRAGMA journal_mode = WAL`, nil, &mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("the file system does not take a write-ahead log (journal mode %s)", mode)
	}
	if version > 0 && version < len(migrations) {
		if err := keepCopy(c, dir, len(migrations)); err != nil {
			return err
		}
	}
	for ; version < len(migrations); version++ {
		if err := migrate(c, version+1, migrations[version]); err != nil {
			return fmt.Errorf("migrate to schema %d: %w", version+1, err)
		}
	}
	return nil
}

// migrate applies one migration and counts it, in one transaction.
func migrate(c *connection, number int, text string) error {
	if err := c.script("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := c.script(fmt.Sprintf("%s;\nPRAGMA application_id = %d;\nPRAGMA user_version = %d;", text, applicationID, number))
	if err == nil {
		reach("mid-migration")
		err = c.script("COMMIT")
	}
	if err != nil {
		_ = c.script("ROLLBACK")
		return err
	}
	reach("after-migration")
	return nil
}

// keepCopy leaves the database as it was beside the one that is about to change. A copy of an
// earlier start that did not get through is written anew.
func keepCopy(c *connection, dir string, number int) error {
	path := filepath.Join(dir, fmt.Sprintf("prax-before-v%d.db", number))
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("copy before migrating: %w", err)
	}
	f, err := openPrivate(path)
	if err != nil {
		return fmt.Errorf("copy before migrating: %w", err)
	}
	_ = f.Close()
	if _, err := c.exec("VACUUM INTO ?", path); err != nil {
		return fmt.Errorf("copy before migrating: %w", fault(err))
	}
	return nil
}
