package lexicon_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"prax/store"
	"prax/tools/lexicon"
)

// TestCandidates are the terms that are most like a subject.
func TestCandidates(t *testing.T) {
	t.Parallel()
	h := open(t)
	for term, text := range map[string]string{
		"evidence-pack": `{"definition_short":"` + strings.Repeat("é", 101) + `"}`,
		"evidence-back": `{"definition_short":"` + strings.Repeat("é", 100) + `"}`,
		"proof":         `{"definition_short":"Proof.","boundedContext":"law"}`,
	} {
		_, err := h.send(person, term, text)
		equal(t, "define", "", code(err))
	}
	_, err := h.send(person, "proof", `{"aliases_add":["evidence-peck"]}`)
	equal(t, "alias", "", code(err))
	for _, tt := range []struct {
		subject, context, want string
	}{
		{"order-lines", "", "order-line 1 fuzzy_close"},
		{"order-lines", "shop", "order-line 1 fuzzy_close"},
		{"order-lines", "law", ""},
		{"rder-lines", "", "order-line 2 fuzzy_loose"},
		{"rder-liness", "", ""},
		{"ORDER-ITEM", "", "order-line 0 alias"},
		{"Basket", "", "basket 0 exact"},
		{"evidence-peck", "", "proof 0 alias, evidence-pack 1 fuzzy_close, evidence-back 2 fuzzy_loose"},
		{"evidence-rack", "", "evidence-back 1 fuzzy_close, evidence-pack 1 fuzzy_close"},
		{"b\u0430sket", "", "basket 1 fuzzy_close"},
		{"", "", ""},
		{strings.Repeat("x", 1<<20), "", ""},
	} {
		h.look(func(tx store.Tx) error {
			found, err := h.Candidates(tx, agent, tt.subject, tt.context)
			var got []string
			for _, c := range found {
				got = append(got, fmt.Sprintf("%s %d %s", c.Term, c.Distance, c.Match))
				if n := utf8.RuneCountInString(c.Preview); n > 100 || c.Preview == "" {
					t.Errorf("%s: a preview of %d characters", c.Term, n)
				}
				equal(t, c.Term+" is cut", c.Term == "evidence-pack", strings.HasSuffix(c.Preview, "…"))
			}
			equal(t, fmt.Sprintf("%.20q in %q", tt.subject, tt.context), tt.want, strings.Join(got, ", "))
			return err
		})
	}
	h.look(func(tx store.Tx) error {
		found, err := h.Candidates(tx, bob, "evidence-pack", "")
		equal(t, "bob", 0, len(found))
		return err
	})
}

// TestFiveCandidates are the most, the best first.
func TestFiveCandidates(t *testing.T) {
	t.Parallel()
	h := open(t)
	var many []lexicon.Entry
	for _, c := range "zyxwvutsrqponm" {
		many = append(many, entry("wor"+string(c), `{"definition_short":"x"}`))
	}
	many = append(many, entry("WORD", `{"definition_short":"x"}`), entry("pending-one", `{"state":"PENDING_DEFINITION"}`))
	h.Configure(many, nil)
	h.look(func(tx store.Tx) error {
		found, err := h.Candidates(tx, agent, "word", "")
		var got []string
		for _, c := range found {
			got = append(got, c.Term)
		}
		equal(t, "candidates", "WORD worm worn woro worp", strings.Join(got, " "))
		found, _ = h.Candidates(tx, agent, "pending-one", "")
		equal(t, "a pending one", 0, len(found))
		return err
	})
}

// levenshtein is the definition of the distance, without care for its cost.
func levenshtein(a, b []rune) int {
	switch {
	case len(a) == 0:
		return len(b)
	case len(b) == 0:
		return len(a)
	case a[0] == b[0]:
		return levenshtein(a[1:], b[1:])
	}
	return 1 + min(levenshtein(a[1:], b), levenshtein(a, b[1:]), levenshtein(a[1:], b[1:]))
}

// TestDistance compares candidates with the definition of the distance.
func TestDistance(t *testing.T) {
	t.Parallel()
	h := open(t)
	word := rapid.StringOfN(rapid.RuneFrom([]rune("abé")), 1, 6, -1)
	rapid.Check(t, func(rt *rapid.T) {
		term, subject := word.Draw(rt, "term"), word.Draw(rt, "subject")
		l := lexicon.New([]lexicon.Entry{entry(term, `{"definition_short":"x"}`)}, nil)
		want := levenshtein([]rune(term), []rune(subject))
		h.look(func(tx store.Tx) error {
			found, err := l.Candidates(tx, agent, subject, "")
			switch {
			case want > 2 && len(found) > 0, want <= 2 && len(found) != 1:
				rt.Errorf("%q to %q is %d: %v", term, subject, want, found)
			case want <= 2 && found[0].Distance != want:
				rt.Errorf("%q to %q is %d: %v", term, subject, want, found)
			}
			return err
		})
	})
}
