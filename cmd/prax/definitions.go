package main

import (
	"context"

	"prax/store"
	"prax/tools"
	"prax/tools/definition"
	"prax/tools/executor"
)

// definedSource is the source of the operator's own tools in the registry.
const definedSource = "config"

// kinds are the kinds of executor that definitions may use.
func kinds() definition.Kinds {
	return definition.Kinds{
		Tools: map[string]func() definition.Executor{"static": func() definition.Executor { return &executor.Static{} }},
		Specs: executor.Specs(),
	}
}

// definitionFile is the file of definitions; "" when there is none. One that nobody asked for by name may be
// missing.
func (s *settings) definitionFile() string {
	switch s.values["PRAX_CONFIG"].source {
	case sourceDefault, sourceDev:
		if !exists(s.Config) {
			return ""
		}
	}
	return s.Config
}

// defineAll reads the definitions for a command that runs without a server. The set is nil when there are none, or
// none that can be used.
func (s *settings) defineAll() (*definition.Set, definition.Problems) {
	path := s.definitionFile()
	if path == "" {
		return nil, nil
	}
	return definition.Load(path, kinds(), ownTools()...)
}

// definitionSet is what the file of definitions says, for a command that can do nothing without it.
func (s *settings) definitionSet() (*definition.Set, error) {
	switch set, problems := s.defineAll(); {
	case set != nil:
		return set, nil
	case len(problems) == 0:
		return nothingDefined, nil
	}
	return nil, failed("prax check names what is wrong with it", "%s cannot be used", s.Config)
}

// define reads the tools that are defined.
func (s *settings) define() ([]*tools.Tool, definition.Problems) {
	set, problems := s.defineAll()
	return declared(set), problems
}

// catalogue is the tools that a server with these settings would have.
func (s *settings) catalogue() catalogue {
	defined, _ := s.define() // what is wrong with the file is for check to tell
	return newCatalogue(defined)
}

// openDefinitions reads the definitions for the first time. A file that cannot be used is told, and defines
// nothing until it can.
func (a *app) openDefinitions() {
	path := a.settings.definitionFile()
	if path == "" {
		return
	}
	a.defined = definition.Open(definition.Config{
		Path: path, Kinds: kinds(), Own: ownTools(), Log: a.out.log, Now: a.now, Changed: a.redefined,
		Apply: a.applyDefinitions,
	})
}

// watchDefinitions keeps the tools in step with the file until ctx ends.
func (a *app) watchDefinitions(ctx context.Context) error {
	if a.defined == nil {
		<-ctx.Done()
		return nil
	}
	return a.defined.Run(ctx)
}

// definedLine is what a start says of the file.
func (a *app) definedLine() string {
	if a.defined == nil {
		return ""
	}
	s := a.defined.Status()
	line := count(s.Tools, "tool")
	if s.Definitions > 0 {
		line += " and " + count(s.Definitions, "workflow")
	}
	line += " of " + printable(s.Path)
	if !s.OK {
		line += ", which cannot be used: the log and prax check say why"
	}
	return line
}

// definitionEvent is the detail of a reading of the definitions.
type definitionEvent struct {
	Event  string `json:"event"`
	Reason string `json:"reason"`
	Digest string `json:"digest,omitzero"` // of what is in force
	Tools  int    `json:"tools"`
	Flows  int    `json:"workflows"`
}

// redefined is told of every reading of the definitions that found another file.
func (a *app) redefined(s definition.Status) {
	if a.quiet {
		return
	}
	outcome := tools.OutcomeOK
	if !s.OK {
		outcome = tools.OutcomeError
	}
	a.note(store.Event{At: a.now(), Kind: store.EventServer, Outcome: outcome},
		definitionEvent{Event: "definitions", Reason: s.Reason, Digest: s.Digest, Tools: s.Tools, Flows: s.Definitions})
}
