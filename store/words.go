package store

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Word is one term of a search index or of a query.
type Word struct {
	Text   string // folded; letters, digits and CJK only: never query syntax
	Prefix bool   // of a query: match every word that starts with Text
}

// Matches tells whether a token of a text is this word.
func (w Word) Matches(token string) bool {
	if w.Prefix {
		return strings.HasPrefix(token, w.Text)
	}
	return token == w.Text
}

// The bounds of one word and of one query. A longer word is cut, in the index and in the query
// alike, so that it is still found.
const (
	MaxWordBytes  = 64
	MaxQueryWords = 32
)

// Tokens are the words of a text for an index, in order, repetitions included: folded by case and
// by the diacritics of Latin, Greek, Cyrillic, Hebrew and Arabic. Scripts that are written without
// blanks give every character and every pair of neighbours, so that a query of one or two
// characters finds them. A word with apostrophes gives its parts and the whole without them.
func Tokens(text string) []string {
	var tokens []string
	for run := range runs(text) {
		switch {
		case run.dense:
			tokens = appendDense(tokens, run.word)
		case run.joined:
			tokens = append(append(tokens, run.parts...), cut(run.word))
		default:
			tokens = append(tokens, cut(run.word))
		}
	}
	return tokens
}

// QueryWords are the words that a query looks for: those of [Tokens], each once, at most
// MaxQueryWords of them. The last one matches as a prefix, as somebody types it.
func QueryWords(text string) []Word {
	var words []Word
	seen := map[Word]bool{}
	add := func(w Word) {
		if !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	last := Word{}
	for run := range runs(text) {
		if len(words) >= MaxQueryWords {
			break
		}
		last = Word{}
		if run.dense {
			for _, pair := range pairs(run.word) {
				add(Word{Text: pair})
			}
			continue
		}
		last = Word{Text: cut(run.word)}
		add(last)
	}
	words = words[:min(len(words), MaxQueryWords)]
	if n := len(words); n > 0 && words[n-1] == last {
		words[n-1].Prefix = true
	}
	return words
}

// run is a stretch of text without a separator, folded.
type run struct {
	word   string   // apostrophes left out
	parts  []string // what stood between apostrophes, when joined
	joined bool
	dense  bool // of a script that is written without blanks
}

// runs yields the stretches of a text.
func runs(text string) func(func(run) bool) {
	return func(yield func(run) bool) {
		var r reader
		for _, c := range text {
			if c == utf8.RuneError {
				c = ' ' // invalid bytes separate: they are in no query either
			}
			if done := r.take(c); done != nil && !yield(*done) {
				return
			}
		}
		if done := r.end(); done != nil {
			yield(*done)
		}
	}
}

// reader collects one run at a time.
type reader struct {
	word  []byte
	marks []int // where in word an apostrophe stood
	dense bool
}

// take reads one character, and returns the run that it ended, if it did.
func (r *reader) take(c rune) *run {
	if ignored(c) {
		return nil
	}
	if apostrophe(c) && len(r.word) > 0 && !r.dense {
		r.marks = append(r.marks, len(r.word))
		return nil
	}
	if !unicode.In(c, unicode.L, unicode.M, unicode.N) {
		return r.end()
	}
	var done *run
	dense := unicode.In(c, denseScripts...)
	if len(r.word) > 0 && dense != r.dense && !unicode.Is(unicode.M, c) {
		done = r.end()
	}
	if len(r.word) == 0 {
		r.dense = dense
	}
	r.word = appendFolded(r.word, c)
	return done
}

// end closes the run.
func (r *reader) end() *run {
	if len(r.word) == 0 {
		r.marks = r.marks[:0]
		return nil
	}
	done := &run{word: string(r.word), dense: r.dense}
	done.parts = split(done.word, r.marks)
	done.joined = len(done.parts) > 1
	r.word, r.marks = r.word[:0], r.marks[:0]
	return done
}

func split(word string, marks []int) []string {
	var parts []string
	from := 0
	for _, at := range append(marks, len(word)) {
		if at > from {
			parts = append(parts, cut(word[from:at]))
			from = at
		}
	}
	return parts
}

// appendDense adds every character and every pair of neighbours.
func appendDense(tokens []string, word string) []string {
	previous := ""
	for i, c := range word {
		one := word[i : i+utf8.RuneLen(c)]
		if previous != "" {
			tokens = append(tokens, previous+one)
		}
		tokens = append(tokens, one)
		previous = one
	}
	return tokens
}

// pairs are a dense run's pairs of neighbours, or its one character.
func pairs(word string) []string {
	var all []string
	previous := ""
	for i, c := range word {
		one := word[i : i+utf8.RuneLen(c)]
		if previous != "" {
			all = append(all, previous+one)
		}
		previous = one
	}
	if len(all) == 0 {
		all = append(all, previous)
	}
	return all
}

// cut bounds a word, between characters.
func cut(word string) string {
	if len(word) <= MaxWordBytes {
		return word
	}
	end := MaxWordBytes
	for !utf8.RuneStart(word[end]) {
		end--
	}
	return word[:end]
}
