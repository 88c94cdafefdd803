package lexicon

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"prax/auth"
	"prax/store"
)

// MaxCandidates is how many terms are offered for an unknown subject.
const MaxCandidates = 5

// maxPreview bounds the preview of a definition, in characters.
const maxPreview = 100

// Match says in what way a candidate is like the subject.
type Match string

// The matches, the better ones first.
const (
	Exact      Match = "exact"       // the term, but for case
	Alias      Match = "alias"       // an alias, but for case
	FuzzyClose Match = "fuzzy_close" // one character away
	FuzzyLoose Match = "fuzzy_loose" // two
)

// rank orders matches.
func (m Match) rank() int { return slices.Index([]Match{Exact, Alias, FuzzyClose, FuzzyLoose}, m) }

// Candidate is a term that an unknown subject could be meant for.
type Candidate struct {
	Term     string `json:"term"`
	Distance int    `json:"distance"` // insertions, deletions and replacements of characters
	Match    Match  `json:"match_kind"`
	Preview  string `json:"definition_preview"` // the first characters of the definition
}

// Candidates are the terms of the caller's user that are most like a subject, the best first, within a bounded
// context where one is given.
func (l *Lexicon) Candidates(tx store.Terms, p auth.Principal, subject, context string) ([]Candidate, error) {
	v, err := l.view(tx, p.Scope(), p.User)
	if err != nil {
		return nil, err
	}
	found, folded := []Candidate{}, []rune(fold(subject))
	v.all(func(e Entry) bool {
		if e.resolved() && (context == "" || e.Context == context) {
			if c, is := e.like(folded); is {
				found = append(found, c)
			}
		}
		return true
	})
	slices.SortFunc(found, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(a.Match.rank(), b.Match.rank()), cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Term, b.Term))
	})
	return found[:min(len(found), MaxCandidates)], nil
}

// like tells in what way the entry is like a subject, which is folded already.
func (e Entry) like(subject []rune) (Candidate, bool) {
	c := Candidate{Term: e.Term, Preview: preview(e.Short)}
	c.Distance = distance([]rune(fold(e.Term)), subject)
	switch {
	case c.Distance == 0:
		c.Match = Exact
	case e.called(string(subject)):
		c.Match, c.Distance = Alias, 0
	case c.Distance == 1:
		c.Match = FuzzyClose
	case c.Distance == 2:
		c.Match = FuzzyLoose
	default:
		return Candidate{}, false
	}
	return c, true
}

// preview cuts a definition short. It ends in an ellipsis when something is missing.
func preview(text string) string {
	if utf8.RuneCountInString(text) <= maxPreview {
		return text
	}
	return string([]rune(text)[:maxPreview-1]) + "…"
}

// tooFar is the distance of what is no candidate.
const tooFar = 3

// distance is that of Levenshtein, tooFar at most. Where it cannot be below, nothing is compared.
func distance(a, b []rune) int {
	if len(a)-len(b) >= tooFar || len(b)-len(a) >= tooFar {
		return tooFar
	}
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i, from := range a {
		diagonal, least := last[0], i+1
		last[0] = i + 1
		for j, to := range b {
			replaced := diagonal
			if from != to {
				replaced++
			}
			diagonal = last[j+1]
			last[j+1] = min(replaced, last[j]+1, last[j+1]+1)
			least = min(least, last[j+1])
		}
		if least >= tooFar {
			return tooFar
		}
	}
	return min(last[len(b)], tooFar)
}
