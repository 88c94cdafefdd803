package executor

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"prax/tools/schema"
	"prax/tools/secret"
)

// RESTConnection is a service that speaks HTTP, and what is sent to it along with each request. Where it is stands
// written out; the values of the headers may have secrets: ${env:NAME} and ${file:/path}, resolved at each use.
type RESTConnection struct {
	BaseURL string            `json:"baseUrl"`
	Headers map[string]string `json:"headers"`

	base    *url.URL
	headers []credential
}

// credential is a header that a connection brings.
type credential struct {
	name string
	text secret.Text
}

// CheckConnection implements [workflow.ConnectionSpec].
func (s *RESTConnection) CheckConnection(string) []schema.Violation {
	var found violations
	s.base = found.base(s.BaseURL)
	s.headers = nil
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		at := "/headers/" + schema.Escape(name)
		found.add(at, headerDefect(name, framing))
		text, err := secret.Parse(s.Headers[name])
		if err != nil {
			found.add(at, err.Error())
		} else if text.IsLiteral() {
			found.add(at, valueDefect(s.Headers[name]))
		}
		s.headers = append(s.headers, credential{name, text})
	}
	found.twice(slices.Collect(maps.Keys(s.Headers)))
	return found
}

// base is the URL that all requests of a connection begin with.
func (f *violations) base(text string) *url.URL {
	defect := ""
	u, err := url.Parse(text)
	switch {
	case text == "":
		defect = "is missing: write the URL of the service"
	case strings.Contains(text, "${") || strings.HasPrefix(text, "$."):
		defect = "must be written out: whoever reads it has to see where it leads"
	case err != nil || u.Opaque != "" || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		defect = "must be a URL such as https://api.example.com/v1"
	case u.User != nil:
		defect = "must not have a user or a password in it: use the header Authorization"
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#"):
		defect = "must not have a query or a fragment"
	case !plainPath(u.EscapedPath()) || !downward(u.EscapedPath()):
		defect = "must have a path without empty, . and .. segments, and escaped where that is needed"
	}
	if defect != "" {
		f.add("/baseUrl", defect)
		return nil
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
}
