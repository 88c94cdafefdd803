package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools"
)

// defaultImportance is that of what was added without one.
const defaultImportance = 0.5

// concept is a concept in results.
type concept struct {
	ID          string  `json:"id"`
	Namespace   string  `json:"namespace"`
	Name        string  `json:"name"`
	DisplayName string  `json:"display_name"`
	Description string  `json:"description"`
	Source      string  `json:"source"`
	SourceType  string  `json:"source_type"`
	Importance  float64 `json:"importance"`
	UpdatedAt   string  `json:"updated_at"`
}

var conceptProperties = []string{
	`"id":{"type":"string"}`, `"namespace":{"type":"string"}`, `"name":{"type":"string"}`, `"display_name":{"type":"string"}`, `"description":{"type":"string"}`,
	`"source":{"type":"string"}`, `"source_type":{"type":"string"}`, `"importance":{"type":"number"}`, `"updated_at":{"type":"string","format":"date-time"}`,
}

func newConcept(d store.Document) concept {
	return concept{d.ID, d.Namespace, d.Key, cmp.Or(d.Title, d.Key), d.Body, d.Source, d.SourceType, d.Importance, stamp(d.Updated)}
}

type conceptArguments struct {
	Concept     string `json:"concept"`
	Namespace   string `json:"namespace"`
	Description string `json:"description"`
	Source      string `json:"source"`
}

func (a conceptArguments) size() int { return len(a.Description) }

const conceptSchema = `"concept":{"type":"string","minLength":1,"maxLength":256,"description":"The name of the concept; case does not count"},` +
	`"namespace":{"type":"string","default":"general","maxLength":256,"description":"The part of your knowledge base that it belongs to"}`

// named is the document that the arguments name: its key is the name without case.
func (a conceptArguments) named() (store.Document, error) {
	title, err := name("concept", a.Concept)
	return store.Document{
		Kind: store.Concept, Namespace: cmp.Or(line(a.Namespace), "general"), Key: strings.ToLower(title), Title: title,
	}, err
}

func knowledgeAdd(turns *store.Turns) *tools.Tool {
	return &tools.Tool{
		Name:  "knowledge_add",
		Title: "Add to knowledge",
		Description: "Add a concept to your knowledge base. One of that name in the namespace is kept: it takes the longer of the two " +
			"descriptions, the higher importance, and the source if you give one.",
		Tier:       auth.Medium,
		Idempotent: true,
		Input: jsontext.Value(`{"type":"object","additionalProperties":false,"required":["concept"],"properties":{` + conceptSchema + `,` +
			`"description":{"type":"string","default":"","maxLength":65536,"description":"What it is"},` +
			`"source":{"type":"string","default":"","maxLength":256,"description":"Where it comes from; empty: your client's name"}}}`),
		Output:  jsontext.Value(object(conceptProperties...)),
		Handler: handle(conceptArguments{}, byTurns(turns, conceptArguments.size, addConcept)),
	}
}

func addConcept(ctx context.Context, call *tools.Call, a conceptArguments) (*tools.Result, error) {
	said, err := a.named()
	if err != nil {
		return nil, err
	}
	if said.Body, err = optionalContent("description", strings.TrimSpace(a.Description)); err != nil {
		return nil, err
	}
	said.User, said.Source = call.Principal.User, line(a.Source)
	said.SourceType, said.Importance = "agent", defaultImportance
	var stored store.Document
	var done string
	err = change(ctx, call, func(tx store.Tx) (err error) {
		stored, done, err = mergeConcept(ctx, tx, call.Principal, said)
		return err
	})
	if err != nil {
		return nil, err
	}
	return result(fmt.Sprintf("Concept %s: **%s** [%s] (id=%s)", done, cmp.Or(stored.Title, stored.Key), stored.Namespace, stored.ID), newConcept(stored))
}

// mergeConcept stores what was said of a concept, and tells what came of it.
func mergeConcept(ctx context.Context, tx store.Documents, p auth.Principal, said store.Document) (stored store.Document, done string, err error) {
	kept, err := tx.KeyedDocument(p.Scope(), store.Concept, said.Namespace, said.Key)
	if errors.Is(err, store.ErrNotFound) {
		said.Source = cmp.Or(said.Source, p.Client)
		stored, err = tx.PutDocument(said)
		return stored, "added", err
	}
	if err != nil {
		return kept, "", err
	}
	next := merged(kept, said)
	if next.Body == kept.Body && next.Importance == kept.Importance && next.Source == kept.Source {
		return kept, "unchanged", nil
	}
	if err := outOfTurn(ctx, kept); err != nil {
		return kept, "", err
	}
	stored, err = tx.PutDocument(next)
	return stored, "updated", err
}

// merged is a kept concept after more was said of it.
func merged(kept, said store.Document) store.Document {
	if utf8.RuneCountInString(said.Body) > utf8.RuneCountInString(kept.Body) {
		kept.Body = said.Body
	}
	kept.Importance = max(kept.Importance, said.Importance)
	kept.Source = cmp.Or(said.Source, kept.Source)
	return kept
}

func knowledgeDelete(turns *store.Turns) *tools.Tool {
	return &tools.Tool{
		Name:        "knowledge_delete",
		Title:       "Delete from knowledge",
		Description: "Delete one concept for good, by its name and namespace.",
		Tier:        auth.High,
		Idempotent:  true,
		Input:       jsontext.Value(`{"type":"object","additionalProperties":false,"required":["concept"],"properties":{` + conceptSchema + `}}`),
		Output:      jsontext.Value(object(conceptProperties...)),
		Handler:     handle(conceptArguments{}, byTurns(turns, conceptArguments.size, deleteConcept)),
	}
}

func deleteConcept(ctx context.Context, call *tools.Call, a conceptArguments) (*tools.Result, error) {
	named, err := a.named()
	if err != nil {
		return nil, err
	}
	var removed store.Document
	err = change(ctx, call, func(tx store.Tx) (err error) {
		scope := call.Principal.Scope()
		if removed, err = tx.KeyedDocument(scope, store.Concept, named.Namespace, named.Key); err != nil {
			return err
		}
		if err := outOfTurn(ctx, removed); err != nil {
			return err
		}
		return tx.DeleteDocument(scope, removed.ID)
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, &tools.Error{
			Code:    tools.CodeNotFound,
			Message: "no concept of yours has this name in this namespace",
			Hint:    "take both from knowledge_search",
		}
	}
	if err != nil {
		return nil, err
	}
	return result(fmt.Sprintf("Concept deleted: **%s** [%s] (id=%s)", cmp.Or(removed.Title, removed.Key), removed.Namespace, removed.ID), newConcept(removed))
}
