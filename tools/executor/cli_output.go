package executor

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"prax/store/digest"
	"prax/tools/process"
	"prax/tools/secret"
	"prax/tools/workflow"
)

// result is what a child that ended has given, without its secrets.
func (c *child) result(o process.Outcome, secrets *secret.Values) workflow.Result {
	stdout, stderr := shown(o.Stdout, o.StdoutCut, secrets), shown(o.Stderr, o.StderrCut, secrets)
	if failure := c.defect(o, stderr); failure != nil {
		return workflow.Result{Failure: failure}
	}
	output := map[string]any{
		"exitCode": float64(o.Exit), "success": o.Exit == 0, "stdout": stdout, "stderr": stderr, "json": nil,
	}
	if o.StdoutCut || o.StderrCut {
		output["truncated"] = true
	}
	if !o.StdoutCut {
		output["json"] = secrets.CutValue(parsed(stdout))
	}
	evidence := workflow.Evidence{Kind: "cli_output", Summary: "exit " + strconv.Itoa(o.Exit), Digest: "sha256:" + digest.Hex([]byte(stdout))}
	if c.script != nil {
		output["scriptSubject"], output["scriptHash"] = c.script.Subject, c.script.Hash
		evidence.Kind, evidence.Digest = "script_output", c.script.Hash
	}
	return workflow.Result{Output: output, Evidence: []workflow.Evidence{evidence}}
}

// shown is what a child wrote, as valid text. The secrets go first: what becomes another character would hide one.
func shown(b []byte, cut bool, secrets *secret.Values) string {
	if cut {
		b = secrets.CutTruncated(b)
	} else {
		b = secrets.Cut(b)
	}
	return strings.ToValidUTF8(string(b), string(utf8.RuneError))
}

// parsed is the JSON that a text is; nil when it is none, one that two readers could understand differently, or one that
// nests deeper than what can be stored.
func parsed(text string) any {
	if digest.Check([]byte(text)) != nil || !shallow([]byte(text)) {
		return nil
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return nil
	}
	return v
}
