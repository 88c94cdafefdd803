package definition

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store/digest"
	"prax/tools"
	"prax/tools/schema"
	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// noArguments is the schema of a tool that says nothing of any.
const noArguments = `{"type":"object","additionalProperties":false}`

// judgeCapability checks a capability by itself, and adds the tool that it is when it is exposed as one. What is added is
// worth nothing when there is a problem.
func (c *compiler) judgeCapability(set *Set, a *ability) {
	c.lengths(a)
	switch {
	case a.find("expose") == nil:
		c.judgeAbility(a)
	case !a.owns: // told already
	case a.Executor != nil && has(c.kinds.Executors, a.Executor):
		if made := c.capable(a); made != nil {
			set.Capabilities = append(set.Capabilities, made)
		}
	default:
		set.Tools = append(set.Tools, c.tool(a))
	}
}

// tool compiles a capability that answers by itself to a tool of its own.
func (c *compiler) tool(a *ability) *tools.Tool {
	t := &tools.Tool{
		Name: a.name, Title: a.Title, Description: strings.TrimSpace(a.Description), Tier: a.tier,
		AnySchema: true,
	}
	t.Input, t.Output = c.exposed(a)
	if a.Executor != nil && c.is(a.Executor, a.path+"/executor", '{') {
		t.Handler = c.executor(a.Executor, a.path+"/executor", t)
	}
	return t
}

// capable compiles a capability with an effect that is exposed as a tool, once.
func (c *compiler) capable(a *ability) *workflow.Capability {
	if a.made != nil {
		return a.made
	}
	a.making, c.reach = true, c.reach+1
	input, output := c.exposed(a)
	e, reliability := c.written(a)
	b := c.builder(c.reader)
	b.scripts, b.pends = c.fragments, false
	made := &workflow.Capability{
		Name: a.name, Title: a.Title, Description: strings.TrimSpace(a.Description), Tier: a.tier, Input: input, Output: output,
		Executor: b.executor(e, reliability, a.path, expr.Arguments),
	}
	if e := made.Executor; e != nil {
		made.Tier = max(made.Tier, e.Tier)
		if e.KeyText != "" && !strings.Contains(e.KeyText, keyOfCall) {
			c.about(BadValue, a.path+"/executor/idempotencyKey", "would be one for every call of the tool, which has no workflow: put "+keyOfCall+" into it")
		}
		made.Digest = c.madeOf(e)
	}
	a.making, a.made, c.reach = false, made, c.reach-1
	return made
}

// madeOf is the digest of everything that says what an executor does: a person who approves it through a tool approves
// exactly that.
func (c *compiler) madeOf(e *workflow.Executor) string {
	var text []byte
	for _, one := range append([]*workflow.Executor{e}, e.Reliability.Fallback...) {
		text = fmt.Appendf(text, "%q %q %q\n", one.Kind, one.Tier, one.Config)
		var leads struct {
			Connection string `json:"connection"`
			Tool       string `json:"tool"`
		}
		if json.Unmarshal(one.Config, &leads) != nil {
			continue
		}
		if to := c.connections[leads.Connection]; to != nil {
			text = fmt.Appendf(text, "%q\n", to.Digest)
		}
		if a := c.exposes[leads.Tool]; a != nil && a.made != nil { // it was made when its tier was asked for
			text = fmt.Appendf(text, "%q\n", a.made.Digest)
		}
	}
	return digest.Hex(text)
}

// lengths holds what a caller's model has to read within bounds.
func (c *compiler) lengths(a *ability) {
	if len(a.Description) > maxDescription {
		c.about(BadValue, a.path+"/description", "is longer than "+strconv.Itoa(maxDescription)+" bytes")
	}
	if len(a.Title) > maxTitle {
		c.about(BadValue, a.path+"/title", "is longer than "+strconv.Itoa(maxTitle)+" bytes")
	}
}

// exposed checks what a tool must say, and what it cannot have, and gives its schemas.
func (c *compiler) exposed(a *ability) (input, output jsontext.Value) {
	if a.find("expose").kind == '"' && a.Expose != "tool" {
		c.about(BadValue, a.path+"/expose", "must be tool, is "+strconv.Quote(shown(a.Expose)))
	}
	said := a.find("description")
	switch {
	case a.Description == "" && said == nil:
		c.missing(a.path, "description", "it is what a model decides by")
	case strings.TrimSpace(a.Description) == "" && (said == nil || said.kind == '"'):
		c.about(BadValue, a.path+"/description", "is empty: it is what a model decides by")
	}
	if a.tier == auth.TierUnknown && a.find("risk") == nil {
		c.missing(a.path, "risk", "say low, medium or high")
	}
	if len(a.Guards) > 0 {
		c.about(Misplaced, cmp.Or(present(a.value, "guards", a.path), a.path), "has guards, which are judged in a workflow: who may call a tool is in clients.json")
	}
	input = jsontext.Value(noArguments)
	if a.InputSchema != nil {
		input = a.InputSchema.appendJSON(nil)
		c.schema(a.InputSchema, input, a.path+"/inputSchema", true)
	}
	if a.OutputSchema != nil {
		output = a.OutputSchema.appendJSON(nil)
		c.schema(a.OutputSchema, output, a.path+"/outputSchema", false)
	}
	return input, output
}

// present is the path of a member that is there.
func present(v *value, name, path string) string {
	if v.find(name) == nil {
		return ""
	}
	return path + "/" + name
}

// schema judges a schema as it will be published: what the validator refuses and a root that is no object
// are errors, what only some clients refuse is worth a warning.
func (c *compiler) schema(v *value, raw jsontext.Value, path string, input bool) {
	if _, err := schema.Compile(raw); err != nil {
		c.about(BadSchema, path, "is no schema that can be served: "+strings.TrimPrefix(err.Error(), "schema: "))
		return
	}
	for _, found := range schema.Lint(raw) {
		if found.Path == "" || found.Path == "/type" {
			c.about(BadSchema, path+found.Path, found.Message)
		} else {
			c.warn(Portability, path+found.Path, found.Message+": some clients refuse the tool, or the whole list")
		}
	}
	if input {
		h := headers{compiler: c, seen: map[string]string{}}
		h.schema(v, path, root)
	}
}

// executor compiles what the tool does.
func (c *compiler) executor(v *value, path string, t *tools.Tool) tools.Handler {
	kind, ok := c.toolKind(v, path)
	if !ok {
		return nil
	}
	config := c.kinds.Tools[kind]()
	if !c.read(v.without("kind"), path, config) {
		return nil
	}
	handler, found := config.Compile(t)
	for _, one := range found {
		c.about(BadValue, path+one.Path, one.Message)
	}
	return handler
}
