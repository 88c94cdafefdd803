package clients_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/auth/clients"
)

// entryUntil is an entry of this name that expires at a time.
func entryUntil(name string, at time.Time, members string) string {
	return `{"name": "` + name + `", "user_id": "u", "token": "` + name + `-token-0123456789", "expires_at": "` + at.Format(time.RFC3339Nano) + `"` + members + `}`
}

// TestExpiring: who is in and will be out within the time, the next one first, and nobody else.
func TestExpiring(t *testing.T) {
	t.Parallel()
	w := open(t, file(
		entryUntil("later", noon.Add(2*time.Hour), ""), bystander, entryUntil("b", noon.Add(time.Hour), ""), entryUntil("a", noon.Add(time.Hour), ""),
		entryUntil("past", noon, ""), entryUntil("edge", noon.Add(3*time.Hour), ""), entryUntil("beyond", noon.Add(3*time.Hour+1), ""),
		entryUntil("off", noon.Add(time.Hour), `, "disabled": true`), entryUntil("refused", noon.Add(time.Hour), `, "allow": 5`),
	), withSingle(clients.Single{Token: singleToken, UserID: "u", ExpiresAt: noon.Add(30 * time.Minute).Format(time.RFC3339)}))
	at := func(name string, in time.Duration) clients.Expiring {
		return clients.Expiring{Client: name, At: noon.Add(in)}
	}
	want := []clients.Expiring{
		at("default", 30*time.Minute), at("a", time.Hour), at("b", time.Hour), at("later", 2*time.Hour), at("edge", 3*time.Hour),
	}
	if diff := cmp.Diff(want, w.Expiring(3*time.Hour)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	w.clock.add(time.Hour)
	if diff := cmp.Diff([]clients.Expiring{at("later", 2*time.Hour)}, w.Expiring(time.Hour)); diff != "" {
		t.Errorf("an hour later (-want +got):\n%s", diff)
	}
	w.save(file(bystander))
	if list := w.Expiring(auth.Soon); len(list) != 0 {
		t.Errorf("of a file without an expiry: %v", list)
	}
}

// TestExpiringNobodyWithoutEnforcement: an expiry that puts nobody out is worth no warning.
func TestExpiringNobodyWithoutEnforcement(t *testing.T) {
	t.Parallel()
	w := open(t, file(entryUntil("a", noon.Add(time.Hour), "")), func(c *clients.Config) { c.IgnoreExpiry = true })
	if list := w.Expiring(auth.Soon); len(list) != 0 {
		t.Errorf("%v", list)
	}
}

// TestRemindsOnceADay: the log names who expires soon, once a day and for as long as it is so.
func TestRemindsOnceADay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := &lockedBuffer{}
		single := &clients.Single{Token: singleToken, UserID: "u", ExpiresAt: time.Now().Add(8*24*time.Hour + time.Minute).Format(time.RFC3339)}
		r, err := clients.Open(clients.Config{Single: single}, nil, slog.New(slog.NewTextHandler(log, nil)), nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- r.Run(ctx) }()
		for day, want := range []int{0, 0, 1, 2, 3, 4, 5, 6, 7, 7} { // the eighth day it has a minute left, the ninth it is out
			if day > 0 {
				time.Sleep(24 * time.Hour)
			}
			synctest.Wait()
			if got := strings.Count(log.String(), "client expires soon"); got != want {
				t.Fatalf("day %d: reminded %d times, want %d\n%s", day, got, want, log.String())
			}
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
