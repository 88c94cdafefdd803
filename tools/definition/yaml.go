package definition

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// fault is a place where the text cannot be read.
type fault struct {
	place
	code Code
	text string
}

func unreadable(at place, text string) *fault { return &fault{at, NotReadable, cut(text, maxSentence)} }

func (b *budget) spent(at place) *fault {
	return unreadable(at, "more than "+strconv.Itoa(maxValues)+" values, or "+strconv.Itoa(maxText>>20)+" MiB of text, once aliases are written out")
}

// parseYAML reads one YAML document. The library gives its nodes, in which an alias is not yet expanded, and
// decides nothing else.
func parseYAML(text []byte, b *budget) (*value, *fault) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	var doc, second yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, unreadable(start, "the file is empty")
	case err != nil:
		return nil, notYAML(err)
	}
	switch err := d.Decode(&second); {
	case err == nil:
		return nil, unreadable(placeOf(&second), "a second document: a file holds one")
	case !errors.Is(err, io.EOF):
		return nil, notYAML(err)
	}
	y := yamlReader{b}
	return y.read(doc.Content[0], 1)
}

var (
	errorLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^line (\d+): `) })
	// grammar are the sentences whose lines the library counts from 0; those of its scanner it counts from 1.
	grammar = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^did not find expected (<|node content|key$|'-'|',')`)
	})
)

// notYAML takes the line out of the library's sentence. It leaves out the first one.
func notYAML(err error) *fault {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if strings.HasPrefix(text, "unknown anchor") {
		return unreadable(place{}, "is not YAML: "+text)
	}
	at := start
	if m := errorLine().FindStringSubmatch(text); m != nil {
		text = text[len(m[0]):]
		at.line, _ = strconv.Atoi(m[1]) // digits
		if grammar().MatchString(text) {
			at.line++
		}
	}
	return unreadable(at, "is not YAML: "+text)
}

func placeOf(n *yaml.Node) place { return place{line: n.Line, column: n.Column} }

// start is where a file begins.
var start = place{line: 1, column: 1}

// yamlReader turns nodes into values.
type yamlReader struct{ *budget }

func (y *yamlReader) read(n *yaml.Node, depth int) (*value, *fault) {
	v := &value{place: placeOf(n)}
	if depth > maxDepth {
		return nil, unreadable(v.place, "nests deeper than "+strconv.Itoa(maxDepth)+", or an alias stands within what it stands for")
	}
	if !y.take(len(n.Value)) {
		return nil, y.spent(v.place)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return y.read(n.Alias, depth+1)
	case yaml.MappingNode:
		return v, y.object(v, n, depth)
	case yaml.SequenceNode:
		return v, y.list(v, n, depth)
	}
	return v, y.scalar(v, n)
}

func (y *yamlReader) list(v *value, n *yaml.Node, depth int) *fault {
	if f := tagged(n, "!!seq"); f != nil {
		return f
	}
	v.kind = '['
	for _, one := range n.Content {
		read, f := y.read(one, depth+1)
		if f != nil {
			return f
		}
		v.items = append(v.items, read)
	}
	return nil
}

func (y *yamlReader) object(v *value, n *yaml.Node, depth int) *fault {
	if f := tagged(n, "!!map"); f != nil {
		return f
	}
	v.kind = '{'
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if f := keyFault(key); f != nil {
			return f
		}
		if first, twice := seen[key.Value]; twice {
			return &fault{placeOf(key), DuplicateKey, strconv.Quote(shown(key.Value)) + " stands twice, first in line " + strconv.Itoa(first)}
		}
		seen[key.Value] = key.Line
		if !y.take(len(key.Value)) {
			return y.spent(placeOf(key))
		}
		read, f := y.read(n.Content[i+1], depth+1)
		if f != nil {
			return f
		}
		v.members = append(v.members, member{placeOf(key), key.Value, read})
	}
	return nil
}

func keyFault(key *yaml.Node) *fault {
	switch {
	case key.ShortTag() == "!!merge":
		return unreadable(placeOf(key), "merge keys (<<) are refused: write the members out")
	case key.Kind == yaml.ScalarNode && key.ShortTag() == "!!str":
		return nil
	case key.Kind == yaml.ScalarNode:
		return unreadable(placeOf(key), "a key must be text: put "+strconv.Quote(shown(key.Value))+" in quotes")
	}
	return unreadable(placeOf(key), "a key must be text")
}

// scalar settles what a scalar is. Where YAML has more than one reading of a number (octal, sexagesimal,
// underscores) it has none here.
func (y *yamlReader) scalar(v *value, n *yaml.Node) *fault {
	switch tag := n.ShortTag(); tag {
	case "!!str", "!!timestamp", "!!merge":
		v.kind, v.text = '"', n.Value
	case "!!null":
		v.kind = 'n'
	case "!!bool":
		v.kind = 'f'
		if strings.EqualFold(n.Value, "true") {
			v.kind = 't'
		}
	case "!!int", "!!float":
		if !isNumber(n.Value) {
			return unreadable(v.place, strconv.Quote(shown(n.Value))+" is no number that JSON has: write it in decimal digits, or put it in quotes")
		}
		v.kind, v.text = '0', n.Value
	default:
		return tagged(n, "")
	}
	return nil
}

// tagged refuses a tag that is not the one that a node has by itself.
func tagged(n *yaml.Node, own string) *fault {
	if tag := n.ShortTag(); tag != own {
		return unreadable(placeOf(n), "the tag "+strconv.Quote(shown(tag))+" is refused: leave it out")
	}
	return nil
}

// isNumber tells whether text is a JSON number (RFC 8259, section 6).
func isNumber(text string) bool {
	v := jsontext.Value(text)
	return v.Kind() == '0' && v.IsValid() && strings.TrimSpace(text) == text
}

// shown is what is quoted from a file.
func shown(text string) string { return cut(text, 60) }
