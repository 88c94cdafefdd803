package executor

import (
	"context"

	"prax/auth"
	"prax/tools"
)

// Dispatch calls a tool for an executor: tools.Registry is one.
type Dispatch interface {
	// Dispatch is the pipeline of a call that an attempt makes, on the strength of an admission in place of the
	// caller's allowlist where that does not have the tool.
	Dispatch(ctx context.Context, c *tools.Call, a tools.Admission) (*tools.Result, error)

	// Find is the tool of this name, whoever may use it.
	Find(name string) (*tools.Tool, bool)

	// Tier is its tier.
	Tier(name string) (auth.Tier, bool)
}
