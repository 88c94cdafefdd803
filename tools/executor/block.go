package executor

import (
	"encoding/base64"
	"mime"
	"slices"
	"strconv"
	"strings"

	"prax/tools"
	"prax/tools/workflow/expr"
)

// Block is one content block (MCP, tools: content types). Its type decides which of the others it has.
type Block struct {
	Type     string    `json:"type"`
	Text     *string   `json:"text"`     // text; a template
	Data     *string   `json:"data"`     // image, audio: base64
	MIMEType *string   `json:"mimeType"` // image, audio, resource_link
	URI      *string   `json:"uri"`      // resource_link; a template
	Name     *string   `json:"name"`     // resource_link; a template
	Resource *Resource `json:"resource"` // resource
}

// Resource is the embedded resource of a block: text, or a blob of base64.
type Resource struct {
	URI      *string `json:"uri"` // a template
	MIMEType *string `json:"mimeType"`
	Text     *string `json:"text"` // a template
	Blob     *string `json:"blob"`
}

// blocks are the members that each type of block has and needs, but for those that end in ?.
var blocks = map[string][]string{
	"text":          {"text"},
	"image":         {"data", "mimeType"},
	"audio":         {"data", "mimeType"},
	"resource":      {"resource"},
	"resource_link": {"uri", "name", "mimeType?"},
}

// block is a block ready to be filled.
type block struct {
	fixed tools.Block // what of it is the same for everybody
	text  expr.Template
	uri   expr.Template
	name  expr.Template
	blob  *string // of a resource, base64
}

// compiling collects what does not fit a configuration.
type compiling struct{ found []tools.Violation }

func (c *compiling) refuse(at, message string) {
	c.found = append(c.found, tools.Violation{Path: at, Message: message})
}

func (c *compiling) template(text *string, at string) expr.Template {
	if text == nil {
		return expr.Template{}
	}
	t, err := parseTemplate(*text)
	if err != nil {
		c.refuse(at, err.Error())
	}
	return t
}

func (c *compiling) block(b Block, at string) block {
	allowed, ok := blocks[b.Type]
	if !ok {
		c.refuse(at+"/type", "must be text, image, audio, resource or resource_link, is "+strconv.Quote(b.Type))
		return block{}
	}
	c.members(b.Type, at, allowed, map[string]bool{
		"text": b.Text != nil, "data": b.Data != nil, "mimeType": b.MIMEType != nil,
		"uri": b.URI != nil, "name": b.Name != nil, "resource": b.Resource != nil,
	})
	made := block{
		fixed: tools.Block{Type: b.Type, Data: c.base64(b.Data, at+"/data"), MIMEType: c.mimeType(b.MIMEType, at+"/mimeType")},
		text:  c.template(b.Text, at+"/text"),
		uri:   c.template(b.URI, at+"/uri"),
		name:  c.template(b.Name, at+"/name"),
	}
	if r := b.Resource; r != nil {
		c.resource(r, at+"/resource")
		made.uri = c.template(r.URI, at+"/resource/uri")
		made.text = c.template(r.Text, at+"/resource/text")
		made.fixed.MIMEType = c.mimeType(r.MIMEType, at+"/resource/mimeType")
		made.blob = r.Blob
	}
	return made
}

// members holds those that are there against those that there may be.
func (c *compiling) members(kind, at string, allowed []string, there map[string]bool) {
	for _, name := range allowed {
		if needed := !strings.HasSuffix(name, "?"); needed && !there[name] {
			c.refuse(at, "has no "+name+", which a block of type "+kind+" needs")
		}
	}
	for _, name := range []string{"text", "data", "mimeType", "uri", "name", "resource"} {
		if there[name] && !slices.Contains(allowed, name) && !slices.Contains(allowed, name+"?") {
			c.refuse(at+"/"+name, "does not belong to a block of type "+kind)
		}
	}
}

func (c *compiling) resource(r *Resource, at string) {
	if r.URI == nil {
		c.refuse(at, "has no uri")
	}
	if (r.Text == nil) == (r.Blob == nil) {
		c.refuse(at, "needs one of text and blob")
	}
	c.base64(r.Blob, at+"/blob")
}

func (c *compiling) base64(text *string, at string) []byte {
	if text == nil {
		return nil
	}
	data, err := base64.StdEncoding.Strict().DecodeString(*text)
	if err != nil || strings.ContainsAny(*text, "\r\n") {
		c.refuse(at, "must be base64 (RFC 4648, section 4), with its padding and without line ends")
	}
	return data
}

func (c *compiling) mimeType(text *string, at string) string {
	if text == nil {
		return ""
	}
	if kind, _, err := mime.ParseMediaType(*text); err != nil || !strings.Contains(kind, "/") {
		c.refuse(at, "must be a media type, as image/png")
	}
	return *text
}

// block fills one.
func (f *filling) block(b block) (tools.Block, error) {
	made := b.fixed
	var err error
	for _, one := range []struct {
		from expr.Template
		to   *string
	}{{b.text, &made.Text}, {b.uri, &made.URI}, {b.name, &made.Name}} {
		if *one.to, err = f.text(one.from); err != nil {
			return made, err
		}
	}
	if made.Type != "resource" {
		return made, nil
	}
	resource := struct {
		URI      string  `json:"uri"`
		MIMEType string  `json:"mimeType,omitzero"`
		Text     *string `json:"text,omitzero"`
		Blob     *string `json:"blob,omitzero"`
	}{made.URI, made.MIMEType, &made.Text, b.blob}
	if b.blob != nil {
		resource.Text = nil
	}
	raw, err := marshal(resource)
	return tools.Block{Type: made.Type, Resource: raw}, err
}
