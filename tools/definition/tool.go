package definition

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/tools"
	"prax/tools/schema"
)

// noArguments is the schema of a tool that says nothing of any.
const noArguments = `{"type":"object","additionalProperties":false}`

// judgeCapability checks a capability by itself, and makes the tool that it is when it is exposed as one. What it returns is
// worth nothing when there is a problem.
func (c *compiler) judgeCapability(a *ability) *tools.Tool {
	c.lengths(a)
	if a.find("expose") == nil {
		c.judgeAbility(a)
		return nil
	}
	return c.tool(a)
}

// tool compiles a capability to a tool of its own.
func (c *compiler) tool(a *ability) *tools.Tool {
	if !c.ownName(a.name, c.root.at(a.path), a.path) {
		return nil
	}
	t := &tools.Tool{
		Name: a.name, Title: a.Title, Description: strings.TrimSpace(a.Description), Tier: a.tier,
		Input: jsontext.Value(noArguments), AnySchema: true,
	}
	c.exposed(a)
	if a.InputSchema != nil {
		t.Input = a.InputSchema.appendJSON(nil)
		c.schema(a.InputSchema, t.Input, a.path+"/inputSchema", true)
	}
	if a.OutputSchema != nil {
		t.Output = a.OutputSchema.appendJSON(nil)
		c.schema(a.OutputSchema, t.Output, a.path+"/outputSchema", false)
	}
	if a.Executor != nil && c.is(a.Executor, a.path+"/executor", '{') {
		t.Handler = c.executor(a.Executor, a.path+"/executor", t)
	}
	return t
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

// exposed checks what a tool must say, and what it cannot have.
func (c *compiler) exposed(a *ability) {
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
