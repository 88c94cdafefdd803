package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"prax/tools"
	"prax/tools/definition"
	"prax/tools/egress"
	"prax/tools/executor"
	"prax/tools/runner"
	"prax/tools/secret"
	"prax/tools/workflow"
)

// executors are what runs effects, of each kind that definitions may use.
func (a *app) executors() (executor.Kinds, error) {
	secrets, err := a.settings.secrets()
	if err != nil {
		return nil, err
	}
	if !a.quiet {
		if err := executor.ClearScripts(secrets); err != nil {
			return nil, fmt.Errorf("scripts of an earlier start: %w", err)
		}
	}
	out, err := egress.New(egress.Config{Allow: a.settings.EgressAllow, Log: a.out.log})
	if err != nil {
		return nil, fmt.Errorf("PRAX_EGRESS_ALLOW: %w", err)
	}
	return executor.Kinds{
		"cli":    executor.NewCLI(secrets),
		"script": executor.NewScript(secrets),
		"rest":   executor.NewREST(secrets, out),
		"tool":   executor.NewTool(a.tools),
	}, nil
}

// secrets is where the values of connections come from.
func (s *settings) secrets() (*secret.Source, error) {
	data, err := filepath.Abs(s.Data)
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	return &secret.Source{DataDir: data}, nil
}

// connection is the one of this name that is in force.
func (a *app) connection(name string) (*workflow.Connection, bool) {
	c, found := a.definitionSet().Connections[name]
	return c, found
}

// capability is the one of this name that is in force as a tool.
func (a *app) capability(name string) (*workflow.Capability, bool) {
	for _, c := range a.definitionSet().Capabilities {
		if c.Name == name {
			return c, true
		}
	}
	return nil, false
}

// declared are the tools of a set, for what needs their declarations and calls none.
func declared(set *definition.Set) []*tools.Tool {
	if set == nil {
		return nil
	}
	return append(append([]*tools.Tool{}, set.Tools...), runner.New(runner.Config{}).Tools(set.Capabilities)...)
}

// stopEffects waits for what runs outside of prax, and ends what is not over by then: it is in doubt from then on,
// unless it can be known that it did not happen.
func (a *app) stopEffects(by time.Time) error {
	ctx, cancel := context.WithDeadline(context.Background(), by)
	defer cancel()
	return a.runner.Stop(ctx)
}

// finish is the end of a command that had the store for itself: what it set going outside of prax is waited for, until a
// signal says that this takes too long.
func (a *app) finish(ctx context.Context) func() error {
	return func() error { return errors.Join(a.runner.Stop(ctx), a.close()) }
}
