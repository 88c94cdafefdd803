package lexicon_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"prax/auth"
	"prax/store"
	"prax/tools/lexicon"
)

// all is everything that somebody can learn of the lexicon.
func (h *house) all(p auth.Principal, names []string) string {
	h.Helper()
	var b strings.Builder
	h.look(func(tx store.Tx) error {
		hits, err := h.Search(tx, p, lexicon.Query{Limit: lexicon.MaxHits})
		for _, e := range hits {
			fmt.Fprintln(&b, e.Term, asJSON(h.T, e))
		}
		pending, waits, err2 := h.Pending(tx, p, names)
		embedded, err3 := h.Embed(tx, p, names, true)
		fmt.Fprintln(&b, err, pending, waits, err2, embedded, err3)
		for _, name := range names {
			e, found, err := h.Lookup(tx, p, name)
			candidates, err2 := h.Candidates(tx, p, name, "")
			history, err3 := h.History(tx, p, name)
			fmt.Fprintln(&b, name, asJSON(h.T, e), found, err, candidates, err2, len(history), err3, code(h.May(tx, p, name)))
			// Within a View these are judged and not done.
			_, err = h.Define(tx, p, name, lexicon.Draft{Short: "x"}, morning)
			_, err2 = h.AddAlias(tx, p, name, []string{"a", "b-own"}, morning)
			_, err3 = h.CancelPending(tx, p, name, morning)
			fmt.Fprintln(&b, err, err2, err3)
		}
		return nil
	})
	return b.String()
}

// TestLaw9 shows a user nothing of what another one does, however it asks.
func TestLaw9(t *testing.T) {
	t.Parallel()
	h := open(t)
	_, err := h.send(bob, "b-own", `{"definition_short":"Of bob."}`)
	equal(t, "define", "", code(err))
	names := []string{"order-line", "order-lines", "basket", "Invoice", "a", "aa", "c", "b-own", "hidden-subject"}
	watchers := []auth.Principal{bob, bobAgent, overseer, operator}
	before := map[string]string{}
	for _, p := range watchers {
		before[p.Client] = h.all(p, names)
	}
	rapid.Check(t, func(rt *rapid.T) {
		p := rapid.SampledFrom([]auth.Principal{agent, person}).Draw(rt, "by")
		term, other := rapid.SampledFrom(names).Draw(rt, "term"), rapid.SampledFrom(names).Draw(rt, "other")
		switch rapid.IntRange(0, 2).Draw(rt, "act") {
		case 0:
			_, _ = h.send(p, term, `{"definition_short":"Of alice.","governance":"agent-may-propose","boundedContext":"`+rapid.SampledFrom([]string{"", "shop"}).Draw(rt, "context")+`"}`)
		case 1:
			_, _ = h.send(p, term, `{"aliases_add":["`+other+`"]}`)
		case 2:
			_ = h.cancel(p, term)
		}
	})
	if h.all(agent, names) == h.all(bobAgent, names) {
		t.Error("alice did nothing")
	}
	for _, p := range watchers {
		got := h.all(p, names)
		if p.Client == operator.Client { // whose history is that of all users
			continue
		}
		equal(t, p.Client, before[p.Client], got)
	}
}

// TestRaces has one winner for one name: however many add it to different terms, one has it.
func TestRaces(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, term := range []string{"one", "two"} {
		_, err := h.send(person, term, `{"definition_short":"x"}`)
		equal(t, "define", "", code(err))
	}
	var wait sync.WaitGroup
	codes := make([]string, 40)
	for i := range codes {
		term := []string{"one", "two"}[i%2]
		wait.Go(func() {
			_, err := h.send(person, term, fmt.Sprintf(`{"aliases_add":["shared","own-%d"]}`, i))
			codes[i] = term + " " + code(err)
		})
	}
	wait.Wait()
	won := strings.Fields(h.means(person, "shared"))[0]
	lost := map[string]string{"one": "two", "two": "one"}[won]
	slices.Sort(codes)
	equal(t, "answers", sorted([]string{lost + " LEXICON_ALIAS_COLLISION", won + " "}), slices.Compact(codes))
	h.look(func(tx store.Tx) error {
		winners, err := h.History(tx, person, won)
		equal(t, "versions of the winner", 21, len(winners))
		losers, _ := h.History(tx, person, lost)
		equal(t, "versions of the loser", 1, len(losers))
		return err
	})
}

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }

// model is the lexicon of one person as a map: the meanings by term, and the terms by every name.
type model struct {
	short map[string]string
	names map[string]string
}

// TestAgainstAMap defines and gives aliases at random, and finds by every name what a map says.
func TestAgainstAMap(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.Configure([]lexicon.Entry{entry("a", `{"definition_short":"file","aliases":["aa"]}`)}, nil)
	words := []string{"a", "aa", "b", "bb", "c", "cc", "ä"}
	users := 0
	rapid.Check(t, func(rt *rapid.T) {
		users++
		p := auth.Principal{Client: "c", User: fmt.Sprintf("user-%d", users), Roles: auth.Names("human")}
		m := model{map[string]string{"a": "file"}, map[string]string{"a": "a", "aa": "a"}}
		var steps []step
		for i := range rapid.IntRange(1, 8).Draw(rt, "steps") {
			word := rapid.SampledFrom(words)
			steps = append(steps, step{word.Draw(rt, "term"), word.Draw(rt, "alias"), rapid.Bool().Draw(rt, "define"), fmt.Sprint(i)})
		}
		err := h.db.Update(t.Context(), func(tx store.Tx) error { // once: nobody else writes
			for _, s := range steps {
				if err := m.take(s, h, tx, p); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			rt.Fatal(err)
		}
		h.look(func(tx store.Tx) error {
			for _, word := range words {
				e, found, err := h.Lookup(tx, p, word)
				term, known := m.names[word]
				if err != nil || found != known || e.Term != term || e.Short != m.short[term] {
					rt.Fatalf("%s: %+v, %v, %v; want %q %q", word, e, found, err, term, m.short[term])
				}
			}
			hits, err := h.Search(tx, p, lexicon.Query{Limit: 100})
			var terms []string
			for _, e := range hits {
				terms = append(terms, e.Term)
			}
			if d := cmp.Diff(slices.Sorted(maps.Keys(m.short)), sorted(terms)); d != "" {
				rt.Fatal(d)
			}
			return err
		})
	})
}

// step is a definition, or an alias.
type step struct {
	term, alias string
	define      bool
	text        string
}

// take has the lexicon and the map take a step, and compares their answers.
func (m model) take(s step, h *house, tx store.Tx, p auth.Principal) error {
	want := ""
	by, is := m.names[s.term]
	if s.define {
		if is && by != s.term {
			want = "LEXICON_ALIAS_COLLISION"
		} else {
			m.short[s.term], m.names[s.term] = s.text, s.term
		}
		_, err := h.Define(tx, p, s.term, lexicon.Draft{Short: s.text}, morning)
		return unlike(s, err, want)
	}
	target, known := by, is
	by, is = m.names[s.alias]
	switch {
	case !known:
		want = "LEXICON_ENTRY_NOT_FOUND"
	case is && (by != target || s.alias == target):
		want = "LEXICON_ALIAS_COLLISION"
	default:
		m.names[s.alias] = target
	}
	_, err := h.AddAlias(tx, p, s.term, []string{s.alias}, morning)
	return unlike(s, err, want)
}

func unlike(s step, err error, want string) error {
	if code(err) == want {
		return nil
	}
	return fmt.Errorf("%+v: %v, want %q", s, err, want)
}
