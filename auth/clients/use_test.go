package clients_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"prax/auth"
)

// present sends a request with a token.
func (w *world) present(token string) bool {
	w.t.Helper()
	_, ok := w.Authenticate(&http.Request{Header: http.Header{"Authorization": {"Bearer " + token}}})
	return ok
}

// taken are the uses since the last time, as client and token.
func (w *world) taken(tokens ...string) []string {
	var list []string
	for u := range w.Uses() {
		name := "?"
		for _, token := range tokens {
			if auth.HashToken(token) == u.Credential {
				name = token
			}
		}
		list = append(list, u.Client+" "+name)
	}
	slices.SortFunc(list, cmp.Compare)
	return list
}

// TestUses: whoever presents a token that is good is told of once, whoever asks for a client by its name or presents
// what is not good is not.
func TestUses(t *testing.T) {
	t.Parallel()
	w := open(t, file(several(element(oldToken, "")+", "+element(newToken, ""), ""), bystander,
		`{"name": "off", "user_id": "o", "token": "off-token-0123456789", "disabled": true}`,
		`{"name": "idle", "user_id": "o", "token": "idle-token-0123456789"}`))
	expect := func(what string, want ...string) {
		t.Helper()
		if diff := gocmp.Diff(want, w.taken(oldToken, newToken, byToken)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	w.Lookup(auth.HashToken("idle-token-0123456789"))
	w.ByName("idle")
	if w.present("off-token-0123456789") || w.present("unknown") {
		t.Error("admitted")
	}
	expect("nobody came")
	for range 3 {
		w.present(newToken)
	}
	w.present(byToken)
	expect("each token by itself", "alice "+newToken, "bystander "+byToken)
	expect("they are taken")
	w.NoteUse("alice")
	w.NoteUse("off")
	w.NoteUse("nobody")
	expect("what a client lent", "alice "+newToken)
	p, _ := w.Lookup(auth.HashToken(oldToken))
	w.Again(p)
	expect("a stream that goes on", "alice "+oldToken)
}

// TestUsesOutliveAReload: what was used stays known when another generation comes into force, or none; also of who is
// in it no more, or by another name.
func TestUsesOutliveAReload(t *testing.T) {
	t.Parallel()
	w := open(t, file(several(element(oldToken, "")+", "+element(newToken, ""), ""), bystander))
	w.present(oldToken)
	w.present(newToken)
	w.present(byToken)
	w.save(file(`{"name": "renamed", "user_id": "bob", "token": "`+byToken+`"}`, several(element(newToken, ""), "")))
	w.present(byToken)
	w.save(file(several(element(newToken, ""), "")))
	want := []string{"alice " + newToken, "alice " + oldToken, "bystander " + byToken, "renamed " + byToken}
	if diff := gocmp.Diff(want, w.taken(oldToken, newToken, byToken)); diff != "" {
		t.Errorf("uses (-want +got):\n%s", diff)
	}
	w.present(newToken)
	w.save("broken")
	w.clock.add(auth.Soon)
	w.Reload("test")
	if diff := gocmp.Diff([]string{"alice " + newToken}, w.taken(newToken)); diff != "" {
		t.Errorf("after the file broke (-want +got):\n%s", diff)
	}
}

// TestUsesOfMany: each of many is told of, once, wherever its row is.
func TestUsesOfMany(t *testing.T) {
	t.Parallel()
	const n = 1000
	w := open(t, many(n))
	for i := range n {
		w.present(tokenOf(i))
	}
	found := map[string]int{}
	for u := range w.Uses() {
		found[u.Client]++
	}
	for i := range n {
		if found[fmt.Sprintf("agent-%d", i)] != 1 {
			t.Errorf("agent %d is told of %d times", i, found[fmt.Sprintf("agent-%d", i)])
		}
	}
}

// TestPresentAllocatesNothing, the first time and any other.
func TestPresentAllocatesNothing(t *testing.T) {
	w := open(t, many(1000))
	requests := make([]*http.Request, 1000)
	for i := range requests {
		requests[i] = &http.Request{Header: http.Header{"Authorization": {"Bearer " + tokenOf(i)}}}
	}
	i := 0
	if n := testing.AllocsPerRun(1999, func() { w.Authenticate(requests[i%1000]); i++ }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
