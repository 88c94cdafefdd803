package executor

import (
	"maps"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/tools/schema"
	"prax/tools/workflow"
)

// kindREST is the name of the kind, of executors and of connections.
const kindREST = "rest"

// REST is one request to a service. Host, method and the names of headers are literals; what a path leads to stands in
// the path as a segment, in the query and in headers as a value, and in the body as JSON.
type REST struct {
	Connection string                    `json:"connection"`
	Method     string                    `json:"method"`  // "": GET
	Path       string                    `json:"path"`    // below the connection's; {name} is a value of the arguments, else of the context, else of the input
	Query      map[string]jsontext.Value `json:"query"`   // a text, number or boolean, or a path; null, and what is not there, is left out
	Headers    map[string]string         `json:"headers"` // a literal, or a path, which must lead to a value
	Body       jsontext.Value            `json:"body"`    // JSON whose strings may be paths, each of which must lead to a value

	path    []piece
	query   []parameter
	headers []field
	body    *mapped // nil: none
}

// parameter is one of the query.
type parameter struct {
	name  string
	value *mapped
}

// field is a header.
type field struct {
	name string
	argument
}

// methods are those that there are, and whether they change something and may have a body. The others only read (RFC
// 9110, section 9.2.1).
var methods = map[string]bool{
	http.MethodGet: false, http.MethodHead: false, http.MethodOptions: false,
	http.MethodPost: true, http.MethodPut: true, http.MethodPatch: true, http.MethodDelete: true,
}

// method is the method in force.
func (s *REST) method() string {
	if s.Method == "" {
		return http.MethodGet
	}
	return s.Method
}

// safe tells whether a method only reads.
func safe(method string) bool { return !methods[method] }

// Check implements [workflow.Spec]. The least tier is the connection's.
func (s *REST) Check(w workflow.Surroundings) (auth.Tier, []schema.Violation) {
	var found violations
	tier := auth.Low
	if s.Connection == "" {
		found.add("/connection", "is missing: name one of the kind "+kindREST)
	} else if w.Connection != nil {
		tier = max(tier, found.service(w, s))
	}
	if _, known := methods[s.method()]; !known {
		found.add("/method", "must be GET, HEAD, OPTIONS, POST, PUT, PATCH or DELETE")
	}
	s.path = found.pieces(s.Path, w.Roots)
	s.query = found.parameters(s.Query, w)
	s.headers = found.fields(s.Headers, w)
	s.body = nil
	if there(s.Body) {
		if safe(s.method()) {
			found.add("/body", "does not belong to a "+s.method())
		}
		s.body = found.mapped("/body", s.Body, w.Roots)
	}
	return tier, found
}

// service is the tier of the connection that there is now.
func (f *violations) service(w workflow.Surroundings, s *REST) auth.Tier {
	c, ok := w.Connection(s.Connection)
	if !ok {
		f.add("/connection", "names no connection")
		return auth.Low
	}
	spec, ok := c.Spec.(*RESTConnection)
	if !ok {
		f.add("/connection", "names a connection of the kind "+c.Kind+", and needs one of the kind "+kindREST)
		return auth.Low
	}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		if spec.brings(name) {
			f.add("/headers/"+schema.Escape(name), "is a header that the connection brings")
		}
	}
	return c.Tier
}

// brings tells whether a connection has a header.
func (s *RESTConnection) brings(name string) bool {
	return slices.ContainsFunc(s.headers, func(c credential) bool { return headerKey(c.name) == headerKey(name) })
}

func (f *violations) parameters(query map[string]jsontext.Value, w workflow.Surroundings) []parameter {
	var list []parameter
	for _, name := range slices.Sorted(maps.Keys(query)) {
		at := "/query/" + schema.Escape(name)
		f.add(at, literalDefect(name))
		switch raw := query[name]; raw.Kind() {
		case 'n':
		case '{', '[':
			f.add(at, "must be a text, a number, a boolean or a path")
		default:
			list = append(list, parameter{name, f.mapped(at, raw, w.Roots)})
		}
	}
	return list
}

func (f *violations) fields(headers map[string]string, w workflow.Surroundings) []field {
	var list []field
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		at := "/headers/" + schema.Escape(name)
		f.add(at, headerDefect(name, credentials))
		a := f.argument(at, headers[name], w.Roots)
		if a.path.IsZero() {
			f.add(at, valueDefect(a.text))
		}
		list = append(list, field{name, a})
	}
	f.twice(slices.Collect(maps.Keys(headers)))
	return list
}
