package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"prax/store"
	"prax/store/digest"
	"prax/store/sqlite"
)

// written is a closed store with 30 events of which every third is a block.
func written(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	db := open(t, sqlite.Config{Dir: dir})
	for i := range 10 {
		err := db.Update(context.Background(), func(tx store.Tx) error {
			tx.AddEvent(store.Event{Kind: store.EventCall, User: "alice", RequestID: fmt.Sprint("a", i), Tool: "memory_remember"})
			tx.AddEvent(store.Event{Kind: store.EventServer, Detail: `{"n":1}`})
			tx.AddEvent(store.Event{Kind: store.EventBlock, Calls: []store.Event{
				{Kind: store.EventCall, User: "alice", Tool: "memory_recall"}, {Kind: store.EventCall, User: "bob", Tool: "memory_recall"},
				{Kind: store.EventCall, User: "alice", Tool: "note_list"},
			}})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestTampering: whatever somebody with the file changes in the chain, verifying says so.
func TestTampering(t *testing.T) {
	t.Parallel()
	dir := written(t)
	tests := map[string]struct{ script, says string }{
		"nothing":              {"", ""},
		"tail cut off":         {"DELETE FROM block_user WHERE seq > 28; DELETE FROM event WHERE seq > 28", "tail is missing"},
		"last event":           {"DELETE FROM block_user WHERE seq = 30; DELETE FROM event WHERE seq = 30", "tail is missing"},
		"all of it":            {"DELETE FROM block_user; DELETE FROM event", "tail is missing"},
		"an event in between":  {"DELETE FROM event WHERE seq = 5", "events 5 to 5 are missing"},
		"first events":         {"DELETE FROM block_user WHERE seq < 7; DELETE FROM event WHERE seq < 7", "events 1 to 6 are missing"},
		"body":                 {"UPDATE event SET body = replace(body, 'memory_remember', 'memory_recall') WHERE seq = 4", "event 4 was changed"},
		"body, extra member":   {`UPDATE event SET body = replace(body, '"kind"', '"extra":1,"kind"') WHERE seq = 4`, "event 4 cannot be read"},
		"body, spelling":       {`UPDATE event SET body = replace(body, '"kind":', '"kind" :') WHERE seq = 4`, "event 4 cannot be read"},
		"hash":                 {"UPDATE event SET hash = upper(hash) WHERE seq = 4", "event 4 was changed"},
		"kind":                 {"UPDATE event SET kind = 'server' WHERE seq = 4", "event 4 differs from its columns"},
		"time":                 {"UPDATE event SET at = at + 1 WHERE seq = 4", "event 4 differs from its columns"},
		"call in a block":      {"UPDATE block_user SET calls = replace(calls, 'note_list', 'note_read') WHERE seq = 6", "event 6 was changed"},
		"call given away":      {"UPDATE block_user SET user = 'bob' WHERE seq = 6 AND pos = 0", "event 6 is not led to"},
		"event given away":     {"UPDATE block_user SET user = 'bob' WHERE seq = 4", "event 4 is not led to"},
		"call taken out":       {"DELETE FROM block_user WHERE seq = 6 AND pos = 1", "event 6 was changed"},
		"lead taken out":       {"DELETE FROM block_user WHERE seq = 4", "event 4 is not led to"},
		"calls of no event":    {"INSERT INTO block_user (chain, seq, pos, user, calls) VALUES ('main', 99, 0, 'bob', '[]')", "event 99, which is missing"},
		"two events exchanged": {"UPDATE event SET seq = 99 WHERE seq = 5; UPDATE event SET seq = 5 WHERE seq = 8; UPDATE event SET seq = 8 WHERE seq = 99", "event 5 does not follow"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			copied := copyStore(t, dir)
			tamper(t, copied, test.script)
			wantProblem(t, copied, test.says)
		})
	}
}

// TestHeadTampering: the head is worth what its signature is.
func TestHeadTampering(t *testing.T) {
	t.Parallel()
	dir := written(t)
	foreign, err := digest.NewKey(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "audit-head.json"))
	if err != nil {
		t.Fatal(err)
	}
	genuine, err := store.DecodeHead(text)
	if err != nil {
		t.Fatal(err)
	}
	lowered := genuine
	lowered.Count = 10
	resigned := store.SignHead(foreign, genuine.Count, genuine.Hash, genuineTime)
	tests := map[string]struct{ head, says string }{
		"count lowered":         {string(store.EncodeHead(lowered)), "not signed by this installation"},
		"signed with other key": {string(store.EncodeHead(resigned)), "not signed by this installation"},
		"not JSON":              {"{", "decode audit head"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			copied := copyStore(t, dir)
			if err := os.WriteFile(filepath.Join(copied, "audit-head.json"), []byte(test.head), 0o600); err != nil {
				t.Fatal(err)
			}
			wantProblem(t, copied, test.says)
		})
	}
	t.Run("removed", func(t *testing.T) {
		t.Parallel()
		copied := copyStore(t, dir)
		if err := os.Remove(filepath.Join(copied, "audit-head.json")); err != nil {
			t.Fatal(err)
		}
		wantProblem(t, copied, "no signed head")
	})
}

// TestStartDoesNotHideIt: a server that starts on a chain without its tail signs a new head, but
// what it found stays in the chain, and the head that it found beside it.
func TestStartDoesNotHideIt(t *testing.T) {
	t.Parallel()
	dir := written(t)
	tamper(t, dir, "DELETE FROM block_user WHERE seq > 28; DELETE FROM event WHERE seq > 28")
	for range 2 {
		if err := open(t, sqlite.Config{Dir: dir}).Close(); err != nil {
			t.Fatal(err)
		}
	}
	wantProblem(t, dir, "did not match its signed head")
	if _, err := os.Stat(filepath.Join(dir, "audit-head.mismatch.json")); err != nil {
		t.Error(err)
	}
}

var genuineTime = (store.Event{}).At

// copyStore copies what is in a data directory, but for a log: that is one of the further files.
func copyStore(t *testing.T, dir string, more ...string) string {
	t.Helper()
	to := copyFiles(t, dir, append(more, "prax.db", "audit-head.json", "prax.lock")...)
	keys := copyFiles(t, filepath.Join(dir, "keys"), "audit.key")
	if err := os.Rename(keys, filepath.Join(to, "keys")); err != nil {
		t.Fatal(err)
	}
	return to
}

func tamper(t *testing.T, dir, script string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "prax.db"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(script)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func wantProblem(t *testing.T, dir, says string) {
	t.Helper()
	db, err := sqlite.OpenReadOnly(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	report, err := db.Verify(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if says == "" && !report.OK() || !strings.Contains(strings.Join(report.Problems, "\n"), says) {
		t.Errorf("problems %q, want %q", report.Problems, says)
	}
}

// TestExport: with the lines and the public key alone, somebody else can check the chain.
func TestExport(t *testing.T) {
	t.Parallel()
	dir := written(t)
	db, err := sqlite.OpenReadOnly(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var out bytes.Buffer
	if err := db.Export(context.Background(), &out, 0); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 31 {
		t.Fatalf("%d lines, want 30 events and the head", len(lines))
	}
	prev := ""
	for i, line := range lines[:30] {
		var members map[string]jsontext.Value
		if err := json.Unmarshal([]byte(line), &members); err != nil {
			t.Fatal(err)
		}
		hash := strings.Trim(string(members["hash"]), `"`)
		delete(members, "hash")
		rest, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := digest.Sum(rest)
		if err != nil || sum != hash || i > 0 && strings.Trim(string(members["prev"]), `"`) != prev {
			t.Errorf("line %d: hash %s, want %s after %s: %s", i, hash, sum, prev, line)
		}
		prev = hash
	}
	head, err := store.DecodeHead([]byte(lines[30]))
	public, _ := os.ReadFile(filepath.Join(dir, "keys", "audit.pub"))
	if err != nil || !head.Genuine(strings.TrimSpace(string(public))) || head.Hash != prev || head.Count != 30 {
		t.Errorf("head %+v, %v", head, err)
	}
	var tail bytes.Buffer
	if err := db.Export(context.Background(), &tail, 28); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Join(lines[28:], "\n"), strings.TrimSpace(tail.String())); diff != "" {
		t.Errorf("after 28 (-want +got):\n%s", diff)
	}
}

// TestUnreadableEvent: one event that cannot be read, or that claims another number, stops nobody
// from reading on; the export ends with an error that names it.
func TestUnreadableEvent(t *testing.T) {
	t.Parallel()
	dir := written(t)
	for name, script := range map[string]string{
		"body":   `UPDATE event SET body = replace(body, '"kind"', '"extra":1,"kind"') WHERE seq = 4`,
		"number": `UPDATE event SET body = replace(body, '"seq":4', '"seq":1') WHERE seq = 4`,
		"calls":  `UPDATE block_user SET calls = '[{"extra":1}]' WHERE seq = 6`,
		"hash":   `UPDATE event SET hash = CAST(x'ff' AS TEXT) WHERE seq = 4`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			copied := copyStore(t, dir)
			tamper(t, copied, script)
			db, err := sqlite.OpenReadOnly(copied)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			bad := int64(4)
			if name == "calls" {
				bad = 6
			}
			err = db.View(context.Background(), func(tx store.Tx) error {
				events, err := tx.EventsAfter(0, 100)
				if err == nil && len(events) != 30 {
					t.Errorf("%d events, want 30", len(events))
				}
				for i, e := range events {
					if e.Seq != int64(i+1) || (e.Seq == bad) != (e.Kind == store.EventUnreadable) {
						t.Errorf("event %d is %d, %s", i+1, e.Seq, e.Kind)
					}
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
			var out bytes.Buffer
			err = db.Export(context.Background(), &out, 0)
			if err == nil || !strings.Contains(err.Error(), fmt.Sprint("event ", bad)) {
				t.Errorf("export: %v", err)
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if len(lines) != 31 || !strings.Contains(lines[bad-1], `"kind":"unreadable"`) || !strings.Contains(lines[30], `"signature"`) {
				t.Errorf("%d lines, in the place of the event %s", len(lines), lines[min(len(lines), int(bad))-1])
			}
		})
	}
}

// TestHeadIsSigned: while the server runs and at its end, the head follows the chain.
func TestHeadIsSigned(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := open(t, sqlite.Config{Dir: dir, HeadEvery: 5 * time.Millisecond})
	signed := func() store.Head {
		text, err := os.ReadFile(filepath.Join(dir, "audit-head.json"))
		if err != nil {
			t.Fatal(err)
		}
		head, err := store.DecodeHead(text)
		if err != nil || !head.Genuine(db.Key().Public()) {
			t.Fatalf("head %s, %v", text, err)
		}
		return head
	}
	if head := signed(); head.Count != 0 {
		t.Errorf("head of an empty chain: %+v", head)
	}
	add := func() {
		err := db.Update(context.Background(), func(tx store.Tx) error { tx.AddEvent(store.Event{Kind: store.EventServer}); return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	add()
	eventually(t, "the head is signed", func() bool { return signed().Count == 1 })
	add()
	db.Record(store.Event{Kind: store.EventCall, User: "alice"})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if head := signed(); head.Count != 3 {
		t.Errorf("head at the end: %+v, want 3 events", head)
	}
}
