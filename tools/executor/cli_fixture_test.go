package executor_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store/digest"
	"prax/tools/executor"
	"prax/tools/schema"
	"prax/tools/secret"
	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// everywhere are the roots that an executor of a workflow may read.
const everywhere = expr.Context | expr.Arguments | expr.Input | expr.Workflow | expr.Run

// bench is what executors that start a child are tried with: connections, scripts, and what paths lead into.
type bench struct {
	connections map[string]*workflow.Connection
	scripts     map[string]*workflow.Guidance
	env         expr.Env
	key         string
	secrets     secret.Source
}

// connect adds a connection, written as JSON with ' for ".
func (b *bench) connect(t *testing.T, name, config string) {
	t.Helper()
	spec := &executor.CLIConnection{}
	read(t, config, spec)
	if found := spec.CheckConnection(t.TempDir()); found != nil {
		t.Fatalf("%s: %v", config, found)
	}
	if b.connections == nil {
		b.connections = map[string]*workflow.Connection{}
	}
	b.connections[name] = &workflow.Connection{Name: name, Kind: "cli", Tier: auth.Low, Digest: digest.Hex([]byte(config)), Spec: spec}
}

// script adds a script of the library.
func (b *bench) script(subject, body string) {
	if b.scripts == nil {
		b.scripts = map[string]*workflow.Guidance{}
	}
	hash := "sha256:" + digest.Hex([]byte(strings.TrimRight(body, "\n")))
	b.scripts[subject] = &workflow.Guidance{Subject: subject, Script: true, Body: body, Hash: hash}
}

func (b *bench) connection(name string) (*workflow.Connection, bool) {
	c, ok := b.connections[name]
	return c, ok
}

func (b *bench) surroundings() workflow.Surroundings {
	return workflow.Surroundings{Roots: everywhere, Connection: b.connection, Script: func(subject string) (*workflow.Guidance, bool) {
		g, ok := b.scripts[subject]
		return g, ok
	}}
}

// check fills a spec of a kind strictly, and has it checked.
func (b *bench) check(t *testing.T, kind, config string) (workflow.Spec, auth.Tier, []schema.Violation) {
	t.Helper()
	spec := executor.Specs().Executors[kind]()
	read(t, config, spec)
	tier, found := spec.Check(b.surroundings())
	return spec, tier, found
}

func read(t *testing.T, config string, into any) {
	t.Helper()
	raw := jsontext.Value(strings.ReplaceAll(config, "'", `"`))
	if err := json.Unmarshal(raw, into, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("%s: %v", config, err)
	}
}

// prepare prepares an executor of a kind.
func (b *bench) prepare(t *testing.T, kind, config string) (*executor.Run, *workflow.Failure) {
	t.Helper()
	spec, tier, found := b.check(t, kind, config)
	if found != nil {
		t.Fatalf("%s: %v", config, found)
	}
	kinds := executor.Kinds{"cli": executor.NewCLI(&b.secrets), "script": executor.NewScript(&b.secrets)}
	return kinds[kind].Prepare(t.Context(), executor.Request{
		Executor:   &workflow.Executor{Kind: kind, Tier: max(tier, auth.Medium), Spec: spec},
		Connection: b.connection, Env: b.env, Key: b.key,
	})
}

// run runs an executor once.
func (b *bench) run(t *testing.T, kind, config string) workflow.Result {
	t.Helper()
	run, failure := b.prepare(t, kind, config)
	if failure != nil {
		return workflow.Result{Failure: failure}
	}
	return run.Do(t.Context())
}

// stdout is what an executor of the kind cli prints.
func (b *bench) stdout(t *testing.T, config string) string {
	t.Helper()
	r := b.run(t, "cli", config)
	if r.Failure != nil {
		t.Fatalf("%s: %+v", config, r.Failure)
	}
	return r.Output.(map[string]any)["stdout"].(string)
}

// arguments is an Env with a caller's arguments.
func arguments(of map[string]any) expr.Env {
	return expr.Env{Arguments: of, ID: "wf_1", State: "open", Version: 7}
}

// quoted is a text as JSON that read leaves as it is.
func quoted(text string) string {
	raw, _ := jsontext.AppendQuote(nil, text)
	return strings.ReplaceAll(string(raw), "'", `\u0027`)
}

// shell is the configuration of a shell that runs a text.
func shell(text string) string { return `{'command':'sh','args':['-c',` + quoted(text) + `]}` }
