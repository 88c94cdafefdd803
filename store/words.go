package store

import (
	"iter"
	"slices"
	"strings"
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
func Tokens(text string) []string { return slices.Collect(eachToken(text)) }

// EachWord yields what [Document.Words] lists, for those who need no list: a large document has tens
// of thousands.
func (d Document) EachWord() iter.Seq[string] {
	texts := append([]string{d.Title, d.Body}, d.Tags...)
	if d.Kind != Conversation {
		texts = append(texts, d.Key)
	}
	return func(yield func(string) bool) {
		for _, text := range texts {
			for token := range eachToken(text) {
				if !yield(token) {
					return
				}
			}
		}
	}
}

// eachToken yields the tokens of a text.
func eachToken(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for run := range runs(text) {
			switch {
			case run.dense:
				if !eachDense(run.word, yield) {
					return
				}
				continue
			case run.joined:
				for _, part := range run.parts {
					if !yield(part) {
						return
					}
				}
			}
			if !yield(cut(run.word)) {
				return
			}
		}
	}
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
func runs(text string) iter.Seq[run] {
	return func(yield func(run) bool) {
		r := reader{letters: letters()}
		r.text.Grow(len(text))
		for _, c := range text {
			if c == utf8.RuneError {
				c = ' ' // invalid bytes separate: they are in no query either
			}
			if done, ended := r.take(c); ended && !yield(done) {
				return
			}
		}
		if done, ended := r.end(); ended {
			yield(done)
		}
	}
}

// reader collects one run at a time. All runs are parts of one string: the words of a document are
// computed while others wait, so a word must not cost an allocation.
type reader struct {
	letters alphabet
	text    strings.Builder // what was read so far, folded
	from    int             // where in text the run begins
	marks   []int           // where in the run an apostrophe stood
	dense   bool
	loose   bool // only marks so far: they belong to the character that follows, of whatever script
}

// take reads one character, and returns the run that it ended, if it did.
func (r *reader) take(c rune) (done run, ended bool) {
	k := r.letters.classes[c]
	if k&ignored != 0 {
		return run{}, false
	}
	length := r.text.Len() - r.from
	if length > 0 && !r.dense && apostrophe(c) {
		r.marks, r.loose = append(r.marks, length), false
		return run{}, false
	}
	if k&plain == 0 {
		return r.end()
	}
	dense := k&dense != 0
	if length > 0 && dense != r.dense && k&mark == 0 && !r.loose {
		done, ended = r.end()
	}
	if length == 0 || ended || r.loose {
		r.dense = dense
	}
	r.loose = k&mark != 0 && (length == 0 || ended || r.loose)
	r.fold(c, k)
	return done, ended
}

// end closes the run.
func (r *reader) end() (done run, ended bool) {
	word := r.text.String()[r.from:]
	if word == "" {
		r.marks = r.marks[:0]
		return run{}, false
	}
	done = run{word: word, dense: r.dense}
	if len(r.marks) > 0 {
		done.parts = split(word, r.marks)
		done.joined = len(done.parts) > 1
	}
	r.from, r.marks = r.text.Len(), r.marks[:0]
	return done, true
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

// eachDense yields every character and every pair of neighbours.
func eachDense(word string, yield func(string) bool) bool {
	before := 0 // where the neighbour begins
	for i, c := range word {
		end := i + utf8.RuneLen(c)
		if i > 0 && !yield(word[before:end]) || !yield(word[i:end]) {
			return false
		}
		before = i
	}
	return true
}

// pairs are a dense run's pairs of neighbours, or its one character.
func pairs(word string) []string {
	var all []string
	before := 0
	for i, c := range word {
		if i > 0 {
			all = append(all, word[before:i+utf8.RuneLen(c)])
		}
		before = i
	}
	if len(all) == 0 {
		all = append(all, word)
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
