package runner

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"prax/store"
)

// noticesOf are what a change tells: that an approval waits. nil: it opens none, or the operator is told nothing.
func (r *Runner) noticesOf(w *written) []store.Notice {
	if r.config.Hook == nil || w == nil || w.approval == nil {
		return nil
	}
	a := w.approval
	return []store.Notice{{
		ID: r.config.NewID("nt_"), Kind: store.NoticeApproval, User: a.User, Workflow: a.Instance, Approval: a.ID, At: a.Created, Expires: a.Expires,
	}}
}

// doubtNotice tells of an attempt that is in doubt from a closing on; nil: it is not, or the operator is told nothing.
func (r *Runner) doubtNotice(a store.Attempt, c store.Closing) []store.Notice {
	if r.config.Hook == nil || c.Status != store.AttemptUnknown {
		return nil
	}
	return []store.Notice{{ID: r.config.NewID("nt_"), Kind: store.NoticeUnknown, User: a.User, Workflow: a.Instance, Attempt: a.ID, At: c.At}}
}

// addNotices writes notices down in the transaction of what they tell, and says how many there was no room for.
func addNotices(tx store.Tx, all []store.Notice) (untold int, err error) {
	for _, n := range all {
		added, err := tx.AddNotice(n)
		if err != nil {
			return 0, err
		}
		if !added {
			untold++
		}
	}
	return untold, nil
}

// noted has notices delivered that are durable now.
func (r *Runner) noted(all []store.Notice, untold int) {
	if untold > 0 {
		r.config.Log.Warn("the operator is not told of something, as too much of its kind waits to be told",
			"kind", string(all[0].Kind), "workflow", all[0].Workflow, "waiting", store.MaxNotices)
	}
	if len(all) > untold {
		r.outbox.wake()
	}
}

// Notify writes down what the operator is to be told of beside what the runner itself comes by. Each gets an id; what was
// told already, or what there is no room for, is left out. Without a Hook nothing is written.
func (r *Runner) Notify(ctx context.Context, all ...store.Notice) error {
	if r.config.Hook == nil {
		return nil
	}
	for n := range all {
		all[n].ID = r.config.NewID("nt_")
	}
	err := r.config.Store.Update(ctx, func(tx store.Tx) error {
		_, err := addNotices(tx, all)
		return err
	})
	r.outbox.wake()
	return err
}

// message is what a hook gets, as one line of JSON: ids, kinds and times.
type message struct {
	ID        string           `json:"id"`
	Kind      store.NoticeKind `json:"kind"`
	At        time.Time        `json:"at"`
	Workflow  string           `json:"workflow,omitzero"`
	Approval  string           `json:"approval,omitzero"`
	Attempt   string           `json:"attempt,omitzero"`
	Client    string           `json:"client,omitzero"`
	ExpiresAt time.Time        `json:"expires_at,omitzero"`
}

func messageOf(n store.Notice) ([]byte, error) {
	text, err := json.Marshal(message{n.ID, n.Kind, n.At, n.Workflow, n.Approval, n.Attempt, n.Client, n.Expires}, json.Deterministic(true))
	return append(text, '\n'), err
}
