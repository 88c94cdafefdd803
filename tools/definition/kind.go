package definition

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"prax/tools"
	"prax/tools/workflow"
)

// plainKinds are the kinds of executor without an effect that a workflow may have.
var plainKinds = []string{workflow.KindHuman, workflow.KindNoop}

// has tells whether an executor is of one of these kinds.
func has[T any](kinds map[string]T, e *value) bool {
	kind := e.find("kind")
	if kind == nil || kind.kind != '"' {
		return false
	}
	_, known := kinds[kind.text]
	return known
}

// laterKinds are those that praxec has and prax does not yet.
var laterKinds = []string{
	"a2a", "agent", "diff", "dry_run", "ingest", "inventory", "llm", "mcp", "parallel", "path_grounding", "pipeline",
	"registry", "skill", "structural_analysis", "tool-suggest", "tool_source", "workflow",
}

// kindOf is the kind of an executor, if it is one of those known here. The others that there are stand elsewhere only,
// as where says.
func (r *reader) kindOf(v *value, path string, known, others []string, where string) (string, bool) {
	kind := v.find("kind")
	if kind == nil {
		r.missing(path, "kind", "known are "+strings.Join(known, ", "))
		return "", false
	}
	path += "/kind"
	if !r.is(kind, path, '"') {
		return "", false
	}
	text, list := "is "+strconv.Quote(shown(kind.text)), "known here are "+strings.Join(known, ", ")
	switch {
	case slices.Contains(known, kind.text):
		return kind.text, true
	case slices.Contains(others, kind.text):
		r.about(UnknownExecutor, path, text+", which "+where+": "+list)
	case slices.Contains(laterKinds, kind.text):
		r.about(UnknownExecutor, path, text+": this version has no such executor yet; "+list)
	case tools.Nearest(kind.text, known) != "":
		r.about(UnknownExecutor, path, text+", which is not known: did you mean "+strconv.Quote(tools.Nearest(kind.text, known))+"? "+list)
	default:
		r.about(UnknownExecutor, path, text+", which is not known: "+list)
	}
	return "", false
}

// toolKind is the kind of a tool's executor.
func (c *compiler) toolKind(v *value, path string) (string, bool) {
	known := slices.AppendSeq(slices.Collect(maps.Keys(c.kinds.Tools)), maps.Keys(c.kinds.Executors))
	slices.Sort(known)
	return c.kindOf(v, path, known, plainKinds, "stands in a workflow only")
}

// workflowKind is the kind of an executor in a workflow.
func (b *builder) workflowKind(v *value, path string) (string, bool) {
	known := slices.AppendSeq(slices.Clone(plainKinds), maps.Keys(b.kinds.Executors))
	slices.Sort(known)
	return b.kindOf(v, path, known, slices.Sorted(maps.Keys(b.kinds.Tools)), "answers only for a tool of its own, with expose: tool")
}
