package definition

import (
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// include reads the files that a file names, in order.
func (r *reading) include(root *value, from string) {
	list := root.find("include")
	if list == nil {
		return
	}
	at := &reader{findings: &r.findings, file: from, root: root}
	if !at.is(list, "/include", '[') {
		return
	}
	for i, one := range list.items {
		if name, hash, ok := at.included(one, item("/include", i)); ok {
			r.readIncluded(name, hash, from, one)
		}
	}
}

// readIncluded reads one. What is wrong with it is told where it is named.
func (r *reading) readIncluded(name, hash, from string, v *value) {
	if len(r.names) > maxFiles || r.bytes > maxBytes {
		return // told already
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(from), path)
	}
	r.readBelow(path, hash, func(p Problem) {
		r.fail(Problem{Code: p.Code, File: from, Line: v.line, Column: v.column, Path: "/include", Text: "include " + strconv.Quote(cut(name, 200)) + ": " + p.Text})
	})
}

// remote is an include that is not a path.
type remote struct {
	URI  string `json:"uri"`
	Hash string `json:"hash"`
}

var hashForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^sha256:[0-9a-f]{64}$`) })

// included is the path that an entry of include names, and the hash that the file must have, if any.
func (r *reader) included(v *value, path string) (name, hash string, ok bool) {
	if v.kind == '"' {
		return v.text, "", r.isPath(v.text, path)
	}
	var one remote
	if !r.is(v, path, '{') || !r.read(v, path, &one) {
		return "", "", false
	}
	if one.URI == "" {
		r.about(MissingKey, path, "has no uri")
		return "", "", false
	}
	if one.Hash != "" && !hashForm().MatchString(one.Hash) {
		r.about(BadValue, path+"/hash", "must be sha256: and 64 hexadecimal digits in lower case")
		return "", "", false
	}
	name, ok = r.local(one.URI, path+"/uri")
	return name, one.Hash, ok
}

// isPath tells whether an include is a path, and says what is served where it is something else.
func (r *reader) isPath(name, path string) bool {
	switch {
	case name == "":
		r.about(BadValue, path, "is empty")
	case strings.Contains(name, "://"):
		r.about(IncludeScheme, path, "is a URI: only local files are included, by their path")
	default:
		return true
	}
	return false
}

// local is the path of a URI that names a file here.
func (r *reader) local(uri, path string) (string, bool) {
	u, err := url.Parse(uri)
	switch {
	case err == nil && u.Scheme == "" && u.Host == "":
		return uri, true
	case err == nil && u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") && u.RawQuery == "" && u.Fragment == "":
		return u.Path, r.isPath(u.Path, path)
	}
	r.about(IncludeScheme, path, "is not served: only local files are included; fetch the file yourself, and put it beside this one")
	return "", false
}
