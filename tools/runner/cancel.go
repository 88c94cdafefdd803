package runner

import "context"

// Cancel ends an instance where it is. One that was cancelled already stays as it is, and is no error.
func (r *Runner) Cancel(ctx context.Context, w Work, id, reason string) (*Answer, error) {
	return nil, ErrUnknownInstance
}
