package main

import (
	"context"
	"fmt"

	"prax/auth"
	"prax/store"
)

// crashWorkflow is what the instances of the harness run: a move that can be taken for ever.
const crashWorkflow = `version: "1.0.0"
workflows:
  round: { initialState: on, initialContext: { n: 0 }, states: { on: { transitions: { again: { target: on, output: { n: { add: ["$.context.n", 1] } } }, end: { target: off } } }, off: { terminal: true } } }
`

// move starts a workflow and takes one move after another, and keeps the version that was acknowledged last.
func (c *crash) move(ctx context.Context, user int) {
	arguments := map[string]any{"definitionId": "round"}
	for ctx.Err() == nil {
		var answer struct {
			Result struct {
				StructuredContent struct {
					Workflow struct {
						ID      string
						Version int64
					}
				}
			}
		}
		if !c.call(ctx, user, "praxec.command", arguments, &answer) {
			return
		}
		w := answer.Result.StructuredContent.Workflow
		if w.ID == "" {
			return
		}
		c.mu.Lock()
		c.moved[crashUser(user)][w.ID] = w.Version
		c.mu.Unlock()
		arguments = map[string]any{"workflowId": w.ID, "expectedVersion": w.Version, "transition": "again"}
	}
}

// stepped holds the instances to what callers were told, and to their histories: a step for each version.
func (c *crash) stepped(tx store.Tx) error {
	for user, versions := range c.moved {
		scope := auth.Principal{User: user}.Scope()
		for id, version := range versions {
			i, err := tx.Instance(scope, id)
			if err != nil {
				return fmt.Errorf("acknowledged instance of %s: %w", user, err)
			}
			steps, err := countSteps(tx, scope, id)
			if err != nil {
				return err
			}
			if i.Version < version || steps != i.Version {
				return fmt.Errorf("acknowledged version %d of %s, stored %d with %d steps", version, id, i.Version, steps)
			}
		}
	}
	return nil
}

func countSteps(tx store.Tx, scope auth.Scope, id string) (n int64, err error) {
	for {
		steps, err := tx.Steps(scope, id, n, store.MaxSteps)
		if err != nil || len(steps) == 0 {
			return n, err
		}
		n += int64(len(steps))
	}
}
