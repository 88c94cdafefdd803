package praxec_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/txtar"

	"prax/tools/praxec"
)

// extras are the members that an answer may have beyond the documented example, by where they stand. A number stands
// for any element.
var extras = map[string]bool{
	"get.input":        true, // what a workflow was started with
	"explain.links":    true, // every answer has some
	"lookup.links":     true,
	"terms.links":      true,
	"define.links":     true,
	"which.error.hint": true,
}

// changing are the values that are computed: the score of a search, whatever it is.
var changing = map[string]bool{"search.items.0.score": true}

// TestExamples: every documented example is answered as documented.
func TestExamples(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/examples.txtar")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "praxec.yaml")
	if err := os.WriteFile(path, archive.Files[0].Data, 0o600); err != nil {
		t.Fatal(err)
	}
	h := open(t, path)
	var last, id string
	for _, f := range archive.Files[1:] {
		name, part, _ := strings.Cut(f.Name, ".")
		text := strings.TrimSpace(string(f.Data))
		if part == "request" {
			last = h.example(strings.ReplaceAll(text, "WF", id))
			if started := decoded(t, last).id(); started != "" {
				id = started
			}
			continue
		}
		c := comparison{t, name}
		c.equal(name, value(t, strings.ReplaceAll(text, "WF", id)), value(t, last))
	}
}

// example makes a request as it stands in the documentation.
func (h *house) example(text string) string {
	h.Helper()
	caller := agent
	off := praxec.Settings{}
	if rest, is := strings.CutPrefix(text, "HUMAN "); is {
		caller, text = person, rest
	}
	if rest, is := strings.CutPrefix(text, "OFF "); is {
		was := h.settings.Swap(&off)
		defer h.settings.Store(was)
		text = rest
	}
	var request struct {
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
	}
	if err := json.Unmarshal([]byte(text), &request); err != nil {
		h.Fatalf("%s: %v", text, err)
	}
	return h.raw(caller, request.Name, string(request.Arguments))
}

func value(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// comparison of a documented answer with a given one.
type comparison struct {
	*testing.T
	name string
}

// equal demands that every member of want is in got, and in got nothing more but what is listed.
func (c comparison) equal(at string, want, got any) {
	c.Helper()
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		for name, member := range want {
			c.equal(at+"."+name, member, object[name])
		}
		for name := range object {
			if _, documented := want[name]; !documented && !extras[at+"."+name] {
				c.Errorf("%s has the member %s, which is not documented: %s", at, name, show(object[name]))
			}
		}
	case []any:
		list, _ := got.([]any)
		if len(list) != len(want) {
			c.Errorf("%s is %s, want %s", at, show(got), show(want))
			return
		}
		for n, element := range want {
			c.equal(fmt.Sprintf("%s.%d", at, n), element, list[n])
		}
	default:
		if got != want && !changing[at] {
			c.Errorf("%s is %s, want %s", at, show(got), show(want))
		}
	}
}
