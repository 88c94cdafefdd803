package definition

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store/digest"
	"prax/tools/workflow"
)

// Decode compiles the canonical text of a definition, as an instance has pinned it, to what the files gave when it
// was made. An error says that it needs something that this version does not have, or that it is no such text.
func Decode(text jsontext.Value, kinds Kinds) (*workflow.Definition, error) {
	root, f := parseJSON(text, &budget{})
	if f != nil {
		return nil, fmt.Errorf("definition: %s", f.text)
	}
	if root.kind != '{' {
		return nil, errors.New("definition: must be an object, is " + named(root.kind))
	}
	b := newBuilder(reader{findings: &findings{}, root: root}, kinds)
	d := b.build()
	if len(b.errors) > 0 {
		first := b.errors[0]
		return nil, fmt.Errorf("definition %s: %s (%s)", cmp.Or(d.ID, "without a name"), first.Text, first.Code)
	}
	d.Text, d.Hash = text.Clone(), digest.Hex(text)
	return d, nil
}

func newBuilder(r reader, kinds Kinds) *builder {
	library := map[string]*workflow.Guidance{}
	return &builder{reader: r, kinds: kinds, schemas: map[string]*workflow.Schema{}, library: library, scripts: library, pends: true, d: &workflow.Definition{}}
}
