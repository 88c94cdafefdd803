package definition

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"prax/auth"
	"prax/store/digest"
	"prax/tools/workflow"
)

// connection is one of `connections`; what else stands in it belongs to its kind.
type connection struct {
	Kind        string `json:"kind"`
	Risk        string `json:"risk"`
	Description string `json:"description"`
}

// connectionKeys are those that every connection may have.
var connectionKeys = keys[connection]()

// laterConnections are the kinds that praxec has and prax does not yet.
var laterConnections = []string{"a2a", "mcp"}

// connect reads where executors may lead to, by name.
func (c *compiler) connect(v *value) {
	c.connections, c.rated = map[string]*workflow.Connection{}, map[string]auth.Tier{}
	if v == nil || !c.is(v, "/connections", '{') {
		return
	}
	for _, m := range v.members {
		path := below("/connections", m.name)
		if c.label(m, path, "a connection") && c.is(m.value, path, '{') {
			c.connection(m, path)
		}
	}
}

// connection compiles one. One that is wrong is there all the same, so that nothing else is said of who names it.
func (c *compiler) connection(m member, path string) {
	made := &workflow.Connection{Name: m.name, Tier: auth.Low}
	c.connections[m.name] = made
	var read connection
	common, rest := m.apart(connectionKeys)
	fits := c.read(common, path, &read)
	kind, known := c.connectionKind(m.value, path)
	if !known {
		return
	}
	if len(read.Description) > maxDescription {
		c.about(BadValue, path+"/description", "is longer than "+strconv.Itoa(maxDescription)+" bytes")
	}
	c.rated[m.name] = c.risk(m.value, read.Risk, path)
	made.Kind, made.Tier = kind, max(auth.Low, c.rated[m.name])
	made.Config = c.config(rest, path)
	dir := folderOf(m.value)
	spec := c.kinds.Connections[kind]()
	if !c.read(rest, path, spec) || !fits {
		return
	}
	for _, one := range spec.CheckConnection(dir) {
		c.about(BadValue, path+one.Path, one.Message)
	}
	made.Spec, made.Digest = spec, connectionDigest(made, dir)
}

// connectionKind is the kind of a connection, if it is one of those known.
func (c *compiler) connectionKind(v *value, path string) (string, bool) {
	known := slices.Sorted(maps.Keys(c.kinds.Connections))
	kind := v.find("kind")
	if kind == nil {
		c.missing(path, "kind", "known are "+strings.Join(known, ", "))
		return "", false
	}
	if path += "/kind"; !c.is(kind, path, '"') {
		return "", false
	}
	text := "is " + strconv.Quote(shown(kind.text))
	switch {
	case slices.Contains(known, kind.text):
		return kind.text, true
	case slices.Contains(laterConnections, kind.text):
		c.about(UnknownConnection, path, text+": this version has no such connection yet; known are "+strings.Join(known, ", "))
	default:
		c.about(UnknownConnection, path, text+", which is not known"+suggest(kind.text, known))
	}
	return "", false
}

// connectionDigest changes whenever what a connection leads to does. Secrets are in it by name.
func connectionDigest(made *workflow.Connection, dir string) string {
	text, _ := json.Marshal([]string{made.Kind, made.Tier.String(), string(made.Config), dir}) // texts that were read as UTF-8
	return digest.Hex(text)
}

// config is what a kind was given, in its one spelling.
func (r *reader) config(v *value, path string) []byte {
	return v.canonical(path, func(path string) {
		r.about(BadValue, path, "is no number that every reader keeps exactly: put it in quotes, or round it")
	}).appendJSON(nil)
}

// folderOf is the folder of the file that a value stands in; "" when it stands in none.
func folderOf(v *value) string {
	if v.file == nil {
		return ""
	}
	dir := filepath.Dir(*v.file)
	if absolute, err := filepath.Abs(dir); err == nil {
		return absolute
	}
	return dir
}
