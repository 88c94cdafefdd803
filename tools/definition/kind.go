package definition

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"prax/tools"
	"prax/tools/workflow"
)

// workflowKinds are the kinds of executor that a workflow may have.
var workflowKinds = []string{workflow.KindHuman, workflow.KindNoop}

// laterKinds are those that praxec has and prax does not yet.
var laterKinds = []string{
	"a2a", "agent", "cli", "diff", "dry_run", "ingest", "inventory", "llm", "mcp", "parallel", "path_grounding", "pipeline",
	"registry", "rest", "script", "skill", "structural_analysis", "tool", "tool-suggest", "tool_source", "workflow",
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
	return c.kindOf(v, path, slices.Sorted(maps.Keys(c.kinds.Tools)), workflowKinds, "stands in a workflow only")
}

// workflowKind is the kind of an executor in a workflow.
func (b *builder) workflowKind(v *value, path string) (string, bool) {
	return b.kindOf(v, path, workflowKinds, slices.Sorted(maps.Keys(b.kinds.Tools)), "answers only for a tool of its own, with expose: tool")
}
