package definition

import (
	"cmp"

	"prax/auth"
	"prax/tools/workflow"
)

// effect is an executor in its stored form. Its risk is that of everything that had a say in it.
type effect struct {
	Kind  string `json:"kind"`
	Risk  string `json:"risk"`
	Queue string `json:"queue"`
}

// executor compiles what happens before the target is reached; nil when nothing does.
func (b *builder) executor(v *value, at string) *workflow.Executor {
	if v == nil || !b.is(v, at, '{') {
		return nil
	}
	kind, ok := b.workflowKind(v, at)
	if !ok {
		return nil
	}
	keys := []string{"kind", "risk"}
	if kind == workflow.KindHuman {
		keys = append(keys, "queue")
	}
	var read effect
	if !b.only(v, at, keys...) || !b.read(v, at, &read) {
		return nil
	}
	e := &workflow.Executor{Kind: kind, Tier: max(auth.Low, b.reader.risk(v, read.Risk, at))}
	if kind == workflow.KindHuman {
		e.Queue = cmp.Or(read.Queue, workflow.DefaultQueue)
		if !isLabel(e.Queue) {
			b.about(BadValue, at+"/queue", labelForm)
		}
	}
	return e
}
