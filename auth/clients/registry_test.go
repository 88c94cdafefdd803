package clients_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/auth/clients"
)

func bearer(values ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	r.Header["Authorization"] = values
	return r
}

// TestAuthenticate: one header with one token, the scheme in any case.
func TestAuthenticate(t *testing.T) {
	t.Parallel()
	w := open(t, file(alice("")))
	tests := []struct {
		name   string
		values []string
		want   bool
	}{
		{"as it should be", []string{"Bearer " + aliceToken}, true},
		{"another case", []string{"bearer " + aliceToken}, true},
		{"blanks", []string{"Bearer  " + aliceToken + " "}, true},
		{"none", nil, false},
		{"unknown", []string{"Bearer nobody"}, false},
		{"basic", []string{"Basic " + aliceToken}, false},
		{"two headers", []string{"Bearer " + aliceToken, "Bearer " + aliceToken}, false},
		{"no token", []string{"Bearer "}, false},
		{"a megabyte", []string{"Bearer " + strings.Repeat("x", 1<<20)}, false},
		{"the hash", []string{"Bearer " + hashOf(aliceToken)}, false},
	}
	for _, tt := range tests {
		if p, ok := w.Authenticate(bearer(tt.values...)); ok != tt.want || ok && p.Client != "alice" {
			t.Errorf("%s: %t %q, want %t", tt.name, ok, p.Client, tt.want)
		}
	}
	inURL := bearer()
	inURL.URL.RawQuery = "token=" + aliceToken + "&access_token=" + aliceToken
	if _, ok := w.Authenticate(inURL); ok {
		t.Error("a token in the URL is taken")
	}
}

// TestLaw3TheFileDecides: each edit is in force at the next lookup, for whoever held a principal too, and
// the one beside it keeps what it had.
func TestLaw3TheFileDecides(t *testing.T) {
	t.Parallel()
	w := open(t, file(alice(`"allow": ["memory_recall"]`), bystander))
	p, _ := w.Lookup(auth.HashToken(aliceToken))
	steps := []struct {
		name  string
		entry string
		live  bool
		user  string
		allow []string
	}{
		{"narrow", alice(`"allow": []`), true, "alice", nil},
		{"widen", alice(`"allow": ["memory_recall", "memory_remember"]`), true, "alice", []string{"memory_recall", "memory_remember"}},
		{"another user", strings.Replace(alice(`"allow": []`), `"user_id": "alice"`, `"user_id": "carol"`, 1), true, "carol", nil},
		{"disable", alice(`"disabled": true`), false, "", nil},
		{"enable", alice(`"disabled": false, "allow": []`), true, "alice", nil},
		{"rotate", strings.Replace(alice(""), aliceToken, "another-token-0123456789", 1), false, "", nil},
		{"back", alice(`"allow": []`), true, "alice", nil},
		{"remove", `{"name": "x", "user_id": "x", "token": "x-token-0123456789"}`, false, "", nil},
	}
	for _, step := range steps {
		changed := w.Changed()
		if report := w.save(file(step.entry, bystander)); !report.OK || report.Unchanged {
			t.Fatalf("%s: %+v", step.name, report)
		}
		select {
		case <-changed:
		default:
			t.Errorf("%s: nobody was told", step.name)
		}
		again, ok := w.Again(p)
		if ok != step.live || again.User != step.user {
			t.Errorf("%s: admitted %t as %q, want %t as %q", step.name, ok, again.User, step.live, step.user)
		}
		if diff := cmp.Diff(step.allow, again.Allow.Sorted()); ok && diff != "" {
			t.Errorf("%s: allow (-want +got):\n%s", step.name, diff)
		}
		w.want(byToken, true)
	}
}

// TestUnchanged: reading the same file again is no generation.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	w := open(t, file(alice("")))
	before, changed := w.Status(), w.Changed()
	if report := w.Reload("again"); !report.Unchanged || !report.OK {
		t.Errorf("report %+v", report)
	}
	if after := w.Status(); after.Generation != before.Generation || len(w.changes) != 1 {
		t.Errorf("generation %d after %d, %d changes", after.Generation, before.Generation, len(w.changes))
	}
	select {
	case <-changed:
		t.Error("it counts as changed")
	default:
	}
	w.save(file(alice(""), bystander))
	if after := w.Status(); after.Generation != before.Generation+1 {
		t.Errorf("generation %d after %d", after.Generation, before.Generation)
	}
}

// TestChanges: the hook is told what an audit must know.
func TestChanges(t *testing.T) {
	t.Parallel()
	names := func(n ...string) clients.Names { return clients.Names{Total: len(n), First: n} }
	w := open(t, file(alice(""), bystander))
	want := func(step string, c clients.Change) {
		t.Helper()
		got := w.lastChange()
		if got.OK && got.Digest != w.Status().Digest {
			t.Errorf("%s: digest %q, in force %q", step, got.Digest, w.Status().Digest)
		}
		if !got.OK && got.Failure == "" {
			t.Errorf("%s: no failure told", step)
		}
		if got.Clients > 0 && got.Bytes <= 0 {
			t.Errorf("%s: clients take %d bytes", step, got.Bytes)
		}
		got.Digest, got.Failure, got.Generation, got.Time, got.Warnings, got.Bytes = "", "", 0, noon, 0, 0
		c.Time = noon
		if diff := cmp.Diff(c, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step, diff)
		}
	}
	want("start", clients.Change{Reason: "start", OK: true, Clients: 2, Added: names("alice", "bystander")})
	w.save(file(alice(`"allow": []`), `{"name": "carol", "user_id": "c", "token": "carol-token-0123456789"}`, `5`))
	want("edit", clients.Change{Reason: "test", OK: true, Clients: 2, Errors: 1,
		Added: names("carol"), Changed: names("alice"), Revoked: names("bystander")})
	w.save("{bad")
	want("broken", clients.Change{Reason: "test", Clients: 2, Errors: 1})
	told := len(w.changes)
	w.save("{bad")
	if len(w.changes) != told {
		t.Error("the same failure is told twice")
	}
	w.clock.add(grace)
	w.Reload("test")
	want("grace over", clients.Change{Reason: "grace over", Errors: 1, Revoked: names("alice", "carol")})
	w.save(file(bystander))
	want("mended", clients.Change{Reason: "test", OK: true, Clients: 1, Added: names("bystander")})
}

// TestByName is exactly that client, or nobody.
func TestByName(t *testing.T) {
	t.Parallel()
	w := open(t, file(alice(`"allow": []`), bystander, `{"name": "zoe", "user_id": "z", "token": "zoe-token-0123456789", "disabled": true}`))
	byToken, _ := w.Lookup(auth.HashToken(aliceToken))
	byName, ok := w.ByName("alice")
	if !ok || byName != byToken {
		t.Errorf("by name %+v, by token %+v", byName, byToken)
	}
	for _, name := range []string{"", "ALICE", "alic", "alicex", "zoe", "nobody"} {
		if p, ok := w.ByName(name); ok {
			t.Errorf("%q is %+v", name, p)
		}
	}
}

// TestConcurrentReaders: lookups while the file changes see one generation or the other, never a mixture,
// and never lose a client that is in both.
func TestConcurrentReaders(t *testing.T) {
	t.Parallel()
	even := file(alice(`"allow": ["memory_recall"], "roles": ["even"]`), bystander)
	odd := strings.Replace(file(alice(`"allow": ["memory_remember"], "roles": ["odd"]`), bystander), `"alice",`, `"alicia",`, 1)
	w := open(t, even)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				p, ok := w.Lookup(auth.HashToken(aliceToken))
				if !ok || p.Roles.Has("even") != p.Allow.Has("memory_recall") || p.Roles.Has("odd") != (p.Client == "alicia") {
					t.Errorf("admitted %t: %+v", ok, p)
					return
				}
				_ = w.Status()
				<-closedOrOpen(w.Changed())
			}
		})
	}
	for i := range 200 {
		if w.save([]string{even, odd}[i%2]); t.Failed() {
			break
		}
	}
	close(stop)
	wg.Wait()
}

// closedOrOpen is closed whatever c is: it only touches c as a reader does.
func closedOrOpen(c <-chan struct{}) <-chan struct{} {
	select {
	case <-c:
	default:
	}
	done := make(chan struct{})
	close(done)
	return done
}

// TestStatusWaitsForNobody: a hook that takes its time, as one that writes to a full disk does, keeps neither
// lookups nor the status waiting.
func TestStatusWaitsForNobody(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}, 1), make(chan struct{})
	var slow atomic.Bool
	w := open(t, file(alice("")), func(c *clients.Config) {
		c.OnReload = func(clients.Change) {
			if slow.Load() {
				begun <- struct{}{}
				<-release
			}
		}
	})
	slow.Store(true)
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.save(file(bystander))
	}()
	<-begun
	w.want(aliceToken, false)
	w.want(byToken, true)
	if s := w.Status(); !s.OK || s.Clients != 1 {
		t.Errorf("status %+v", s)
	}
	close(release)
	<-done
}

// TestOpenRefusesNonsense: a behaviour that does not exist must not turn into one.
func TestOpenRefusesNonsense(t *testing.T) {
	t.Parallel()
	if _, err := clients.Open(clients.Config{OnError: 7}, nil, nil, nil); err == nil {
		t.Error("an unknown behaviour is accepted")
	}
}
