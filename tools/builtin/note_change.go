package builtin

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools"
)

func noteUpdate(turns *store.Turns) *tools.Tool {
	return &tools.Tool{
		Name:  "note_update",
		Title: "Update a note",
		Description: "Replace the text of a note, and its title and tags if you give them. Its slug stays. " +
			"Give the version that you read to be refused when somebody changed the note since.",
		Tier:       auth.Medium,
		Idempotent: true,
		Input: jsontext.Value(`{"type":"object","additionalProperties":false,"required":["note_id","content"],"properties":{` + noteIDSchema + `,` +
			`"content":{"type":"string","minLength":1,"maxLength":65536,"description":"The whole new text"},` +
			`"title":{"type":"string","default":"","maxLength":200,"description":"The new title; empty: as it is"},` +
			`"tags":{"type":"string","default":"","description":"The new tags, separated by commas: at most 32 of 64 bytes. Empty: as they are; a lone comma: none"},` +
			`"version":{"type":"integer","minimum":0,"maximum":9007199254740992,"default":0,"description":"The version that is to be replaced; 0: whichever there is"}}}`),
		Output:  jsontext.Value(object(noteProperties...)),
		Handler: handle(noteArguments{}, byTurns(turns, noteArguments.size, updateNote)),
	}
}

func updateNote(ctx context.Context, call *tools.Call, a noteArguments) (*tools.Result, error) {
	ref, err := name("note_id", a.ID)
	if err != nil {
		return nil, err
	}
	if _, err = content("content", a.Content); err != nil {
		return nil, err
	}
	tags, err := tagsOf(a.Tags)
	if err != nil {
		return nil, err
	}
	var stored store.Document
	err = change(ctx, call, func(tx store.Tx) error {
		next, err := findNote(tx, call.Principal.Scope(), ref)
		if err != nil {
			return err
		}
		if expected := int64(a.Version); expected != 0 && expected != next.Version {
			return &tools.Error{
				Code:    tools.CodeConflict,
				Message: fmt.Sprintf("the note has version %d by now, not %d: nothing was changed", next.Version, expected),
				Hint:    "read it with note_read, bring your change in, and update that version",
			}
		}
		if err := outOfTurn(ctx, next); err != nil {
			return err
		}
		next.Body, next.Title, next.Source = a.Content, cmp.Or(line(a.Title), next.Title), call.Principal.Client
		if strings.TrimSpace(a.Tags) != "" {
			next.Tags = tags
		}
		stored, err = tx.PutDocument(next)
		return err
	})
	if err != nil {
		return nil, err
	}
	made := newNote(stored)
	return result("Note updated: "+made.String(), made)
}

func noteDelete(turns *store.Turns) *tools.Tool {
	return &tools.Tool{
		Name:        "note_delete",
		Title:       "Delete a note",
		Description: "Delete one note for good, by its slug.",
		Tier:        auth.High,
		Idempotent:  true,
		Input:       jsontext.Value(`{"type":"object","additionalProperties":false,"required":["note_id"],"properties":{` + noteIDSchema + `}}`),
		Output:      jsontext.Value(object(headingProperties...)),
		Handler:     handle(noteArguments{}, byTurns(turns, noteArguments.size, deleteNote)),
	}
}

func deleteNote(ctx context.Context, call *tools.Call, a noteArguments) (*tools.Result, error) {
	ref, err := name("note_id", a.ID)
	if err != nil {
		return nil, err
	}
	var removed store.Document
	err = change(ctx, call, func(tx store.Tx) (err error) {
		scope := call.Principal.Scope()
		if removed, err = findNote(tx, scope, ref); err != nil {
			return err
		}
		if err := outOfTurn(ctx, removed); err != nil {
			return err
		}
		return tx.DeleteDocument(scope, removed.ID)
	})
	if err != nil {
		return nil, err
	}
	gone := newHeading(removed)
	return result("Note deleted: "+gone.String(), gone)
}
