package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"

	"prax/store"
)

// Export writes the events after a number as lines of JSON, oldest first, each in its canonical
// form with its hash, and as the last line the signed head when there is one. Whoever takes the
// member "hash" out of a line and canonicalizes the rest (RFC 8785) has what the hash is over.
//
// In the place of an event that cannot be read stands a line of the kind "unreadable", whose hash
// does not fit; all others are written, and the error at the end names the first of them.
func (db *DB) Export(ctx context.Context, w io.Writer, after int64) error {
	head, headErr := db.readHead()
	var unreadable error
	for {
		var events []store.Event
		err := db.View(ctx, func(t store.Tx) (err error) {
			events, err = t.EventsAfter(after, verifyStep)
			return err
		})
		if err != nil {
			return fmt.Errorf("export after event %d: %w", after, err)
		}
		if len(events) == 0 {
			break
		}
		for _, e := range events {
			if err := exportEvent(w, e); err != nil {
				return fmt.Errorf("export event %d: %w", e.Seq, err)
			}
			if e.Kind == store.EventUnreadable && unreadable == nil {
				unreadable = fmt.Errorf("event %d cannot be read, a placeholder stands for it and for others like it", e.Seq)
			}
			after = e.Seq
		}
	}
	if head != nil {
		if _, err := w.Write(store.EncodeHead(*head)); err != nil {
			return fmt.Errorf("export head: %w", err)
		}
	}
	return errors.Join(unreadable, headErr)
}

func exportEvent(w io.Writer, e store.Event) error {
	_, err := w.Write(append(store.EncodeEvent(e), '\n'))
	return err
}
