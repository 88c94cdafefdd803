package builtin

import (
	"context"
	"errors"

	"prax/store"
	"prax/tools"
)

// largeText is a text, in bytes, whose words take the store long to index, or to take out of the index:
// thousands of them. The store writes for everybody, one after the other.
const largeText = 4 << 10

// errLarge is the end of a change that turns out to touch a large text although it was begun without the
// user's turn. Nothing came of it: it is made again, with the turn.
var errLarge = errors.New("a large text out of turn")

type inTurn struct{}

// byTurns is f, of which each user has one at a time on its way to the store when the text that a call
// brings, in bytes, is large, or when what it replaces or removes is, which f finds out with outOfTurn.
func byTurns[A any](turns *store.Turns, brings func(A) int, f func(context.Context, *tools.Call, A) (*tools.Result, error)) func(context.Context, *tools.Call, A) (*tools.Result, error) {
	return func(ctx context.Context, call *tools.Call, a A) (*tools.Result, error) {
		if brings(a) < largeText {
			if res, err := f(ctx, call, a); !errors.Is(err, errLarge) {
				return res, err
			}
		}
		give, err := turns.Take(ctx, call.Principal.User)
		if err != nil {
			return nil, err
		}
		defer give()
		return f(context.WithValue(ctx, inTurn{}, true), call, a)
	}
}

// outOfTurn is errLarge when a kept document that is about to be replaced or removed has a large text, and
// the call does not have the turn.
func outOfTurn(ctx context.Context, kept store.Document) error {
	if len(kept.Body) >= largeText && ctx.Value(inTurn{}) == nil {
		return errLarge
	}
	return nil
}
