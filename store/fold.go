package store

import (
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

func ignored(c rune) bool { return c >= 0xad && unicode.Is(ignoredMarks, c) }

func apostrophe(c rune) bool {
	return c == '\'' || c == 0x2019 || c == 0x02bc || c == 0xff07
}

// appendFolded adds a character without its case and diacritics. It is the same however often it
// is applied, and for the composed and the decomposed spelling of a letter.
func appendFolded(word []byte, c rune) []byte {
	if c < utf8.RuneSelf {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		return append(word, byte(c))
	}
	if 0xff10 <= c && c <= 0xff5a { // fullwidth digits and letters
		return appendFolded(word, c-0xff10+'0')
	}
	c = unicode.ToLower(unicode.ToUpper(c))
	if long, found := ligatures[c]; found {
		return append(word, long...)
	}
	if base, found := bases[c]; found {
		c = base
	}
	return utf8.AppendRune(word, c)
}

var ligatures = map[rune]string{
	0xdf: "ss", 0xe6: "ae", 0x1e3: "ae", 0x1fd: "ae", 0x153: "oe", 0xfe: "th", 0x133: "ij",
	0xfb00: "ff", 0xfb01: "fi", 0xfb02: "fl", 0xfb03: "ffi", 0xfb04: "ffl", 0xfb05: "st", 0xfb06: "st",
}

// bases maps a letter with diacritics to the one without.
var bases = func() map[rune]rune {
	m := map[rune]rune{}
	for _, family := range families {
		base, size := utf8.DecodeRuneInString(family)
		for _, c := range family[size:] {
			m[c] = base
		}
	}
	return m
}()

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
