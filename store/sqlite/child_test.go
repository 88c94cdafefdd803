package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
)

// childDir tells the test binary to be a child: a process with a store in this directory that
// writes until it is killed, and says on its standard output what was acknowledged.
const childDir = "PRAX_TEST_CHILD_DIR"

// childTo makes the child back the directory up to there and end, childFrom restore it from there.
const (
	childTo   = "PRAX_TEST_CHILD_TO"
	childFrom = "PRAX_TEST_CHILD_FROM"
)

// childArchives makes the child archive all there is, over and over, into its data directory.
const childArchives = "PRAX_TEST_CHILD_ARCHIVES"

func archiveOften(ctx context.Context, db *sqlite.DB) {
	for ctx.Err() == nil {
		if _, err := db.ArchiveOld(ctx, 0); err != nil && !errors.Is(err, fs.ErrExist) { // two within a second have one name
			fmt.Println("error:", err)
			os.Exit(1)
		}
	}
}

// childLife bounds a child that nobody kills.
const childLife = 60 * time.Second

// child is the child's whole life, when this process is one.
func child() bool {
	dir := os.Getenv(childDir)
	if dir == "" {
		return false
	}
	err := error(nil)
	if limit := os.Getenv(childLimit); limit != "" {
		err = limitFiles(limit)
	}
	switch from, to := os.Getenv(childFrom), os.Getenv(childTo); {
	case err != nil:
	case to != "":
		_, _, err = sqlite.WriteBackup(context.Background(), sqlite.BackupConfig{Data: dir, Dir: to, Now: time.Now})
	case from != "":
		_, err = restoreTo(from, dir, false)
	default:
		err = live(dir)
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	return true
}

func live(dir string) error {
	db, err := sqlite.Open(context.Background(), sqlite.Config{
		Dir: dir, BlockEvery: 5 * time.Millisecond, HeadEvery: 10 * time.Millisecond, WALLimit: 1,
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), childLife)
	defer cancel()
	fmt.Println("ready")
	if err := recoverAttempts(ctx, db); err != nil {
		return err
	}
	var group sync.WaitGroup
	if os.Getenv(childArchives) != "" {
		group.Go(func() { archiveOften(ctx, db) })
	}
	var say sync.Mutex
	for writer := range 8 {
		group.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				name := fmt.Sprintf("p%dw%dn%d", os.Getpid(), writer, n)
				if err := writeOne(ctx, db, writer, name); err != nil {
					fmt.Println("error:", err)
					os.Exit(1)
				}
				say.Lock()
				fmt.Println("done", name)
				say.Unlock()
			}
		})
	}
	group.Wait()
	return db.Close()
}

// writeOne makes a document, changes it, and reports it: one fact. A function that fails stands
// beside it, a recorded call, an attempt and the move of an instance that it was for, and one without an instance.
func writeOne(ctx context.Context, db *sqlite.DB, writer int, name string) error {
	if err := advance(ctx, db, writer, name); err != nil {
		return err
	}
	db.Record(store.Event{Kind: store.EventCall, User: user(writer), Tool: "memory_recall"})
	if writer == 3 {
		recordMany(db, name)
	}
	if writer < 3 { // one a user: a store forgets what is too many
		if err := tryDirect(ctx, db, user(writer), name); err != nil {
			return err
		}
	}
	if writer == 0 {
		_ = db.Update(ctx, func(t store.Tx) error {
			if _, err := t.PutDocument(store.Document{User: user(writer), Kind: store.Note, Body: "never"}); err != nil {
				return err
			}
			return fmt.Errorf("changed its mind")
		})
	}
	return db.Update(ctx, func(t store.Tx) error {
		d, err := t.PutDocument(store.Document{User: user(writer), Kind: store.Memory, Body: name})
		if err != nil {
			return err
		}
		d.Title = "changed"
		if _, err = t.PutDocument(d); err != nil {
			return err
		}
		t.AddEvent(store.Event{Kind: store.EventCall, User: user(writer), RequestID: name})
		return nil
	})
}

// many are users who have little in a block each.
var many = users(24)

func users(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint("one of many ", i)
	}
	return all
}

func recordMany(db *sqlite.DB, name string) {
	for i, user := range many {
		db.Record(store.Event{Kind: store.EventCall, User: user, Tool: "memory_recall", RequestID: fmt.Sprint(name, "u", i)})
	}
}

func user(writer int) string { return fmt.Sprintf("user%d", writer%3) }

// run starts a child and returns the names that it acknowledged until it was dead. kill is called
// with each of them.
func run(t *testing.T, dir string, environment []string, kill func(*exec.Cmd, int)) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), childDir+"="+dir), environment...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var done []string
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		name, acknowledged := strings.CutPrefix(lines.Text(), "done ")
		switch {
		case acknowledged:
			done = append(done, name)
			kill(cmd, len(done))
		case lines.Text() != "ready":
			t.Errorf("child: %s", lines.Text())
		}
	}
	err = cmd.Wait()
	if cmd.ProcessState.ExitCode() != -1 {
		t.Fatalf("the child was not killed, but ended with %v after %d acknowledged writes\n%s", err, len(done), &stderr)
	}
	return done
}

// survived opens what a killed child left and checks that everything acknowledged is there, that
// nothing is there by half, and that the chain is whole.
func survived(t *testing.T, dir string, acknowledged []string) {
	t.Helper()
	readableAsLeft(t, dir)
	db := open(t, sqlite.Config{Dir: dir})
	defer func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}()
	report, err := db.Verify(context.Background())
	if err != nil || !report.OK() {
		t.Errorf("verify: %v, problems %q", err, report.Problems)
	}
	events := map[string]bool{}
	documents := map[string]bool{}
	all := joined(t, db, filepath.Join(dir, sqlite.ArchiveName))
	left(t, db, all)
	var told []store.Event
	for _, e := range all {
		told = append(told, e.All()...)
	}
	for _, e := range told {
		if e.Kind == store.EventCall && e.Tool != "memory_recall" {
			events[e.RequestID] = true
		}
	}
	foundBySlowWay(t, db, append([]string{user(0), user(1), user(2)}, many...))
	survivedMoves(t, db, told, acknowledged)
	survivedAttempts(t, db, told, acknowledged)
	for _, name := range acknowledged {
		if !events[name] {
			t.Errorf("%s was acknowledged, its event is gone", name)
		}
	}
	for writer := range 3 {
		for _, d := range newest(t, db, user(writer)) {
			documents[d.Body] = true
			if !events[d.Body] || d.Version != 2 || d.Title != "changed" {
				t.Errorf("document %+v is there by half", d)
			}
		}
	}
	missing := 0
	for name := range events {
		if !documents[name] && found(t, db, name) == 0 {
			missing++
		}
	}
	if missing > 0 {
		t.Errorf("%d of %d events have no document", missing, len(events))
	}
}

// readableAsLeft reads the files as the crash left them, before a server has put them in order.
func readableAsLeft(t *testing.T, dir string) {
	t.Helper()
	db, err := sqlite.OpenReadOnly(dir)
	if err != nil {
		if strings.Contains(err.Error(), "no server has") {
			return // it was killed before it had made anything
		}
		t.Errorf("open as left: %v", err)
		return
	}
	defer db.Close()
	if report, err := db.Verify(context.Background()); err != nil || !report.OK() {
		t.Errorf("verify as left: %v, problems %q", err, report.Problems)
	}
}

func newest(t *testing.T, db *sqlite.DB, user string) []store.Document {
	t.Helper()
	var all []store.Document
	err := db.View(context.Background(), func(tx store.Tx) (err error) {
		all, err = tx.ListDocuments(auth.Principal{User: user}.Scope(), store.Filter{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// found counts, by searching, the documents with a name.
func found(t *testing.T, db *sqlite.DB, name string) int {
	t.Helper()
	n := 0
	err := db.View(context.Background(), func(tx store.Tx) error {
		for writer := range 3 {
			all, err := tx.SearchDocuments(auth.Principal{User: user(writer)}.Scope(), store.Query{Words: []store.Word{{Text: name}}})
			if err != nil {
				return err
			}
			n += len(all)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
