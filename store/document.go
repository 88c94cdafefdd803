package store

import (
	"slices"
	"time"

	"prax/auth"
)

// Kind says what a document is to its owner.
type Kind string

// The kinds. One noun, one table, one ownership rule for all of them.
const (
	Memory       Kind = "memory"       // a remembered sentence
	Scratch      Kind = "scratch"      // short-term notes, by key
	Concept      Kind = "concept"      // knowledge, by namespace and key
	Note         Kind = "note"         // a page, by slug
	Todo         Kind = "todo"         // a list entry, by number
	Conversation Kind = "conversation" // one line said; Key is the role
)

// Kinds are all of them.
func Kinds() []Kind { return []Kind{Memory, Scratch, Concept, Note, Todo, Conversation} }

// Document is one thing that a user keeps. It belongs to exactly one user; nobody else finds,
// counts or is slowed by it.
type Document struct {
	ID         string // 26 characters, from 128 random bits; given by the store when empty
	User       string
	Kind       Kind
	Namespace  string // concept: its namespace; elsewhere ""
	Key        string // unique within user, kind and namespace when not ""; a conversation's is not
	Title      string // display name of a concept, title of a note, assignee of a todo
	Body       string // the text itself
	Tags       []string
	Source     string // where it came from: a client's name, or what that client said
	SourceType string
	Importance float64   // 0 to 1
	Status     string    // todo: open or done
	Version    int64     // starts at 1, +1 a change; the compare-and-set value of PutDocument
	Created    time.Time // milliseconds; taken from the first put when it says one, else the store's clock
	Updated    time.Time // as Created at the first put; the store's clock at each later one
}

// Words are what a search finds the document by: title, body, tags and key, but for a
// conversation's key, which is a role.
func (d Document) Words() []string { return slices.Collect(d.EachWord()) }

// Filter picks documents of a scope's user. Zero members do not restrict. The newest documents are
// those written last, whatever their times say.
type Filter struct {
	Kind      Kind
	Namespace string
	Key       string
	Status    string
	Limit     int  // newest first, at most 1,000; 0 is 1,000
	Bare      bool // the bodies are left out, and bound nothing
}

// MaxCandidates bounds what a search returns to be ranked: the newest that match.
const MaxCandidates = 1000

// Query is a search among the documents of a scope's user. Words come from [QueryWords]: text of a
// caller is never query syntax.
type Query struct {
	Kind      Kind
	Namespace string // "" searches all
	Words     []Word
	All       bool // every word must match; otherwise any
}

// NamespaceCount is one row of Namespaces.
type NamespaceCount struct {
	Namespace string
	Documents int
}

// Documents is the noun's part of a transaction.
type Documents interface {
	// PutDocument stores d for d.User. Version 0 creates (ErrConflict when its key is taken);
	// another version replaces exactly that one, by id (ErrConflict when it moved on, ErrNotFound
	// when it is not d.User's). It returns the document as stored, with the next version. ErrQuota
	// names the limit.
	PutDocument(d Document) (Document, error)

	// Document is the scope's user's document with this id.
	Document(s auth.Scope, id string) (Document, error)

	// KeyedDocument is the scope's user's document of this kind with this key in this namespace, which
	// is "" for kinds that have none. Lines of a conversation share their keys: none is found by it.
	KeyedDocument(s auth.Scope, k Kind, namespace, key string) (Document, error)

	// ListDocuments returns the newest first, MaxCandidateBytes of bodies at most.
	ListDocuments(s auth.Scope, f Filter) ([]Document, error)

	// SearchDocuments returns the newest MaxCandidates that match, newest first, unranked, and
	// MaxCandidateBytes of bodies at most: ranking is done in Go (tools/builtin), the same for every
	// store. Without words nothing matches.
	SearchDocuments(s auth.Scope, q Query) ([]Document, error)

	// Namespaces counts the user's documents of a kind by namespace, most first, then by name:
	// MaxCandidates of them at most.
	Namespaces(s auth.Scope, k Kind) ([]NamespaceCount, error)

	// DeleteDocument removes the scope's user's document with this id.
	DeleteDocument(s auth.Scope, id string) error
}
