package runner_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"prax/auth"
	"prax/store"
	"prax/tools/runner"
)

// gates are what waits, as instance and transition.
func (h *house) gates(p auth.Principal, limit int, names map[string]string) (list []string) {
	h.Helper()
	all, err := h.Gates(context.Background(), work(p), limit)
	if err != nil {
		h.Fatal(err)
	}
	for _, g := range all {
		asked := ""
		if g.Approval != nil {
			asked = " asked"
		}
		list = append(list, fmt.Sprintf("%s %s%s after %v", names[g.Stored.ID], g.Gate.Transition.Name, asked, g.Since.Sub(morning)))
	}
	return list
}

// TestGates: what waits for a person, the oldest first, of those instances that the caller may see.
func TestGates(t *testing.T) {
	t.Parallel()
	h := open(t)
	names := map[string]string{}
	at := func(name string, a *runner.Answer) *runner.Answer {
		names[a.Stored.ID] = name
		h.clock.add(time.Minute)
		return a
	}
	sort := func(p auth.Principal) *runner.Answer {
		return h.must(p, h.begin(p, "ticket"), "classify", `{"category":"hw"}`, "sorted 2")
	}
	at("first", sort(agent))
	second := at("second", h.buy(`{"item":"tea"}`))
	at("open", h.begin(agent, "ticket"))
	at("bob's", sort(bob))
	closed := at("closed", sort(agent))
	at("last", sort(agent))
	h.must(person, closed, "approve", "", "closed 3")
	gone := at("cancelled", sort(agent))
	if _, err := h.Cancel(context.Background(), work(agent), gone.Stored.ID, ""); err != nil {
		t.Fatal(err)
	}

	want := []string{"first approve after 0s", "second buy asked after 1m0s", "last approve after 5m0s"}
	for name, by := range map[string]*house{"warm": h, "cold": h.restart(), "nothing in force": h.without()} {
		equal(t, name, by.gates(person, 0, names), want)
	}
	equal(t, "who oversees", h.gates(boss, 0, names), want)
	equal(t, "two of them", h.gates(person, 2, names), want[:2])
	equal(t, "bob's", h.gates(bob, 0, names), []string{"bob's approve after 3m0s"})
	equal(t, "of orders only", h.gates(granting(person, "order"), 0, names), want[1:2])
	h.clock.add(store.ApprovalLife)
	equal(t, "when nobody answered the question in time", h.gates(person, 0, names), []string{want[0], want[2]})
	h.must(agent, second, "leave", "", "left 3")
}
