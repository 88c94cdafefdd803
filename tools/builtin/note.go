package builtin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools"
)

// heading is a note in results, without its text.
type heading struct {
	ID        string   `json:"id"`
	Slug      string   `json:"slug"`
	Title     string   `json:"title"`
	Tags      []string `json:"tags"`
	Version   int64    `json:"version"`
	CreatedAt string   `json:"created_at"`
	UpdatedAt string   `json:"updated_at"`
}

var headingProperties = []string{
	`"id":{"type":"string"}`, `"slug":{"type":"string"}`, `"title":{"type":"string"}`, `"tags":{"type":"array","items":{"type":"string"}}`,
	`"version":{"type":"integer"}`, `"created_at":{"type":"string","format":"date-time"}`, `"updated_at":{"type":"string","format":"date-time"}`,
}

func newHeading(d store.Document) heading {
	return heading{d.ID, d.Key, d.Title, d.Tags, d.Version, stamp(d.Created), stamp(d.Updated)}
}

// String is how the texts of results name a note.
func (h heading) String() string { return fmt.Sprintf("**%s** (`%s`)", h.Title, h.Slug) }

// note is a note in results.
type note struct {
	heading
	Content string `json:"content"`
}

var noteProperties = append(slices.Clone(headingProperties), `"content":{"type":"string"}`)

func newNote(d store.Document) note { return note{newHeading(d), d.Body} }

const noteIDSchema = `"note_id":{"type":"string","minLength":1,"maxLength":256,"description":"The note's slug, or its full id"}`

// findNote is the caller's note of a slug or full id. No slug looks like an id.
func findNote(tx store.Documents, s auth.Scope, ref string) (store.Document, error) {
	find := func() (store.Document, error) { return tx.KeyedDocument(s, store.Note, "", ref) }
	if idForm().MatchString(ref) {
		find = func() (store.Document, error) { return tx.Document(s, ref) }
	}
	d, err := find()
	if err == nil && d.Kind != store.Note {
		err = store.ErrNotFound
	}
	if errors.Is(err, store.ErrNotFound) {
		err = &tools.Error{
			Code:    tools.CodeNotFound,
			Message: "no note of yours has this slug or id",
			Hint:    "use note_list or note_search and take the slug from there",
		}
	}
	return d, err
}

type noteArguments struct {
	ID      string  `json:"note_id"`
	Title   string  `json:"title"`
	Content string  `json:"content"`
	Tags    string  `json:"tags"`
	Version float64 `json:"version"`
	Deep    bool    `json:"deep_dive"`
}

func (a noteArguments) size() int { return len(a.Content) }

func noteCreate(turns *store.Turns) *tools.Tool {
	return &tools.Tool{
		Name:  "note_create",
		Title: "Create a note",
		Description: "Keep a page of text under a title. Returns its slug, by which the other note tools know it. " +
			"A second note of one title gets a slug of its own. At most 64 KiB, 32 tags.",
		Tier: auth.Medium,
		Input: jsontext.Value(`{"type":"object","additionalProperties":false,"required":["title","content"],"properties":{` +
			`"title":{"type":"string","minLength":1,"maxLength":200,"description":"One line"},` +
			`"content":{"type":"string","minLength":1,"maxLength":65536,"description":"The text, Markdown for instance"},` +
			`"tags":{"type":"string","default":"","description":"Tags, separated by commas: at most 32 of 64 bytes"},` +
			`"deep_dive":{"type":"boolean","default":true,"description":"Taken for compatibility; does nothing"}}}`),
		Output:  jsontext.Value(object(noteProperties...)),
		Handler: handle(noteArguments{}, byTurns(turns, noteArguments.size, createNote)),
	}
}

func createNote(ctx context.Context, call *tools.Call, a noteArguments) (*tools.Result, error) {
	title, err := name("title", a.Title)
	if err != nil {
		return nil, err
	}
	body, err := content("content", a.Content)
	if err != nil {
		return nil, err
	}
	tags, err := tagsOf(a.Tags)
	if err != nil {
		return nil, err
	}
	d := store.Document{User: call.Principal.User, Kind: store.Note, Title: title, Body: body, Tags: tags, Source: call.Principal.Client}
	var stored store.Document
	err = change(ctx, call, func(tx store.Tx) error {
		next := d
		var err error
		if next.Key, err = freeSlug(tx, call.Principal.Scope(), slugOf(title)); err != nil {
			return err
		}
		stored, err = tx.PutDocument(next)
		return err
	})
	if err != nil {
		return nil, err
	}
	made := newNote(stored)
	return result("Note created: "+made.String(), made)
}

func noteRead() *tools.Tool {
	return &tools.Tool{
		Name:        "note_read",
		Title:       "Read a note",
		Description: "Read one note by its slug.",
		Tier:        auth.Low,
		Idempotent:  true,
		Input:       jsontext.Value(`{"type":"object","additionalProperties":false,"required":["note_id"],"properties":{` + noteIDSchema + `}}`),
		Output:      jsontext.Value(object(noteProperties...)),
		Handler: handle(noteArguments{}, func(ctx context.Context, call *tools.Call, a noteArguments) (*tools.Result, error) {
			ref, err := name("note_id", a.ID)
			if err != nil {
				return nil, err
			}
			var found store.Document
			err = call.View(ctx, func(tx store.Tx) (err error) {
				found, err = findNote(tx, call.Principal.Scope(), ref)
				return err
			})
			if err != nil {
				return nil, err
			}
			return noteResult(newNote(found))
		}),
	}
}

func noteResult(n note) (*tools.Result, error) {
	lines := []string{n.String()}
	if len(n.Tags) > 0 {
		lines = append(lines, "Tags: "+strings.Join(n.Tags, ", "))
	}
	lines = append(lines, fmt.Sprintf("Updated: %s, version %d", n.UpdatedAt, n.Version), "", n.Content)
	return result(strings.Join(lines, "\n"), n)
}
