package runner_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"prax/store/sqlite"
	"prax/tools/egress"
	"prax/tools/runner"
)

const aLine = `{"id":"nt_1","kind":"registry.refused","at":"2026-03-02T08:00:00Z"}` + "\n"

// toldWithin runs a hook within a time.
func toldWithin(t testing.TB, hook runner.Hook, within time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	return hook.Tell(ctx, "nt_1", []byte(aLine))
}

// script is a program of a shell's lines, with its place as $PLACE.
func script(t testing.TB, body string) (hook runner.ProgramHook, place string) {
	t.Helper()
	place = t.TempDir()
	path := filepath.Join(place, "tell")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nPLACE="+place+"\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return runner.ProgramHook{Argv: []string{path, "--to", "$(id) {{ops}}"}}, place
}

// TestProgramHook: the program gets the line on its standard input, its arguments as they were written, and nothing else.
func TestProgramHook(t *testing.T) {
	t.Setenv("MCP_BEARER_TOKEN", "s3cret-t0ken")
	hook, place := script(t, `cat > "$PLACE/in"; echo "$#:$1:$2" > "$PLACE/args"; env > "$PLACE/env"`)
	if err := toldWithin(t, hook, 30*time.Second); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(place, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	equal(t, "standard input", read("in"), aLine)
	equal(t, "arguments", read("args"), "2:--to:$(id) {{ops}}\n")
	for line := range strings.Lines(read("env")) {
		if name, _, _ := strings.Cut(line, "="); name != "PATH" && name != "PWD" && name != "_" && name != "SHLVL" {
			t.Errorf("the environment has %s", line)
		}
	}
}

// TestHostilePrograms: one that fails, hangs, floods, forks, or does not read is a failure or none, and ends in time.
func TestHostilePrograms(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body, want string // of the error; "": none
		within     time.Duration
	}{
		"fails":                  {"echo s3cret >&2; exit 3", "the program ended with 3", time.Minute},
		"kills itself":           {"kill -9 $$", "the program was ended by a signal: killed", time.Minute},
		"hangs":                  {"exec sleep 100", "the program did not end within 10s", 300 * time.Millisecond},
		"hangs and does not die": {"trap '' TERM; while :; do sleep 100; done", "the program did not end within 10s", 300 * time.Millisecond},
		"reads nothing":          {"exit 0", "", time.Minute},
		"floods":                 {"head -c 20000000 /dev/zero; head -c 20000000 /dev/zero >&2", "", time.Minute},
		"forks":                  {"sleep 100 & echo $! > \"$PLACE/child\"; exit 0", "", time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hook, place := script(t, tt.body)
			began := time.Now()
			err := toldWithin(t, hook, tt.within)
			if got := fmt.Sprint(err); err == nil != (tt.want == "") || err != nil && got != tt.want {
				t.Errorf("%s, want %q", got, tt.want)
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %s", took)
			}
			if child, err := os.ReadFile(filepath.Join(place, "child")); err == nil {
				stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(child)) + "/stat")
				if err == nil && !strings.Contains(string(stat), ") Z ") {
					t.Errorf("what it started goes on: %s", stat)
				}
			}
		})
	}
	for name, argv := range map[string][]string{
		"is not there": {filepath.Join(t.TempDir(), "none")}, "is a directory": {t.TempDir()}, "is found nowhere": {"prax-no-such-program"},
	} {
		if err := toldWithin(t, runner.ProgramHook{Argv: argv}, time.Minute); err == nil {
			t.Errorf("one that %s: no error", name)
		}
	}
}

// post is a hook to a URL.
func post(t testing.TB, to string) *runner.PostHook {
	t.Helper()
	out, err := egress.New(egress.Config{})
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	hook, err := runner.NewPostHook(out, u)
	if err != nil {
		t.Fatal(err)
	}
	return hook
}

// TestPostHook: the line is posted as JSON under its id; a user and a password in the URL are credentials, and a query stays.
func TestPostHook(t *testing.T) {
	t.Parallel()
	var got *http.Request
	var body string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got, body = r, string(text)
		w.WriteHeader(http.StatusAccepted)
	}))
	defer s.Close()
	if err := toldWithin(t, post(t, strings.Replace(s.URL, "//", "//ops:p4ss@", 1)+"/hook?key=k3y"), time.Minute); err != nil {
		t.Fatal(err)
	}
	equal(t, "request", []string{got.Method, got.URL.RequestURI(), got.Header.Get("Content-Type"), got.Header.Get("Idempotency-Key"), body},
		[]string{"POST", "/hook?key=k3y", "application/json", "nt_1", aLine})
	equal(t, "credentials", got.Header.Get("Authorization"), "Basic "+base64.StdEncoding.EncodeToString([]byte("ops:p4ss")))
}

// TestHostileServers: whatever a server answers, it is a failure or none; it leads nowhere, takes no longer than it may, and no
// secret of the URL stands in what the operator is told.
func TestHostileServers(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	defer other.Close()
	redirect := func(to string, status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, status) }
	}
	for name, tt := range map[string]struct {
		serve  http.HandlerFunc
		want   string
		within time.Duration
	}{
		"500":                   {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "s3cret", 500) }, "answered 500", time.Minute},
		"401":                   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, "answered 401", time.Minute},
		"304":                   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(304) }, "answered 304", time.Minute},
		"to metadata":           {redirect("http://169.254.169.254/latest/meta-data/", 307), "answered 307", time.Minute},
		"to another":            {redirect(other.URL, 308), "answered 308", time.Minute},
		"to another by GET":     {redirect(other.URL, 303), "answered 303", time.Minute},
		"never answers":         {func(_ http.ResponseWriter, r *http.Request) { <-release }, "deadline", 300 * time.Millisecond},
		"hangs up":              {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "no answer", time.Minute},
		"a huge body":           {func(w http.ResponseWriter, _ *http.Request) { flood(w) }, "", time.Minute},
		"an answer that orders": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"approve":true}`) }, "", time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(tt.serve)
			defer s.Close()
			if tt.within < time.Minute {
				defer func() { close(release) }()
			}
			err := toldWithin(t, post(t, strings.Replace(s.URL, "//", "//ops:p4ss@", 1)+"/h00k?key=k3y"), tt.within)
			if err == nil != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			for _, secret := range []string{"p4ss", "k3y", "h00k", "s3cret"} {
				if err != nil && strings.Contains(err.Error(), secret) {
					t.Errorf("%v has %s", err, secret)
				}
			}
		})
	}
}

// flood answers more than anybody keeps.
func flood(w io.Writer) {
	some := make([]byte, 1<<20)
	for range 64 {
		if _, err := w.Write(some); err != nil {
			return
		}
	}
}

// TestRefusedURLs: no hook leads to where machines are told their credentials.
func TestRefusedURLs(t *testing.T) {
	t.Parallel()
	out, err := egress.New(egress.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{
		"http://169.254.169.254/", "https://metadata.google.internal/", "https://[fd00:ec2::254]/", "https://u:p@169.254.169.254/", "https://0x7f000001/", "ftp://a.example/",
	} {
		u, err := url.Parse(to)
		if err != nil {
			t.Fatal(err)
		}
		var refused *egress.Refused
		if _, err := runner.NewPostHook(out, u); !errors.As(err, &refused) {
			t.Errorf("%s: %v, want it refused", to, err)
		}
	}
}

// TestDeliveredOverHTTP: a server that is down for a while gets each notice in the end, each under one id.
func TestDeliveredOverHTTP(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	got := map[string]int{} // bodies by id
	calls := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if calls++; calls <= 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		got[r.Header.Get("Idempotency-Key")]++
	}))
	defer s.Close()
	h := open(t, func(c *runner.Config, _ *sqlite.Config) { c.Hook = post(t, s.URL) })
	for range 3 {
		h.buy(`{"item":"tea"}`)
	}
	defer h.deliver()()
	h.eventually("all are told", func() bool {
		h.clock.add(time.Second)
		h.Wake()
		return !h.waits()
	})
	mu.Lock()
	defer mu.Unlock()
	if len(got) != 3 || calls != 6 {
		t.Errorf("%d calls told %v", calls, got)
	}
}
