package clients_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/auth/clients"
)

const grace = time.Second

func keep(c *clients.Config) { c.OnError = clients.Keep }

// breakages are the ways in which a file does not read, and the code of each.
var breakages = []struct {
	name string
	text string
	code clients.Code
}{
	{"half written", `{"clients": [{"name": "al`, clients.NotJSON},
	{"not JSON", `{bad`, clients.NotJSON},
	{"zero bytes", ``, clients.NotJSON},
	{"blank", " \n", clients.NotJSON},
	{"something after the end", file(alice("")) + "x", clients.NotJSON},
	{"two documents", file(alice("")) + file(), clients.NotJSON},
	{"comments", "// hello\n" + file(alice("")), clients.NotJSON},
	{"trailing comma", `{"clients": [` + alice("") + `,]}`, clients.NotJSON},
	{"root a list", `[` + alice("") + `]`, clients.NotObject},
	{"root a number", `5`, clients.NotObject},
	{"root null", `null`, clients.NotObject},
	{"clients an object", `{"clients": {"a": ` + alice("") + `}}`, clients.NotList},
	{"clients null", `{"clients": null}`, clients.NotList},
	{"clients a string", `{"clients": "x"}`, clients.NotList},
	{"clients twice", `{"clients": [], "clients": [` + alice("") + `]}`, clients.TwoLists},
	{"too deep", strings.Repeat("[", 20_000), clients.NotObject},
}

// TestBroken: a file that does not read keeps the last good snapshot for one second and not a moment
// longer, and is in force again once it reads.
func TestBroken(t *testing.T) {
	t.Parallel()
	for _, tt := range breakages {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := open(t, file(alice("")))
			good := w.Status()
			report := w.save(tt.text)
			if report.OK || !report.Fails || len(report.Problems) == 0 {
				t.Fatalf("report %+v", report)
			}
			if got := report.Problems[0]; got.Code != tt.code && !(tt.name == "too deep" && got.Code == clients.NotJSON) || got.Line < 1 || got.Column < 1 {
				t.Errorf("problem %+v, want code %s with its place", got, tt.code)
			}
			w.want(aliceToken, true)
			if s := w.Status(); s.OK || !s.Stale || s.Generation != good.Generation || s.Digest != good.Digest {
				t.Errorf("status within the grace: %+v", s)
			}
			w.clock.add(grace - 1)
			w.want(aliceToken, true)
			w.clock.add(1)
			w.want(aliceToken, false)
			if s := w.Status(); s.OK || s.Stale || s.Generation == good.Generation || s.Clients != 0 || s.Digest != "" || !s.EverLive {
				t.Errorf("status after the grace: %+v", s)
			}
			w.save(file(alice("")))
			w.want(aliceToken, true)
			if s := w.Status(); !s.OK || s.Stale || len(s.Problems) != 0 {
				t.Errorf("status when mended: %+v", s)
			}
		})
	}
}

// TestLaw4GraceIsNeverExtended: a hundred bad saves, each another one, end the grace where the first one
// put its end; and mending within it costs nobody anything.
func TestLaw4GraceIsNeverExtended(t *testing.T) {
	t.Parallel()
	w := open(t, file(alice("")))
	for i := range 100 {
		w.save("{bad" + strings.Repeat(" ", i))
		w.want(aliceToken, true)
		w.clock.add(grace / 100)
	}
	w.want(aliceToken, false)
	w.save("{bad again")
	w.want(aliceToken, false)
	w.clock.add(-time.Nanosecond)
	w.save("{bad again, with the clock set back")
	w.want(aliceToken, false)
}

// TestMendedWithinTheGrace: a file that reads again as before was never away.
func TestMendedWithinTheGrace(t *testing.T) {
	t.Parallel()
	w := open(t, file(alice("")))
	before, changed := w.Status(), w.Changed()
	w.save("{bad")
	w.clock.add(grace / 2)
	w.save(file(alice("")))
	w.clock.add(2 * grace)
	w.want(aliceToken, true)
	if s := w.Status(); s.Generation != before.Generation || !s.OK || s.Stale {
		t.Errorf("status %+v, want generation %d", s, before.Generation)
	}
	select {
	case <-changed:
		t.Error("it counts as changed")
	default:
	}
	w.save("{bad")
	w.want(aliceToken, true)
	w.clock.add(grace)
	w.want(aliceToken, false)
}

// TestKeep: who prefers staying up keeps the last good snapshot of a broken file, not that of a missing one.
func TestKeep(t *testing.T) {
	t.Parallel()
	w := open(t, file(alice("")), keep)
	w.save("{bad")
	w.clock.add(time.Hour)
	w.want(aliceToken, true)
	if s := w.Status(); s.OK || !s.Stale {
		t.Errorf("status %+v", s)
	}
	if err := os.Remove(w.path); err != nil {
		t.Fatal(err)
	}
	w.Reload("test")
	w.clock.add(grace - 1)
	w.want(aliceToken, true)
	w.save("{bad") // does not take the end back
	w.clock.add(1)
	w.want(aliceToken, false)
	w.save(file(alice("")))
	w.want(aliceToken, true)
}

// TestMissing: a file that is taken away is followed after the same second.
func TestMissing(t *testing.T) {
	t.Parallel()
	w := open(t, file(alice("")))
	if err := os.Remove(w.path); err != nil {
		t.Fatal(err)
	}
	if report := w.Reload("test"); report.Problems[0].Code != clients.FileMissing {
		t.Errorf("report %+v", report)
	}
	w.want(aliceToken, true)
	w.clock.add(grace)
	w.want(aliceToken, false)
	w.save(file(alice("")))
	w.want(aliceToken, true)
}

// TestMissingAtStart: nobody, and no route either until somebody has been live.
func TestMissingAtStart(t *testing.T) {
	t.Parallel()
	w := open(t, "-")
	if s := w.Status(); s.EverLive || s.Clients != 0 || s.OK {
		t.Errorf("status %+v", s)
	}
	w.save(file(alice(`"expires_at": "2000-01-01"`)))
	if w.Status().EverLive {
		t.Error("an expired client counts as live")
	}
	w.save(file(alice("")))
	w.want(aliceToken, true)
	w.save(`{"clients": []}`)
	if s := w.Status(); !s.EverLive || s.Clients != 0 {
		t.Errorf("status %+v, want ever live", s)
	}
}

// TestNobody: an empty list admits nobody at once, under keep as well.
func TestNobody(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"clients": []}`, `{}`, `{"Clients": [` + alice("") + `]}`, "\ufeff{}\n"} {
		for _, opt := range []func(*clients.Config){keep, func(*clients.Config) {}} {
			w := open(t, file(alice("")), opt)
			changed := w.Changed()
			if report := w.save(text); !report.OK {
				t.Errorf("%s: report %+v", text, report)
			}
			w.want(aliceToken, false)
			select {
			case <-changed:
			default:
				t.Errorf("%s: nobody was told", text)
			}
		}
	}
}

// TestByteOrderMark is accepted, and problems behind it are placed where an editor shows them.
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	w := open(t, "\ufeff"+file(alice(""), `5`))
	w.want(aliceToken, true)
	if p := w.Status().Problems; len(p) != 1 || p[0].Line != 3 || p[0].Column != 3 {
		t.Errorf("problems %+v", p)
	}
}

// TestStrangeFiles: whatever stands in the file's place, a reload returns soon and admits nobody new.
func TestStrangeFiles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		put  func(path string) error
		want clients.Code
	}{
		{"fifo", func(p string) error { return syscall.Mkfifo(p, 0o600) }, clients.FileNotRegular},
		{"directory", func(p string) error { return os.Mkdir(p, 0o700) }, clients.FileNotRegular},
		{"endless device", func(p string) error { return os.Symlink("/dev/zero", p) }, clients.FileNotRegular},
		{"null device", func(p string) error { return os.Symlink("/dev/null", p) }, clients.FileNotRegular},
		{"symlink loop", func(p string) error { return os.Symlink(filepath.Base(p), p) }, clients.FileUnreadable},
		{"dangling link", func(p string) error { return os.Symlink("nowhere", p) }, clients.FileMissing},
		{"64 MiB of nothing", func(p string) error {
			return os.WriteFile(p, bytes.Repeat([]byte{' '}, 64<<20), 0o600)
		}, clients.NotJSON},
		{"a byte more than 64 MiB", func(p string) error {
			return os.WriteFile(p, append(bytes.Repeat([]byte{' '}, 64<<20), '{'), 0o600)
		}, clients.FileTooLarge},
		{"more entries than could be", func(p string) error {
			return os.WriteFile(p, []byte(`{"clients":[`+strings.Repeat("0,", 1<<20)+`0]}`), 0o600)
		}, clients.FileTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := open(t, file(alice("")))
			if err := os.Remove(w.path); err != nil {
				t.Fatal(err)
			}
			if err := tt.put(w.path); err != nil {
				t.Fatal(err)
			}
			done := make(chan clients.Report, 1)
			go func() { done <- w.Reload("test") }()
			select {
			case report := <-done:
				if report.OK || report.Problems[0].Code != tt.want {
					t.Errorf("report %+v, want %s", report, tt.want)
				}
			case <-time.After(2 * time.Minute):
				t.Fatal("the reload hangs")
			}
			w.want(aliceToken, true)
			w.clock.add(grace)
			w.want(aliceToken, false)
			if s := w.Status(); s.Clients != 0 {
				t.Errorf("%d clients", s.Clients)
			}
		})
	}
}

// TestManyProblems: all are counted, and only so many kept.
func TestManyProblems(t *testing.T) {
	t.Parallel()
	const n = 5000
	w := open(t, `{"clients":[`+strings.Repeat("0,\n", n)+bystander+`]}`)
	w.want(byToken, true)
	report := clients.Check(clients.Config{Path: w.path}, tools, noon)
	if report.Errors != n || report.Refused != n || len(report.Problems) != 1000 || report.Omitted() != n-1000 {
		t.Errorf("%d errors, %d refused, %d kept, %d omitted", report.Errors, report.Refused, len(report.Problems), report.Omitted())
	}
	if lines := strings.Count(w.log.String(), "\n"); lines > 100 {
		t.Errorf("%d log lines", lines)
	}
}

// TestMode: others can read a file with a plaintext token.
func TestMode(t *testing.T) {
	t.Parallel()
	w := open(t, file(alice(""), `{"name": "h", "user_id": "h", "token_sha256": "`+hashOf("hash-token")+`"}`))
	if got := codes(clients.Check(clients.Config{Path: w.path}, tools, noon)); got != nil {
		t.Errorf("0600: %v", got)
	}
	if err := os.Chmod(w.path, 0o644); err != nil {
		t.Fatal(err)
	}
	report := w.Reload("test")
	if diff := cmp.Diff(code(clients.LooseMode), codes(report)); diff != "" || report.Warnings != 1 || report.Unchanged {
		t.Errorf("0644: codes (-want +got):\n%s", diff)
	}
	w.want(aliceToken, true)
}

// TestExpiresByTheClock: the credential lapses without a reload, exactly when it says.
func TestExpiresByTheClock(t *testing.T) {
	t.Parallel()
	w := open(t, file(alice(`"expires_at": "2026-05-01T12:00:10Z"`)))
	w.clock.add(10*time.Second - 1)
	p, ok := w.Lookup(auth.HashToken(aliceToken))
	if !ok || !p.Expires.Equal(noon.Add(10*time.Second)) {
		t.Fatalf("admitted %t, expires %v", ok, p.Expires)
	}
	w.clock.add(1)
	w.want(aliceToken, false)
	if _, ok := w.Again(p); ok {
		t.Error("admitted again")
	}
	if _, ok := w.ByName("alice"); ok {
		t.Error("admitted by name")
	}
	if n := w.Status().Clients; n != 0 {
		t.Errorf("%d clients", n)
	}
}
