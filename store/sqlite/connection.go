package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"

	"modernc.org/sqlite"

	"prax/store"
)

// background is the context of every statement but the long reads of a View: a context that can
// end costs the driver a goroutine a statement, and the writer must not be interrupted.
var background = context.Background()

// connection is one connection with the statements prepared on it. One goroutine uses it at a time.
type connection struct {
	pool       *sql.DB // of this connection alone
	conn       *sql.Conn
	statements map[string]*sql.Stmt
	changing   map[string]driver.Stmt // those that exec runs
	args       []driver.NamedValue    // of exec, used again
	sealer     store.Sealer
	patient    bool // nobody waits for what is being written
	work       int  // bytes of that since the last breath
}

// source is the data source name of a database file with these parameters.
func source(path string, parameters url.Values) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: parameters.Encode()}
	return u.String()
}

// The log keeps its length between checkpoints, which come each 4 MiB: to write over a file costs a sync less than to
// let it grow.
func writing(path string) string {
	return source(path, url.Values{
		"_txlock": {"immediate"},
		"_dqs":    {"0"},
		"_pragma": {
			"busy_timeout(5000)", "synchronous(FULL)", "foreign_keys(1)", "temp_store(MEMORY)",
			"journal_size_limit(8388608)",
		},
	})
}

func reading(path string, more url.Values) string {
	parameters := url.Values{
		"_dqs":    {"0"},
		"_pragma": {"busy_timeout(5000)", "temp_store(MEMORY)", "query_only(1)"},
	}
	for name, values := range more {
		parameters[name] = values
	}
	return source(path, parameters)
}

// openPool reaches SQLite. The package's tests put a driver between that fails as disks do.
var openPool = func(dsn string) (*sql.DB, error) { return sql.Open("sqlite", dsn) }

func connect(dsn string) (*connection, error) {
	pool, err := openPool(dsn)
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	conn, err := pool.Conn(background)
	if err != nil {
		_ = pool.Close()
		return nil, fault(err)
	}
	return &connection{pool: pool, conn: conn, statements: map[string]*sql.Stmt{}, changing: map[string]driver.Stmt{}}, nil
}

func (c *connection) close() error {
	for _, s := range c.statements {
		_ = s.Close()
	}
	_ = c.conn.Raw(func(any) error {
		for _, s := range c.changing {
			_ = s.Close()
		}
		return nil
	})
	_ = c.conn.Close()
	return c.pool.Close()
}

// keepLog says whether the log stays, emptied, when its last connection closes. Only a server that
// ends in order lets it go: a missing log then means that somebody took it away.
func (c *connection) keepLog(keep bool) error {
	mode := 0
	if keep {
		mode = 1
	}
	return c.conn.Raw(func(driver any) error {
		file, able := driver.(sqlite.FileControl)
		if !able {
			return errors.New("the driver cannot keep a log")
		}
		_, err := file.FileControlPersistWAL("main", mode)
		return err
	})
}

// prepared is the statement for this text. The texts are constants, but for a few combinations of
// conditions, so their number is bounded.
func (c *connection) prepared(text string) (*sql.Stmt, error) {
	if s := c.statements[text]; s != nil {
		return s, nil
	}
	s, err := c.conn.PrepareContext(background, text)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	c.statements[text] = s
	return s, nil
}

// exec runs a statement that changes something, and tells how many rows it changed. It asks the driver itself: of what a
// short statement takes, database/sql is a third, which is for connections that are shared, and contexts that end.
func (c *connection) exec(text string, args ...any) (n int64, err error) {
	err = c.conn.Raw(func(able any) error {
		s, err := c.change(able, text)
		if err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
		if err := c.bind(args); err != nil {
			return err
		}
		result, err := s.(driver.StmtExecContext).ExecContext(background, c.args)
		clear(c.args) // their strings
		if err == nil {
			n, err = result.RowsAffected()
		}
		return err
	})
	return n, err
}

// change is the driver's statement for a text, as prepared is that of database/sql.
func (c *connection) change(able any, text string) (driver.Stmt, error) {
	if s := c.changing[text]; s != nil {
		return s, nil
	}
	s, err := able.(driver.ConnPrepareContext).PrepareContext(background, text)
	if err == nil {
		c.changing[text] = s
	}
	return s, err
}

// bind turns parameters into what drivers take.
func (c *connection) bind(args []any) error {
	c.args = c.args[:0]
	for n, arg := range args {
		switch arg.(type) {
		case string, int64, nil:
		default:
			var err error
			if arg, err = driver.DefaultParameterConverter.ConvertValue(arg); err != nil {
				return fmt.Errorf("parameter %d: %w", n+1, err)
			}
		}
		c.args = append(c.args, driver.NamedValue{Ordinal: n + 1, Value: arg})
	}
	return nil
}

// rows calls scan for each row until it returns an error, which it hands on.
func (c *connection) rows(ctx context.Context, scan func(*sql.Rows) error, text string, args ...any) error {
	s, err := c.prepared(text)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// row reads one row; sql.ErrNoRows when there is none.
func (c *connection) row(text string, args []any, into ...any) error {
	s, err := c.prepared(text)
	if err != nil {
		return err
	}
	return s.QueryRowContext(background, args...).Scan(into...)
}

// script runs text that is used once.
func (c *connection) script(text string) error {
	_, err := c.conn.ExecContext(background, text)
	return err
}

func init() {
	// SQLite's own builds commit with fdatasync where there is one. The setting is the process's;
	// where the platform has no fdatasync it stays as it was.
	_, _ = sqlite.Fdatasync(true)
}
