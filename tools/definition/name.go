package definition

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"prax/tools"
)

// idLetters are what the name of a workflow begins with; behind the first there may be . / and - too.
const idLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

func isID(text string) bool {
	return text != "" && len(text) <= maxLabel && strings.Contains(idLetters, text[:1]) && strings.Trim(text, idLetters+"./-") == ""
}

// subjectForm is that of a skill, and of a script: words with dots between.
var subjectForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+$`) })

// maxLabel bounds the name of a workflow, a state, a transition, a slot and a term, in bytes.
const maxLabel = 128

// isLabel tells whether a text can be a name that people read: printable, with nothing that could hide in it.
func isLabel(text string) bool {
	return text != "" && len(text) <= maxLabel && strings.TrimSpace(text) == text && strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

const labelForm = "must be 1 to 128 bytes of printable text, without blanks at its ends"

// label notes a name that cannot be one.
func (r *reader) label(m member, path, what string) bool {
	if !isLabel(m.name) {
		r.note(BadValue, m.place, path, "the name "+strconv.Quote(shown(m.name))+" of "+what+" "+labelForm)
		return false
	}
	return true
}

// reserved begins the names of the tools of the workflow kernel, and no other, however it is written.
const reserved = "praxec"

// punctuation is what of a name does not count when two are told apart.
var punctuation = strings.NewReplacer(".", "", "_", "", "-", "")

// bare is a name without what does not count.
func bare(name string) string { return strings.ToLower(punctuation.Replace(name)) }

// isReserved tells whether a name could be taken for one of the kernel's.
func isReserved(name string) bool { return strings.HasPrefix(bare(name), reserved) }

// toolName notes a name that no tool can have.
func (c *compiler) toolName(name string, at place, path string) bool {
	quoted := strconv.Quote(shown(name))
	switch {
	case !tools.IsName(name):
		c.note(BadValue, at, path, "the name "+quoted+" must be 1 to 64 letters, digits, dots, _ or -")
	case bare(name) == "":
		c.note(BadValue, at, path, "the name "+quoted+" must have a letter or digit: dots, _ and - do not tell one from another")
	case isReserved(name):
		c.note(NameTaken, at, path, "the name "+quoted+" is reserved: begin it with another word than "+reserved)
	default:
		return true
	}
	return false
}

// ownName notes the name of a tool that another one has.
func (c *compiler) ownName(name string, at place, path string) bool {
	if !c.toolName(name, at, path) {
		return false
	}
	if other, taken := c.names[bare(name)]; taken {
		c.note(NameTaken, at, path, "the name "+strconv.Quote(shown(name))+" cannot be told from the tool "+strconv.Quote(other)+": case, dots, _ and - aside they are one")
		return false
	}
	c.names[bare(name)] = name
	return true
}
