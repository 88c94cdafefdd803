package executor

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// piece is a part of a path: text as it is sent, or the first value that one of these paths leads to.
type piece struct {
	text string
	name string // of the place; "" for text
	from []expr.Path
}

// place of a path: {name}, or {$.context.name} where the operator wants no other.
var pathPlace = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([^{}]*)\}`) })

// pathText is what a path may have beside places (RFC 3986, section 3.3).
var pathText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*$`)
})

// plainPath tells whether a path is one that is sent exactly as it stands.
func plainPath(path string) bool { return pathText().MatchString(path) }

// downward tells whether a path leads only further down: no segment, as the other side may read it, is empty, . or ..
func downward(path string) bool {
	if path == "" || path == "/" {
		return true
	}
	for segment := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/"), "/") {
		plain, err := url.PathUnescape(segment)
		if err != nil || plain == "" || !level(plain) {
			return false
		}
	}
	return true
}

// level tells whether a value has no part that leads elsewhere, whichever of these marks the other side
// takes to end one.
func level(value string) bool {
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune(`/\;`, r) }) {
		if part == "." || part == ".." {
			return false
		}
	}
	return true
}

// pieces parses the path of a request.
func (f *violations) pieces(path string, roots expr.Roots) []piece {
	const at = "/path"
	var list []piece
	probe, end := "", 0
	for _, m := range pathPlace().FindAllStringSubmatchIndex(path, -1) {
		text, name := path[end:m[0]], path[m[2]:m[3]]
		list = append(list, piece{text: text}, piece{name: name, from: f.sources(at, name, roots)})
		probe, end = probe+text+"x", m[1]
	}
	list = append(list, piece{text: path[end:]})
	probe += path[end:]
	switch {
	case !plainPath(probe):
		f.add(at, "must be a path, with {name} for a value, and escaped where that is needed: a query stands in query")
	case !downward(probe):
		f.add(at, "must not have empty, . or .. segments")
	}
	return list
}

// sources are where the value of a place is looked for, in order.
func (f *violations) sources(at, name string, roots expr.Roots) []expr.Path {
	if strings.HasPrefix(name, "$.") {
		return []expr.Path{f.argument(at, name, roots).path}
	}
	var from []expr.Path
	for _, root := range []expr.Roots{expr.Arguments, expr.Context, expr.Input} {
		if roots&root == 0 {
			continue
		}
		p, err := expr.ParsePath(root.String()+"."+name, roots)
		if err != nil {
			f.add(at, "has a place that is no name: {"+name+"}")
			return nil
		}
		from = append(from, p)
	}
	if from == nil {
		f.add(at, "has a place, and there is nothing here that it could be filled with: {"+name+"}")
	}
	return from
}

// maxURL bounds what is sent in a URL, in bytes.
const maxURL = 8 << 10

// under is the URL of a request: the path with its places filled, below that of the connection.
func under(base *url.URL, path []piece, query string, env expr.Env) (*url.URL, *workflow.Failure) {
	var b strings.Builder
	for _, p := range path {
		text := p.text
		if p.name != "" {
			value, failure := p.value(env)
			if failure != nil {
				return nil, failure
			}
			text = url.PathEscape(value)
		}
		if b.WriteString(text); b.Len() > maxURL {
			return nil, unfit("the path has more than %d KiB", maxURL>>10)
		}
	}
	escaped := base.EscapedPath()
	if b.Len() > 0 {
		escaped = strings.TrimSuffix(escaped, "/") + "/" + strings.TrimPrefix(b.String(), "/")
	}
	return composed(base, escaped, query)
}

// composed reads the URL once more, as the other side will, and holds it against the connection.
func composed(base *url.URL, escaped, query string) (*url.URL, *workflow.Failure) {
	text := base.Scheme + "://" + base.Host + escaped
	if query != "" {
		text += "?" + query
	}
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Scheme != base.Scheme, u.Host != base.Host, u.User != nil, u.Fragment != "", u.RawQuery != query,
		u.EscapedPath() != escaped, !below(base.EscapedPath(), escaped):
		return nil, unfit("the path leads away from the service")
	case len(text) > maxURL:
		return nil, unfit("the URL has more than %d KiB", maxURL>>10)
	}
	return u, nil
}

func below(base, path string) bool {
	base = strings.TrimSuffix(base, "/")
	rest, ok := strings.CutPrefix(path, base)
	return ok && (rest == "" || rest[0] == '/') && downward(rest)
}

// value is what fills a place: one segment, or a part of one.
func (p piece) value(env expr.Env) (string, *workflow.Failure) {
	i := slices.IndexFunc(p.from, func(from expr.Path) bool { _, ok := from.Of(env); return ok })
	if i < 0 {
		return "", unfit("{%s} of the path leads to nothing", p.name)
	}
	v, _ := p.from[i].Of(env)
	text, ok := scalar(v)
	switch {
	case !ok:
		return "", unfit("%s must be a text, a number or a boolean to stand in a path", p.from[i])
	case text == "":
		return "", unfit("%s must not be empty to stand in a path", p.from[i])
	case !level(text) || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", unfit("%s cannot stand in a path: it has . or .. for a segment, or a control character", p.from[i])
	}
	return text, nil
}

// scalar is a value as a text, and false for null, an object and a list.
func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case nil, map[string]any, []any:
		return "", false
	}
	raw, err := marshal(v)
	return string(raw), err == nil
}
