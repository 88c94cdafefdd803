package runner

import (
	"context"

	"prax/store"
)

// Get is an instance as it is. When its time is over the timeout is applied first.
func (r *Runner) Get(ctx context.Context, w Work, id string) (*Answer, error) {
	return nil, ErrUnknownInstance
}

// Page is a part of a list.
type Page struct {
	Instances []store.ListedInstance
	Next      int64 // Before of the filter for the next page; 0: there is none
}

// List is the newest instances that the caller may see, of definitions that it may use.
func (r *Runner) List(ctx context.Context, w Work, f store.InstanceFilter) (Page, error) {
	return Page{}, nil
}

// History is the steps of an instance after a version, oldest first.
func (r *Runner) History(ctx context.Context, w Work, id string, after int64, limit int) ([]store.Step, error) {
	return nil, ErrUnknownInstance
}

// Acknowledge notes that a subject was shown to the caller within an instance, for the guards that demand it.
func (r *Runner) Acknowledge(ctx context.Context, w Work, id, subject, hash string) error {
	return ErrUnknownInstance
}
