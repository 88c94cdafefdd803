package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/server/control"
	"prax/tools"
	"prax/tools/builtin"
	"prax/tools/definition"
	"prax/tools/lexicon"
	"prax/tools/praxec"
	"prax/tools/runner"
	"prax/tools/workflow"
)

// ownTools are the tools that come with prax, for what needs their declarations, changes nothing in them and calls none.
var ownTools = sync.OnceValue(func() []*tools.Tool {
	return slices.Clip(append(builtin.Tools(builtin.Config{}), praxec.Tools(praxec.Config{})...))
})

// openWorkflows builds what runs workflows, and the two tools that callers do it by. They are there whether or not a
// file defines any.
func (a *app) openWorkflows() error {
	a.lexicon = lexicon.New(nil, nil)
	kinds, err := a.executors()
	if err != nil {
		return err
	}
	hook, err := a.settings.Notify.hook(a.settings.EgressAllow, a.out.log)
	if err != nil {
		return fmt.Errorf("PRAX_NOTIFY: %w", err)
	}
	running := runner.Config{
		Store: a.db, Catalog: definitions{a}, Decode: decodeDefinition, Log: a.out.log, Now: a.now, Live: a.liveClient, Lent: a.lentClient,
		Executors: kinds, Connection: a.connection, Capability: a.capability, Hook: hook, Worker: rand.Text(),
	}
	asked := praxec.Config{
		Definitions: a.definitionSet, Lexicon: a.lexicon, Store: a.db, Settings: a.praxecSettings,
		Reload: a.reloadDefinitions, Now: a.now, Log: a.out.log,
	}
	if a.metrics != nil {
		running.Observe, asked.Refused = a.metrics, a.metrics.Refused
	}
	a.runner = runner.New(running)
	asked.Runner = a.runner
	return a.tools.Set("praxec", praxec.Tools(asked))
}

// decodeDefinition compiles a definition as an instance has pinned it.
func decodeDefinition(text jsontext.Value) (*workflow.Definition, error) {
	return definition.Decode(text, kinds())
}

// definitions are those in force, for the runner.
type definitions struct{ *app }

// Definition is the one with this id.
func (d definitions) Definition(id string) (*workflow.Definition, bool) {
	found := d.definitionSet().Definition(id)
	return found, found != nil
}

var nothingDefined = &definition.Set{}

// definitionSet is what is in force of the file of definitions.
func (a *app) definitionSet() *definition.Set {
	if set := a.set.Load(); set != nil {
		return set
	}
	return nothingDefined
}

// applyDefinitions puts what a file defines in force, all of it or nothing. Definitions are stored first: one that
// declares a version which had another content before must not come into force.
func (a *app) applyDefinitions(set *definition.Set) error {
	if err := a.prove(set); err != nil {
		return err
	}
	if !a.quiet {
		if err := a.runner.Pin(context.Background(), set.Definitions); err != nil {
			return err
		}
	}
	if err := a.tools.Set(definedSource, append(slices.Clone(set.Tools), a.runner.Tools(set.Capabilities)...)); err != nil {
		return err
	}
	if err := praxec.Configure(a.lexicon, set); err != nil {
		return err
	}
	a.set.Store(set)
	return nil
}

// maxProofs bounds how many findings a reading logs: prax check tells all of them.
const maxProofs = 20

// prove logs what can be proven to go wrong in the workflows of a set, whoever the clients are. It keeps nothing out
// unless the file asks for that by gateway.strict_validation.
func (a *app) prove(set *definition.Set) error {
	found := proofs(set, func(string) workflow.World { return workflow.World{} })
	for i, f := range found {
		if i == maxProofs {
			a.out.log.Warn("more is wrong with the workflows: prax check tells all of it", "findings", len(found))
			break
		}
		a.out.log.Warn("definitions: " + f.line)
		if f.fails && set.Settings.Strict {
			return fmt.Errorf("%s, and gateway.strict_validation lets no finding pass", f.Text)
		}
	}
	return nil
}

// reloadDefinitions reads the file of definitions again because a caller who may asked for it.
func (a *app) reloadDefinitions() definition.Status {
	if a.defined == nil {
		return definition.Status{OK: true}
	}
	return a.defined.Reload("call")
}

// praxecSettings are what is switched on for callers, by a variable or by the file of definitions.
func (a *app) praxecSettings() praxec.Settings {
	s, in := a.settings, a.definitionSet().Settings
	return praxec.Settings{
		LexiconWrites: s.LexiconWrites || in.LexiconWrites,
		SkillsSearch:  s.SkillsSearch || in.SkillsSearch,
		ScriptsSearch: s.ScriptsSearch || in.ScriptsSearch,
	}
}

// liveClient is a client as clients.json has it now. An operator is always live.
func (a *app) liveClient(name string) (auth.Principal, bool) {
	if p, is := control.Named(name); is {
		return p, true
	}
	if a.clients == nil { // before anybody can call
		return auth.Principal{}, false
	}
	return a.clients.ByName(name)
}

// lentClient is what a signed token leaves of its client now.
func (a *app) lentClient(g *auth.Grant) (auth.Principal, bool) {
	if a.tokens == nil { // before anybody can call
		return auth.Principal{}, false
	}
	return a.tokens.Lent(g)
}
