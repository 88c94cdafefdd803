package clients_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"prax/auth"
	"prax/auth/clients"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noon is the time at which the tables are judged.
var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// catalogue is a small one; names are found in either spelling.
type catalogue map[string]auth.Tier

func (c catalogue) Tier(name string) (auth.Tier, bool) {
	for known, tier := range c {
		if name == known || name == strings.ReplaceAll(known, ".", "_") {
			return tier, true
		}
	}
	return auth.TierUnknown, false
}

var tools = catalogue{
	"get_current_datetime": auth.Low, "memory_recall": auth.Low, "praxec.query": auth.Low,
	"memory_remember": auth.Medium, "memory_forget": auth.High,
}

// clock is a time that only a test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// world is a registry of one file at a time that stands still, with all that it said.
type world struct {
	*clients.Registry
	t       *testing.T
	path    string
	clock   *clock
	log     *lockedBuffer
	mu      sync.Mutex
	changes []clients.Change
}

type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

// open makes a world of a file with this text; with "-" there is no file.
func open(t *testing.T, text string, opts ...func(*clients.Config)) *world {
	t.Helper()
	w := &world{t: t, path: filepath.Join(t.TempDir(), "clients.json"), clock: &clock{at: noon}, log: &lockedBuffer{}}
	if text != "-" {
		w.write(text)
	}
	cfg := clients.Config{Path: w.path, OnReload: func(c clients.Change) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.changes = append(w.changes, c)
	}}
	for _, opt := range opts {
		opt(&cfg)
	}
	log := slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	reg, err := clients.Open(cfg, tools, log, w.clock.now)
	if err != nil {
		t.Fatal(err)
	}
	w.Registry = reg
	return w
}

func (w *world) write(text string) {
	w.t.Helper()
	if err := os.WriteFile(w.path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// save writes and reloads.
func (w *world) save(text string) clients.Report {
	w.t.Helper()
	w.write(text)
	return w.Reload("test")
}

func (w *world) knows(token string) bool {
	_, ok := w.Lookup(auth.HashToken(token))
	return ok
}

func (w *world) want(token string, live bool) {
	w.t.Helper()
	if got := w.knows(token); got != live {
		w.t.Errorf("%s is admitted: %t, want %t", token, got, live)
	}
}

// lastChange is what the hook was told last.
func (w *world) lastChange() clients.Change {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.changes) == 0 {
		w.t.Fatal("the hook was never called")
	}
	return w.changes[len(w.changes)-1]
}

func codes(report clients.Report) (all []clients.Code) {
	for _, p := range report.Problems {
		all = append(all, p.Code)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func file(entries ...string) string {
	return "{\"clients\": [\n  " + strings.Join(entries, ",\n  ") + "\n]}\n"
}

func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// The entry that most tables vary, and one beside it that must never be touched.
const (
	aliceToken = "alice-token-0123456789"
	bystander  = `{"name": "bystander", "token": "bystander-0123456789", "user_id": "bob", "allow": []}`
	byToken    = "bystander-0123456789"
)

// alice is an entry with these members besides its name, user and token.
func alice(members string) string {
	if members != "" {
		members = ", " + members
	}
	return `{"name": "alice", "user_id": "alice", "token": "` + aliceToken + `"` + members + `}`
}
