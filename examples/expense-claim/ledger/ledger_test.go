package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// alone makes each request on a connection of its own: on one that was used before, Go itself sends a request with an
// Idempotency-Key once more when the answer is lost.
var alone = &http.Transport{DisableKeepAlives: true}

// post is the status of a posting; 0 when there is no answer.
func post(t *testing.T, url, key, body string) int {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Idempotency-Key", key)
	resp, err := alone.RoundTrip(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

func list(t *testing.T, url string) (entries []entry) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.UnmarshalRead(resp.Body, &entries); err != nil {
		t.Fatal(err)
	}
	return entries
}

// TestTrouble: a refusal, a lost answer, then the answer; booked is it once.
func TestTrouble(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(newLedger(true))
	defer server.Close()
	book := server.URL + "/payments"
	if found := list(t, book); len(found) > 0 {
		t.Fatalf("a new book has %v", found)
	}
	for i, want := range []struct{ status, booked int }{{503, 0}, {0, 1}, {200, 1}, {200, 1}} {
		if got := post(t, book, "a", `{"amount":1}`); got != want.status {
			t.Errorf("request %d: status %d, want %d", i+1, got, want.status)
		}
		if got := len(list(t, book)); got != want.booked {
			t.Errorf("request %d: %d are booked, want %d", i+1, got, want.booked)
		}
	}
	want := []entry{{Number: 1, Key: "a", Requests: 4, Posted: []byte(`{"amount":1}`)}}
	if diff := cmp.Diff(want, list(t, book)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRefusals: what has no key, is no JSON, or is something else than came first with its key is not booked.
func TestRefusals(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(newLedger(false))
	defer server.Close()
	book := server.URL + "/payments"
	for _, test := range []struct {
		key, body string
		want      int
	}{
		{"a", `{"amount":1}`, 200},
		{"a", `{"amount":2}`, 422},
		{"", `{"amount":1}`, 400},
		{"b", `{"amount":`, 400},
		{"b", `"` + strings.Repeat("x", 64<<10) + `"`, 400},
	} {
		if got := post(t, book, test.key, test.body); got != test.want {
			t.Errorf("%q with %.20q: status %d, want %d", test.key, test.body, got, test.want)
		}
	}
	if found := list(t, book); len(found) != 1 || found[0].Requests != 1 {
		t.Errorf("booked are %v, want the first", found)
	}
}

// TestOnceAKeyUnderLoad: as many are booked as there are keys, numbered without a gap.
func TestOnceAKeyUnderLoad(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(newLedger(false))
	defer server.Close()
	const keys, each = 5, 8
	var all sync.WaitGroup
	for i := range keys * each {
		all.Go(func() { post(t, server.URL+"/payments", fmt.Sprint(i%keys), `{}`) })
	}
	all.Wait()
	seen := map[int]bool{}
	for _, e := range list(t, server.URL+"/payments") {
		seen[e.Number] = true
		if e.Requests != each {
			t.Errorf("%s came %d times, want %d", e.Key, e.Requests, each)
		}
	}
	for n := range keys {
		if !seen[n+1] || len(seen) != keys {
			t.Fatalf("numbers %v, want 1 to %d", seen, keys)
		}
	}
}
