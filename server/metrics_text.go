package server

import (
	"strconv"
	"strings"
)

// family is one metric with all its label values.
type family struct{ name, kind, help string }

// The kinds of Prometheus's text format, version 0.0.4.
const (
	kindCounter   = "counter"
	kindGauge     = "gauge"
	kindHistogram = "histogram"
)

// text is an answer to a scrape in the making. The samples of a family stand together, behind open.
type text struct{ buf []byte }

func (t *text) open(f *family) {
	t.buf = append(append(append(append(t.buf, "# HELP "...), f.name...), ' '), f.help...)
	t.buf = append(append(append(append(t.buf, "\n# TYPE "...), f.name...), ' '), f.kind...)
	t.buf = append(t.buf, '\n')
}

// sample is one value. Labels are names and values in turn.
func (t *text) sample(name string, value float64, labels ...string) {
	t.buf = append(t.buf, name...)
	for i := 0; i+1 < len(labels); i += 2 {
		t.buf = append(t.buf, "{,"[min(i, 1)])
		t.buf = append(append(t.buf, labels[i]...), `="`...)
		t.buf = append(appendLabel(t.buf, labels[i+1]), '"')
	}
	if len(labels) > 0 {
		t.buf = append(t.buf, '}')
	}
	t.buf = strconv.AppendFloat(append(t.buf, ' '), value, 'f', -1, 64)
	t.buf = append(t.buf, '\n')
}

// only is a family of one sample.
func (t *text) only(f *family, value float64) {
	t.open(f)
	t.sample(f.name, value)
}

// appendLabel escapes what would end a label's value or its line. Other control characters say nothing to anybody.
func appendLabel(dst []byte, value string) []byte {
	for _, r := range strings.ToValidUTF8(value, "\uFFFD") {
		switch {
		case r == '\\' || r == '"':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r < ' ' || r == 0x7f:
			dst = append(dst, "\uFFFD"...)
		default:
			dst = append(dst, string(r)...)
		}
	}
	return dst
}

// truth is a fact as a gauge has it.
func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
