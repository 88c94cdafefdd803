package store

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// denseScripts are written without blanks between words, or join particles to them.
var denseScripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Yi,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
	{R16: []unicode.Range16{{Lo: 0x30fc, Hi: 0x30fc, Stride: 1}}}, // the long vowel mark of kana
}

// ignoredMarks are written over or under a letter of a script where readers leave them out:
// diacritics, Hebrew points, Arabic vowel signs. Marks of other scripts are vowels and stay.
var ignoredMarks = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00ad, Hi: 0x00ad, Stride: 1}, // soft hyphen
		{Lo: 0x0300, Hi: 0x036f, Stride: 1},
		{Lo: 0x0483, Hi: 0x0487, Stride: 1},
		{Lo: 0x0591, Hi: 0x05bd, Stride: 1},
		{Lo: 0x05bf, Hi: 0x05bf, Stride: 1},
		{Lo: 0x05c1, Hi: 0x05c2, Stride: 1},
		{Lo: 0x05c4, Hi: 0x05c5, Stride: 1},
		{Lo: 0x05c7, Hi: 0x05c7, Stride: 1},
		{Lo: 0x0610, Hi: 0x061a, Stride: 1},
		{Lo: 0x0640, Hi: 0x0640, Stride: 1}, // tatweel, which only stretches a word
		{Lo: 0x064b, Hi: 0x065f, Stride: 1},
		{Lo: 0x0670, Hi: 0x0670, Stride: 1},
		{Lo: 0x1ab0, Hi: 0x1aff, Stride: 1},
		{Lo: 0x1dc0, Hi: 0x1dff, Stride: 1},
		{Lo: 0x200b, Hi: 0x200d, Stride: 1}, // zero width: space, non-joiner, joiner
		{Lo: 0x20d0, Hi: 0x20ff, Stride: 1},
		{Lo: 0xfe00, Hi: 0xfe0f, Stride: 1}, // variation selectors
		{Lo: 0xfe20, Hi: 0xfe2f, Stride: 1},
	},
	LatinOffset: 1,
}

// class is what a character is to a text of words.
type class uint8

const (
	plain   class = 1 << iota // a letter, a mark or a number: part of a word
	mark                      // goes with whatever stands before it
	dense                     // of a script that is written without blanks
	ignored                   // left out
	folds                     // written otherwise in a word: see folded
)

// alphabet is what the characters are, and how those are written in a word that fold.
type alphabet struct {
	classes *[unicode.MaxRune + 1]class
	folded  map[rune]string
}

// letters are computed once from the tables of Unicode, for the first text: to search those for every
// character of a text is what indexing would spend most of its time on.
var letters = sync.OnceValue(func() alphabet {
	classes := classify()
	return alphabet{classes, foldAll(classes)}
})

func classify() *[unicode.MaxRune + 1]class {
	all := new([unicode.MaxRune + 1]class)
	add := func(k class, tables ...*unicode.RangeTable) {
		for _, table := range tables {
			for _, r := range table.R16 {
				for c := rune(r.Lo); c <= rune(r.Hi); c += rune(r.Stride) {
					all[c] |= k
				}
			}
			for _, r := range table.R32 {
				for c := rune(r.Lo); c <= rune(r.Hi); c += rune(r.Stride) {
					all[c] |= k
				}
			}
		}
	}
	add(plain, unicode.L, unicode.M, unicode.N)
	add(mark, unicode.M)
	add(dense, denseScripts...)
	add(ignored, ignoredMarks)
	return all
}

// foldAll is the characters that fold gives another spelling, which it notes in their classes.
func foldAll(classes *[unicode.MaxRune + 1]class) map[rune]string {
	all, bases := map[rune]string{}, baseLetters()
	add := func(c rune) {
		if text := fold(c, bases); text != string(c) {
			all[c] = text
			classes[c] |= folds
		}
	}
	for _, r := range unicode.CaseRanges {
		for c := rune(r.Lo); c <= rune(r.Hi); c++ {
			add(c)
		}
	}
	for c := range ligatures {
		add(c)
	}
	for c := range bases {
		add(c)
	}
	for c := rune(firstWide); c <= lastWide; c++ {
		add(c)
	}
	return all
}

func apostrophe(c rune) bool {
	return c == '\'' || c == 0x2019 || c == 0x02bc || c == 0xff07
}

// fold adds a character of this class to the run.
func (r *reader) fold(c rune, k class) {
	switch {
	case k&folds != 0:
		r.text.WriteString(r.letters.folded[c])
	case c < utf8.RuneSelf:
		r.text.WriteByte(byte(c))
	default:
		r.text.WriteRune(c)
	}
}

// The fullwidth digits and letters.
const (
	firstWide = 0xff10
	lastWide  = 0xff5a
)

// fold is a character without its case and diacritics. It is the same however often it is applied,
// and for the composed and the decomposed spelling of a letter.
func fold(c rune, bases map[rune]rune) string {
	if firstWide <= c && c <= lastWide {
		c += '0' - firstWide
	}
	c = unicode.ToLower(unicode.ToUpper(c))
	if long, found := ligatures[c]; found {
		return long
	}
	if base, found := bases[c]; found {
		c = base
	}
	return string(c)
}

var ligatures = map[rune]string{
	0xdf: "ss", 0xe6: "ae", 0x1e3: "ae", 0x1fd: "ae", 0x153: "oe", 0xfe: "th", 0x133: "ij",
	0xfb00: "ff", 0xfb01: "fi", 0xfb02: "fl", 0xfb03: "ffi", 0xfb04: "ffl", 0xfb05: "st", 0xfb06: "st",
}

// baseLetters maps a letter with diacritics to the one without.
func baseLetters() map[rune]rune {
	m := map[rune]rune{}
	for _, family := range families {
		base, size := utf8.DecodeRuneInString(family)
		for _, c := range family[size:] {
			m[c] = base
		}
	}
	return m
}

// families are letters, each followed by its forms with diacritics: those that Unicode composes
// of the letter and combining marks, and the barred and dotless ones.
var families = []string{
	"aàáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ",
	"bḃḅḇ",
	"cçćĉċčḉ",
	"dďḋḍḏḑḓđð",
	"eèéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ",
	"fḟ",
	"gĝğġģǧǵḡ",
	"hĥȟḣḥḧḩḫẖħ",
	"iìíîïĩīĭįǐȉȋḭḯỉịı",
	"jĵǰ",
	"kķǩḱḳḵ",
	"lĺļľḷḹḻḽł",
	"mḿṁṃ",
	"nñńņňǹṅṇṉṋ",
	"oòóôõöōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợøǿ",
	"pṕṗ",
	"rŕŗřȑȓṙṛṝṟ",
	"sśŝşšșṡṣṥṧṩẛ",
	"tţťțṫṭṯṱẗŧ",
	"uùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự",
	"vṽṿ",
	"wŵẁẃẅẇẉẘ",
	"xẋẍ",
	"yýÿŷȳẏẙỳỵỷỹ",
	"zźżžẑẓẕ",
	"æǣǽ",
	"ʒǯ",
	"αάἀἁἂἃἄἅἆἇὰάᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ",
	"εέἐἑἒἓἔἕὲέ",
	"ηήἠἡἢἣἤἥἦἧὴήᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ",
	"ιΐίϊἰἱἲἳἴἵἶἷὶίῐῑῒΐῖῗ",
	"οόὀὁὂὃὄὅὸό",
	"ρῤῥ",
	"υΰϋύὐὑὒὓὔὕὖὗὺύῠῡῢΰῦῧ",
	"ωώὠὡὢὣὤὥὦὧὼώᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ",
	"аӑӓ",
	"гѓ",
	"еѐёӗ",
	"жӂӝ",
	"зӟ",
	"ийѝӣӥ",
	"кќ",
	"оӧ",
	"уўӯӱӳ",
	"чӵ",
	"ыӹ",
	"эӭ",
	"ії",
	"ѵѷ",
	"әӛ",
	"өӫ",
}
