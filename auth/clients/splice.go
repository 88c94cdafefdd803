package clients

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// replace is the text with what stands at the extent replaced.
func replace(text []byte, at extent, by string) []byte {
	return append(append(bytes.Clone(text[:at.from]), by...), text[at.to:]...)
}

// add is the text with one more entry at the end of the list, laid out like the one before it.
func (m *layout) add(members [][2]string) []byte {
	switch n := len(m.entries); {
	case n > 0:
		last := m.entries[n-1]
		lead := m.lead(last.from)
		if lead == "" {
			lead = " "
		}
		return replace(m.text, extent{last.to, last.to}, ","+lead+m.render(last, members))
	case m.list != extent{}:
		indent := m.indentOf(m.list.from)
		return replace(m.text, m.list, "[\n"+indent+"  "+oneLine(members)+"\n"+indent+"]")
	default:
		before := ""
		if m.members > 0 {
			before = ","
		}
		end := m.root.to - 1
		from := len(bytes.TrimRight(m.text[:end], blanks))
		return replace(m.text, extent{from, end}, before+"\n  \"clients\": [\n    "+oneLine(members)+"\n  ]\n")
	}
}

// lead is the blank text before an offset.
func (m *layout) lead(at int) string {
	return string(m.text[len(bytes.TrimRight(m.text[:at], blanks)):at])
}

// indentOf is what the line of an offset begins with.
func (m *layout) indentOf(at int) string {
	line := m.text[bytes.LastIndexByte(m.text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// render writes an entry on one line, or on several if the entry given is laid out so.
func (m *layout) render(like placed, members [][2]string) string {
	if len(like.members) == 0 || !bytes.Contains(m.text[like.from:like.to], []byte("\n")) {
		return oneLine(members)
	}
	inner, outer := m.lead(like.members[0].key.from), m.lead(like.to-1)
	if !strings.Contains(inner, "\n") || !strings.Contains(outer, "\n") {
		return oneLine(members)
	}
	return "{" + inner + strings.Join(pairs(members), ","+inner) + outer + "}"
}

func oneLine(members [][2]string) string { return "{" + strings.Join(pairs(members), ", ") + "}" }

func pairs(members [][2]string) []string {
	text := make([]string, len(members))
	for i, pair := range members {
		text[i] = quoted(pair[0]) + ": " + pair[1]
	}
	return text
}

// remove is the text without the i-th entry and the one comma that goes with it.
func (m *layout) remove(i int) []byte {
	e := m.entries[i]
	switch {
	case i+1 < len(m.entries):
		return replace(m.text, extent{e.from, m.entries[i+1].from}, "")
	case i > 0:
		return replace(m.text, extent{m.entries[i-1].to, e.to}, "")
	}
	return replace(m.text, m.list, "[]")
}

// quoted is a string as JSON.
func quoted(s string) string {
	b, _ := jsontext.AppendQuote(nil, s) // fails on text that is not UTF-8, which no caller has
	return string(b)
}

// quotedList is a list of strings as JSON.
func quotedList(list []string) string {
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = quoted(s)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
