package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestTable: columns begin where a terminal has them begin, whatever the width of what stands before, and long last
// cells move nothing.
func TestTable(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := newTable(&out)
	fmt.Fprintln(w, "NAME\tUSER\tMEANS")
	fmt.Fprintln(w, "a\tu\t"+strings.Repeat("x", 200))
	fmt.Fprintln(w, "日本語\tﾊﾝｶｸ\twide")
	fmt.Fprintln(w, "e\u0301tude\tНовый\tcombined")
	fmt.Fprintln(w, "🚀\t한국\temoji")
	fmt.Fprintln(w, printable("\x1b[31m\u202e")+"\tu\tescaped")
	fmt.Fprintln(w, "alone, and longer than all of the others")
	fmt.Fprintln(w, "no end\tu\tlast")
	if out.Len() > 0 {
		t.Error("something was printed before all was known")
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, line := range slices.Collect(strings.Lines(out.String())) {
		if strings.HasPrefix(line, "alone") {
			continue
		}
		for _, last := range []string{"MEANS", "xxx", "wide", "combined", "emoji", "escaped", "last"} {
			before, _, found := strings.Cut(line, last)
			if found && textWidth(before) != len(`\u{1b}[31m\u{202e}`)+2+len("Новый")/2+2 {
				t.Errorf("%q begins at %d", last, textWidth(before))
			}
		}
	}
	if text := out.String(); strings.ContainsAny(text, "\t\x1b") || strings.Contains(text, " \n") {
		t.Errorf("%q", text)
	}
	out.Reset()
	if err := w.Flush(); err != nil || out.Len() > 0 {
		t.Errorf("printed twice: %q, %v", &out, err)
	}
}

// TestTextWidth: the widths that terminals give characters of each kind.
func TestTextWidth(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "abc": 3, "é": 1, "e\u0301": 1, "Новый": 5, "日本": 4, "한": 2, "\u1112\u1161\u11ab": 2, "ｱ": 1, "Ａ": 2, "🚀": 2, "…": 1, "–": 1, "✓": 1,
	} {
		if got := textWidth(text); got != want {
			t.Errorf("textWidth(%q) is %d, want %d", text, got, want)
		}
	}
}

// TestInOneLine cuts a text where a terminal would, not within a character.
func TestInOneLine(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("x", 100), strings.Repeat("語", 100), "a" + strings.Repeat("語", 100)} {
		got := inOneLine(text)
		if width := textWidth(got); width > maxMeaning || width < maxMeaning-2 || !strings.HasSuffix(got, "…") {
			t.Errorf("%q is %d wide", got, width)
		}
	}
	if got := inOneLine(" one\n two "); got != "one two" {
		t.Errorf("%q", got)
	}
}

// TestBannerLines: a start says no more than ten lines, and leaves nothing out for that.
func TestBannerLines(t *testing.T) {
	t.Parallel()
	b := banner{url: "u", public: "p", data: "d", clients: "c", tools: "t", never: "n", defined: "f", off: []string{"one", "two", "three", "four", "five", "six"}}
	lines := b.lines("v")
	if len(lines) != 10 || lines[9] != "off: four; five; six" || lines[6] != "off: one" {
		t.Errorf("%q", lines)
	}
	if lines := (banner{off: []string{"one"}}).lines("v"); len(lines) != 5 || lines[4] != "off: one" {
		t.Errorf("%q", lines)
	}
}
