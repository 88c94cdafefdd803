package runner

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
	"prax/store/digest"
	"prax/tools/workflow"
)

// maxPins bounds how much of definitions one transaction stores, in bytes.
const maxPins = 4 << 20

// Pin stores definitions, so that instances can pin them. An error says which of them declares a version whose stored
// content is another, or that the store cannot take them: such a set must not come into force. Start pins for itself
// what was not.
func (r *Runner) Pin(ctx context.Context, definitions []*workflow.Definition) error {
	var some []*workflow.Definition
	bytes := 0
	for _, d := range definitions {
		if _, known := r.pinned.version(d.Hash); known {
			continue
		}
		if bytes+len(d.Text) > maxPins && len(some) > 0 {
			if err := r.store(ctx, some); err != nil {
				return err
			}
			some, bytes = nil, 0
		}
		some, bytes = append(some, d), bytes+len(d.Text)
	}
	if len(some) == 0 {
		return nil
	}
	return r.store(ctx, some)
}

// store stores definitions in one transaction, and remembers their versions.
func (r *Runner) store(ctx context.Context, some []*workflow.Definition) error {
	now := r.config.Now()
	versions := make([]int64, len(some))
	err := r.config.Store.Update(ctx, func(tx store.Tx) error {
		for n, d := range some {
			kept, err := tx.PutDefinition(store.Definition{ID: d.ID, Version: d.Version, Hash: d.Hash, Text: d.Text, Created: now})
			if errors.Is(err, store.ErrConflict) {
				// A conflict of this kind is no lost race: trying again would not help.
				return fmt.Errorf("definition %s: version %d is stored already, with another content: declare a new one", d.ID, d.Version)
			}
			if err != nil {
				return fmt.Errorf("store definition %s: %w", d.ID, err)
			}
			versions[n] = kept.Version
		}
		return nil
	})
	if err != nil {
		return err
	}
	for n, d := range some {
		r.pinned.remember(d.Hash, versions[n])
	}
	return nil
}

// live is a definition in force, stored and with its stored version.
func (r *Runner) live(ctx context.Context, d *workflow.Definition) (*workflow.Definition, error) {
	if err := r.Pin(ctx, []*workflow.Definition{d}); err != nil {
		return nil, err
	}
	version, known := r.pinned.version(d.Hash)
	if !known { // forgotten meanwhile
		return nil, store.ErrBusy
	}
	e, err := r.keep(d, version).compiled()
	if err != nil {
		return nil, fmt.Errorf("definition %s: %w", d.ID, err)
	}
	return e.d, nil
}

// keep is the entry of a definition in force. One whose version the store counts is compiled again, so that it can
// have it.
func (r *Runner) keep(d *workflow.Definition, version int64) *entry {
	return r.pinned.put(&entry{hash: d.Hash, size: len(d.Text), build: func() (*workflow.Definition, error) {
		if d.Version == version {
			return d, nil
		}
		return r.compile(d.ID, d.Text, version)
	}})
}

// compile compiles the text of a definition.
func (r *Runner) compile(id string, text jsontext.Value, version int64) (*workflow.Definition, error) {
	d, err := r.config.Decode(text)
	if err != nil {
		return nil, err
	}
	if d.ID != id {
		return nil, fmt.Errorf("the stored text is of the definition %q", store.SafeString(d.ID))
	}
	d.Version = version
	return d, nil
}

// ready is the pinned definition of an instance, if it can be had without reading the store; nil
// otherwise.
func (r *Runner) ready(i store.Instance) *entry {
	if e := r.pinned.get(i.DefinitionHash); e != nil {
		return e
	}
	d, there := r.config.Catalog.Definition(i.DefinitionID)
	if !there || d.Hash != i.DefinitionHash {
		return nil
	}
	return r.keep(d, i.DefinitionVersion)
}

// decoded is the pinned definition of an instance, compiled from its text. A text that is not the one which was
// stored is no definition.
func (r *Runner) decoded(i store.Instance, stored store.Definition) (*entry, error) {
	if got := digest.Hex(stored.Text); got != i.DefinitionHash {
		return nil, errors.New("the stored text of the definition is not the one that was pinned")
	}
	return r.pinned.put(&entry{hash: i.DefinitionHash, size: len(stored.Text), build: func() (*workflow.Definition, error) {
		return r.compile(i.DefinitionID, stored.Text, i.DefinitionVersion)
	}}).compiled()
}
