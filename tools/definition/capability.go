package definition

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/tools"
	"prax/tools/schema"
)

// capability is one entry of `capabilities`.
type capability struct {
	Title        string         `json:"title"`
	Description  string         `json:"description"`
	Risk         string         `json:"risk"`
	Expose       string         `json:"expose"`
	InputSchema  jsontext.Value `json:"inputSchema"`
	OutputSchema jsontext.Value `json:"outputSchema"`
	Executor     *value         `json:"executor"`
}

// noArguments is the schema of a tool that says nothing of any.
const noArguments = `{"type":"object","additionalProperties":false}`

// The bounds of what a caller's model has to read, in bytes.
const (
	maxTitle       = 256
	maxDescription = 16 << 10
)

// capability compiles one. What it returns is worth nothing when there is a problem.
func (c *compiler) capability(m member, path string) *tools.Tool {
	var read capability
	c.read(m.value, path, &read)
	if m.kind != '{' {
		return nil
	}
	t := &tools.Tool{
		Name: m.name, Title: read.Title, Description: strings.TrimSpace(read.Description),
		Input: jsontext.Value(noArguments), AnySchema: true,
	}
	c.texts(m.value, read, path)
	t.Tier = c.risk(m.value, read.Risk, path)
	if read.InputSchema != nil {
		t.Input = read.InputSchema
		c.schema(m.find("inputSchema"), t.Input, path+"/inputSchema", true)
	}
	if read.OutputSchema != nil {
		t.Output = read.OutputSchema
		c.schema(m.find("outputSchema"), t.Output, path+"/outputSchema", false)
	}
	switch {
	case read.Executor == nil:
		c.missing(m.value, path, "executor", "say what the tool does")
	case c.is(read.Executor, path+"/executor", '{'):
		t.Handler = c.executor(read.Executor, path+"/executor", t)
	}
	return t
}

func (c *compiler) texts(v *value, read capability, path string) {
	switch {
	case v.find("description") == nil:
		c.missing(v, path, "description", "it is what a model decides by")
	case strings.TrimSpace(read.Description) == "" && v.find("description").kind == '"':
		c.about(BadValue, path+"/description", "is empty: it is what a model decides by")
	case len(read.Description) > maxDescription:
		c.about(BadValue, path+"/description", "is longer than "+strconv.Itoa(maxDescription)+" bytes")
	}
	if len(read.Title) > maxTitle {
		c.about(BadValue, path+"/title", "is longer than "+strconv.Itoa(maxTitle)+" bytes")
	}
	switch {
	case v.find("expose") == nil:
		c.missing(v, path, "expose", "say expose: tool")
	case read.Expose != "tool" && v.find("expose").kind == '"':
		c.about(BadValue, path+"/expose", "must be tool, is "+strconv.Quote(shown(read.Expose)))
	}
}

func (c *compiler) missing(v *value, path, key, why string) {
	c.note(MissingKey, c.root.at(path), path, c.shown(path)+" has no "+key+": "+why)
}

func (c *compiler) risk(v *value, text, path string) auth.Tier {
	tier, err := auth.ParseTier(text)
	switch given := v.find("risk"); {
	case given == nil:
		c.missing(v, path, "risk", "say low, medium or high")
	case err != nil && given.kind == '"':
		c.about(BadValue, path+"/risk", "must be low, medium or high, is "+strconv.Quote(shown(text)))
	}
	return tier
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
	kind := v.find("kind")
	if kind == nil {
		c.missing(v, path, "kind", "known are "+strings.Join(c.known(), ", "))
		return nil
	}
	if !c.is(kind, path+"/kind", '"') {
		return nil
	}
	make, ok := c.kinds[kind.text]
	if !ok {
		c.about(BadValue, path+"/kind", "is "+strconv.Quote(shown(kind.text))+", which is not known: known are "+strings.Join(c.known(), ", "))
		return nil
	}
	config := make()
	if !c.read(v.without("kind"), path, config) {
		return nil
	}
	handler, found := config.Compile(t)
	for _, one := range found {
		c.about(BadValue, path+one.Path, one.Message)
	}
	return handler
}

func (c *compiler) known() []string { return slices.Sorted(maps.Keys(c.kinds)) }
