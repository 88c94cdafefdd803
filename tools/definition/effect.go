package definition

import (
	"cmp"
	"strconv"

	"prax/auth"
	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// asking is the executor human in its stored form.
type asking struct {
	Queue string `json:"queue"`
}

// effect is what every executor in its stored form may have beside what its kind does. Its risk is that of everything
// that had a say in it.
type effect struct {
	Kind string `json:"kind"`
	Risk string `json:"risk"`
	Key  *value `json:"idempotencyKey"`
}

// effectKeys are those of an effect.
var effectKeys = keys[effect]()

// inEffect is what an executor can read.
const inEffect = expr.Context | expr.Arguments | expr.Input | expr.Workflow

// executor compiles what happens before the target is reached; nil when nothing does. Reliability stands beside it, in
// what the path above leads to.
func (b *builder) executor(v, reliability *value, above string, roots expr.Roots) *workflow.Executor {
	at := above + "/executor"
	if v == nil || !b.is(v, at, '{') {
		return nil
	}
	kind, ok := b.workflowKind(v, at)
	if !ok {
		return nil
	}
	if has(b.kinds.Executors, v) {
		e := b.effect(v, at, roots)
		if e != nil && reliability != nil {
			b.reliability(e, reliability, above+"/reliability", roots)
		}
		return e
	}
	return b.plain(v, kind, at)
}

// plain compiles an executor without an effect.
func (b *builder) plain(v *value, kind, at string) *workflow.Executor {
	keys := []string{"kind", "risk"}
	if kind == workflow.KindHuman {
		keys = append(keys, "queue")
	}
	if !b.only(v, at, keys...) {
		return nil
	}
	var read effect
	var human asking
	common, rest := v.apart(effectKeys)
	if !b.read(common, at, &read) || !b.read(rest, at, &human) {
		return nil
	}
	e := &workflow.Executor{Kind: kind, Tier: max(auth.Low, b.risk(v, read.Risk, at))}
	if kind == workflow.KindHuman {
		e.Queue = cmp.Or(human.Queue, workflow.DefaultQueue)
		if !isLabel(e.Queue) {
			b.about(BadValue, at+"/queue", labelForm)
		}
	}
	return e
}

// once is how an executor is tried of which nothing is said.
var once = workflow.Reliability{Tries: 1, Backoff: workflow.BackoffNone}

// effect compiles an executor that has one.
func (b *builder) effect(v *value, at string, roots expr.Roots) *workflow.Executor {
	var read effect
	common, rest := v.apart(effectKeys)
	fits := b.read(common, at, &read)
	spec := b.kinds.Executors[read.Kind]()
	if !b.read(rest, at, spec) || !fits || !b.named(v, at) {
		return nil
	}
	e := &workflow.Executor{Kind: read.Kind, Config: b.config(rest, at), Spec: spec, Reliability: once}
	e.Idempotent, e.KeyText = b.key(read.Key, at+"/idempotencyKey")
	if e.Idempotent && e.Kind == kindTool {
		b.about(InvalidReliability, at+"/idempotencyKey", "would be handed to nobody: a tool takes none, and each call of one has a key of its own")
		e.Idempotent, e.KeyText = false, ""
	}
	w := b.around
	w.Dir, w.Roots, w.Script = folderOf(v), roots, b.script
	tier, found := spec.Check(w)
	for _, one := range found {
		b.about(BadValue, at+one.Path, one.Message)
	}
	e.Tier = max(auth.Low, tier, b.risk(v, read.Risk, at))
	return e
}

// script finds one that an executor can run. One that a workflow refers to and that nobody has defined keeps the workflow
// from being started ([Pending]); its executor runs nothing.
func (b *builder) script(subject string) (*workflow.Guidance, bool) {
	g := b.scripts[subject]
	if g == nil && b.pends && subjectForm().MatchString(subject) {
		return &workflow.Guidance{Subject: subject, Script: true}, true
	}
	return g, g != nil && g.Script
}

// named checks that what an executor leads to is there, as far as that is known here.
func (b *builder) named(v *value, at string) bool {
	name := v.find("connection")
	if name == nil || b.around.Connection == nil {
		return true
	}
	if found, there := b.around.Connection(name.text); there || name.text == "" {
		return found == nil || found.Spec != nil // one that is wrong is told where it stands
	}
	b.about(UnknownName, at+"/connection", "names no connection: "+strconv.Quote(shown(name.text))+suggest(name.text, b.links))
	return false
}
