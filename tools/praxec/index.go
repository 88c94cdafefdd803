package praxec

import (
	"strings"
	"unicode"
)

// The fields of an entry, and what a word in each is worth.
const (
	fieldTitle = iota
	fieldID
	fieldTags
	fieldAliases
	fieldDescription
	fieldText
	fields
)

var weights = [fields]float64{6, 5, 3, 3, 2, 1}

// The bounds of a fuzzy match: of words of four bytes and more, more than this part of all three-byte pieces alike,
// and counted half.
const (
	minFuzzy  = 4
	minAlike  = 0.3
	fuzzyPart = 0.5
	gram      = 3
)

// index has every word of every field once, and where it stands. A word that is asked for is a run of letters and
// digits, as those of a field are: it stands in a field exactly if it stands in one of the field's words.
type index struct {
	entries int
	words   []string
	places  [][]uint32 // of each word: entry*fields + field
	pieces  []uint16   // of each word: how many three-byte pieces
	grams   map[[gram]byte][]uint32
}

func newIndex(entries []*entry) *index {
	x := &index{entries: len(entries), grams: map[[gram]byte][]uint32{}}
	ids := map[string]uint32{}
	for n, e := range entries {
		for field, text := range [fields]string{
			e.Title, e.ID, strings.Join(e.Tags, " "), strings.Join(e.Aliases, " "), e.Description, e.Text,
		} {
			if field == fieldTitle && text == "" {
				text = e.ID
			}
			x.add(ids, text, uint32(n*fields+field))
		}
	}
	return x
}

// add notes where the words of a text stand.
func (x *index) add(ids map[string]uint32, text string, place uint32) {
	for _, word := range wordsOf(text) {
		id, known := ids[word]
		if !known {
			id = uint32(len(x.words))
			ids[word] = id
			x.word(word, id)
		}
		if places := x.places[id]; len(places) == 0 || places[len(places)-1] != place {
			x.places[id] = append(places, place)
		}
	}
}

// word adds a word that stands nowhere yet.
func (x *index) word(word string, id uint32) {
	pieces := piecesOf(word)
	for piece := range pieces {
		x.grams[piece] = append(x.grams[piece], id)
	}
	x.words = append(x.words, strings.Clone(word))
	x.places = append(x.places, nil)
	x.pieces = append(x.pieces, uint16(min(len(pieces), 1<<16-1)))
}

// wordsOf are the runs of letters and digits of a text, lower-cased.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.Other_Alphabetic, r)
	})
}

// piecesOf are the three-byte pieces of a word, each once.
func piecesOf(word string) map[[gram]byte]bool {
	pieces := make(map[[gram]byte]bool, len(word))
	for i := 0; i+gram <= len(word); i++ {
		pieces[[gram]byte([]byte(word[i:i+gram]))] = true
	}
	return pieces
}

// scores rates every entry for the words of a query: the sum over words and fields of the field's weight times how well
// the field has the word. What is not found has 0.
func (x *index) scores(words []string) []float64 {
	sums := make([]float64, x.entries)
	match := matching{index: x, best: make([]float64, x.entries*fields), found: make([]bool, x.entries)}
	for _, word := range words {
		match.exact(word)
		if len(word) >= minFuzzy {
			match.fuzzy(word)
		}
		match.addTo(sums)
	}
	return sums
}

// matching is the work of rating one word after the other.
type matching struct {
	*index
	best    []float64 // by place
	found   []bool    // by entry
	touched []uint32  // the entries that were found
}

// exact finds a word within the words of the fields.
func (m *matching) exact(word string) {
	for id, other := range m.words {
		if strings.Contains(other, word) {
			m.at(uint32(id), 1)
		}
	}
}

// fuzzy finds words that share enough pieces with this one.
func (m *matching) fuzzy(word string) {
	pieces := piecesOf(word)
	shared := map[uint32]int{}
	for piece := range pieces {
		for _, id := range m.grams[piece] {
			shared[id]++
		}
	}
	for id, both := range shared {
		alike := float64(both) / float64(len(pieces)+int(m.pieces[id])-both)
		if alike > minAlike {
			m.at(id, alike*fuzzyPart)
		}
	}
}

// at notes that the fields which have a word match so well. The better match of a field stays.
func (m *matching) at(word uint32, how float64) {
	for _, place := range m.places[word] {
		m.best[place] = max(m.best[place], how)
		if e := place / fields; !m.found[e] {
			m.found[e] = true
			m.touched = append(m.touched, e)
		}
	}
}

// addTo adds what was found to the sums, and is ready for the next word.
func (m *matching) addTo(sums []float64) {
	for _, e := range m.touched {
		for field, weight := range weights {
			place := int(e)*fields + field
			sums[e] += weight * m.best[place]
			m.best[place] = 0
		}
		m.found[e] = false
	}
	m.touched = m.touched[:0]
}
