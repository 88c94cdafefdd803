package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"prax/store"
	"prax/tools"
)

// Limits of what a caller hands in. A schema counts characters; bytes are counted here.
const (
	maxTags     = 32
	maxTagBytes = 64
)

// content is a text that a tool is to keep, as it was given.
func content(argument, text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", misfit(argument, "must not be blank")
	}
	return optionalContent(argument, text)
}

func optionalContent(argument, text string) (string, error) {
	if len(text) > store.MaxDocumentBytes {
		return "", misfit(argument, "must have at most %d bytes, has %d", store.MaxDocumentBytes, len(text))
	}
	return text, nil
}

// line is a name or title: one line, with one blank between its words.
func line(text string) string { return strings.Join(strings.Fields(text), " ") }

// name is a line that must say something.
func name(argument, text string) (string, error) {
	if text = line(text); text == "" {
		return "", misfit(argument, "must not be blank")
	}
	return text, nil
}

// tagsOf splits tags at commas; blank ones do not count.
func tagsOf(text string) ([]string, error) {
	tags := []string{}
	for tag := range strings.SplitSeq(text, ",") {
		tag = line(tag)
		if tag == "" {
			continue
		}
		if len(tag) > maxTagBytes {
			return nil, misfit("tags", "must have at most %d bytes each, one has %d", maxTagBytes, len(tag))
		}
		if tags = append(tags, tag); len(tags) > maxTags {
			return nil, misfit("tags", "must be at most %d", maxTags)
		}
	}
	return tags, nil
}

// change is the call's Update. The quota of a user is said with what the user can do about it.
func change(ctx context.Context, call *tools.Call, f func(store.Tx) error) error {
	err := call.Update(ctx, f)
	if errors.Is(err, store.ErrQuota) {
		return &tools.Error{
			Code: tools.CodeQuota,
			Message: fmt.Sprintf("your quota is reached, nothing was stored: a user keeps at most %d documents of %d KiB each, %d MiB together",
				store.MaxDocuments, store.MaxDocumentBytes>>10, store.MaxUserBytes>>20),
			Hint: "remove what is no longer needed with todo_remove or memory_stm_delete, or ask the operator to delete memories, notes or concepts",
		}
	}
	return err
}

// put stores one document for the caller.
func put(ctx context.Context, call *tools.Call, d store.Document) (stored store.Document, err error) {
	d.User, d.Source = call.Principal.User, call.Principal.Client
	err = change(ctx, call, func(tx store.Tx) (err error) {
		stored, err = tx.PutDocument(d)
		return err
	})
	return stored, err
}
