package runner_test

import (
	"context"
	"testing"

	"prax/store"
	"prax/tools/runner"
)

// TestList pages through what the client may see, the newest first, without definitions that it may not use.
func TestList(t *testing.T) {
	t.Parallel()
	h := open(t)
	var want, wantFew []string
	for n := range 12 {
		definition := []string{"ticket", "board", "build"}[n%3]
		id := h.begin(agent, definition).Stored.ID
		want = append([]string{id}, want...)
		if definition != "ticket" {
			wantFew = append([]string{id}, wantFew...)
		}
	}
	for name, tt := range map[string]struct {
		by   runner.Work
		f    store.InstanceFilter
		want []string
	}{
		"all":                     {work(agent), store.InstanceFilter{}, want},
		"in pages":                {work(agent), store.InstanceFilter{Limit: 5}, want},
		"few":                     {work(few), store.InstanceFilter{Limit: 3}, wantFew},
		"of one definition":       {work(few), store.InstanceFilter{DefinitionID: "build", Limit: 1}, []string{want[0], want[3], want[6], want[9]}},
		"of one that is not used": {work(few), store.InstanceFilter{DefinitionID: "ticket"}, nil},
	} {
		var got []string
		for pages := 0; ; pages++ {
			page, err := h.List(context.Background(), tt.by, tt.f)
			if err != nil || pages > len(want) {
				t.Fatalf("%s: page %d: %v", name, pages, err)
			}
			for _, i := range page.Instances {
				got = append(got, i.ID)
			}
			if tt.f.Before = page.Next; page.Next == 0 {
				break
			}
		}
		equal(t, name, got, tt.want)
	}
}

// TestHistory is read in parts.
func TestHistory(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.begin(agent, "build")
	var got []int64
	for after := int64(0); ; {
		steps, err := h.History(context.Background(), work(agent), a.Stored.ID, after, 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(steps) == 0 {
			break
		}
		for _, s := range steps {
			got, after = append(got, s.Seq), s.Seq
		}
	}
	equal(t, "versions", got, []int64{1, 2, 3})
	steps, err := h.History(context.Background(), work(agent), a.Stored.ID, 0, 0)
	if err != nil || len(steps) != 3 {
		t.Errorf("without a limit: %d steps, %v", len(steps), err)
	}
}

// TestAcknowledge: what was shown within an instance is what its guards demand, in that instance and no other; what is
// noted already is not written again.
func TestAcknowledge(t *testing.T) {
	t.Parallel()
	h := open(t)
	a, other := h.begin(agent, "guided"), h.begin(agent, "guided")
	w := work(agent)
	writes := &changing{Store: h.db, before: func(int) {}}
	w.On = writes
	shown := a.Definition.Library["plan.all"].Hash
	for _, hash := range []string{"sha256:0", shown, shown} {
		if err := h.Acknowledge(context.Background(), w, a.Stored.ID, "plan.all", hash); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "writes", int(writes.count.Load()), 2)
	_, got := h.submit(agent, other, "go", "")
	equal(t, "another instance", got, "GUARD_REJECTED")
	h.must(agent, h.get(agent, a.Stored.ID), "go", "", "done 2")
}

// TestReadOnly: without a writer what is due is shown as it is.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.begin(agent, "late")
	h.clock.add(2 * timeout)
	w := work(agent)
	w.On = readOnly{h.db}
	b, err := h.Get(context.Background(), w, a.Stored.ID)
	equal(t, "get", outcome(b, err), "s 1 unchanged")
	equal(t, "with a writer", outcome(h.get(agent, a.Stored.ID), nil), "expired 2")
}

type readOnly struct{ store.Store }

func (readOnly) Update(context.Context, func(store.Tx) error) error { return store.ErrReadOnly }
