package store

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Definition is a workflow as it was resolved once: with nothing in it that is looked up elsewhere, and never
// changed. Instances pin one by its hash, so that an edit of the file reaches new starts only.
type Definition struct {
	ID      string         // as instances and callers name it
	Version int64          // declared, or counted by the store: 1, 2, 3 … as the content changes
	Hash    string         // hex SHA-256 of Text
	Text    jsontext.Value // canonical JSON
	Created time.Time      // milliseconds
}

// Definitions is the noun's part of a transaction. Definitions belong to the operator; what of one a caller
// may see is decided above the store.
type Definitions interface {
	// PutDefinition keeps d unless it is known by its hash, which has to be that of Text, and returns it as
	// kept. Version 0 takes the number that this content has already, else the next after the highest of
	// this id. A declared version whose stored content is another is ErrConflict.
	PutDefinition(d Definition) (Definition, error)

	// Definition is the one of this id with this hash.
	Definition(id, hash string) (Definition, error)
}
