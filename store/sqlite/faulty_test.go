package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"

	"modernc.org/sqlite"
)

// Disk stands between the stores of one directory and their driver, and fails what a test tells it to.
type Disk struct {
	mu    sync.Mutex
	fails func(Statement) error
}

// Statement is one on its way to the driver, by its first word.
type Statement string

// The words that tests ask for.
const (
	Connect Statement = "CONNECT"
	Begin   Statement = "BEGIN"
	Save    Statement = "SAVEPOINT"
	Insert  Statement = "INSERT"
	Commit  Statement = "COMMIT"
)

// ResultCode is an error as the driver gives it: SQLite's code, after which its transaction goes on.
type ResultCode int

// Code is the driver's method.
func (c ResultCode) Code() int     { return int(c) }
func (c ResultCode) Error() string { return fmt.Sprintf("the test's disk failed (%d)", int(c)) }

// RolledBack is one after which SQLite has ended the transaction by itself.
type RolledBack struct{ ResultCode }

// FaultyDisk puts a disk that does not fail yet under the stores that are opened in a directory from now on.
func FaultyDisk(dir string) *Disk {
	d := &Disk{}
	disks.Store(dir, d)
	return d
}

// Fail makes each statement fail for which f has an error; nil mends the disk.
func (d *Disk) Fail(f func(Statement) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fails = f
}

func (d *Disk) judge(text string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fails == nil {
		return nil
	}
	word, _, _ := strings.Cut(text, " ")
	return d.fails(Statement(word))
}

var disks sync.Map // of directories

func init() {
	sound := openPool
	openPool = func(dsn string) (*sql.DB, error) {
		if u, err := url.Parse(dsn); err == nil {
			if d, faulty := disks.Load(filepath.Dir(u.Path)); faulty {
				return sql.OpenDB(connector{d.(*Disk), dsn}), nil
			}
		}
		return sound(dsn)
	}
}

type connector struct {
	disk *Disk
	dsn  string
}

func (c connector) Driver() driver.Driver { return new(sqlite.Driver) }

func (c connector) Connect(context.Context) (driver.Conn, error) {
	if err := c.disk.judge(string(Connect)); err != nil {
		return nil, err
	}
	conn, err := c.Driver().Open(c.dsn)
	if err != nil {
		return nil, err
	}
	return &faultyConn{Conn: conn, FileControl: conn.(sqlite.FileControl), disk: c.disk}, nil
}

type faultyConn struct {
	driver.Conn
	sqlite.FileControl
	disk *Disk
}

func (c *faultyConn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	s, err := c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	return &faultyStmt{s, c, text}, nil
}

func (c *faultyConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.judge(ctx, text); err != nil {
		return nil, err
	}
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, text, args)
}

func (c *faultyConn) judge(ctx context.Context, text string) error {
	err := c.disk.judge(text)
	if _, ended := err.(RolledBack); ended {
		_, _ = c.Conn.(driver.ExecerContext).ExecContext(ctx, "ROLLBACK", nil)
	}
	return err
}

type faultyStmt struct {
	driver.Stmt
	conn *faultyConn
	text string
}

func (s *faultyStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if err := s.conn.judge(ctx, s.text); err != nil {
		return nil, err
	}
	return s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
}

func (s *faultyStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	if err := s.conn.judge(ctx, s.text); err != nil {
		return nil, err
	}
	return s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
}
