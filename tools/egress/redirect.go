package egress

import (
	"net/http"
	"net/url"
	"strconv"
)

// kept are the headers that go along to another origin: they say what the caller understands, and nothing else. All
// others may be credentials, by whatever name.
var kept = []string{"Accept", "Accept-Encoding", "Accept-Language", "User-Agent"}

// follow is the request that a redirect leads to; nil when the response is the answer.
func follow(req *http.Request, resp *http.Response, followed int) (*http.Request, error) {
	if !redirects(req, resp) {
		return nil, nil
	}
	to, err := req.URL.Parse(resp.Header.Get("Location"))
	if err != nil {
		return nil, &Refused{Reason: "is no URL"}
	}
	if reason := refusal(req.URL, to, followed); reason != "" {
		return nil, &Refused{Reason: reason}
	}
	to.Fragment, to.RawFragment = "", ""
	next := req.Clone(req.Context())
	next.URL = to
	if sameOrigin(req.URL, to) {
		return next, nil
	}
	next.Header = http.Header{}
	for _, name := range kept {
		if values := req.Header.Values(name); len(values) > 0 {
			next.Header[name] = values
		}
	}
	return next, nil
}

// redirects tells whether a response is a redirect that is followed.
func redirects(req *http.Request, resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return false
	}
	safe := req.Method == http.MethodGet || req.Method == http.MethodHead || req.Method == ""
	bodiless := req.Body == nil || req.Body == http.NoBody
	return safe && bodiless && resp.Header.Get("Location") != ""
}

func sameOrigin(a, b *url.URL) bool {
	at, areason := locate(a)
	bt, breason := locate(b)
	return areason == "" && breason == "" && a.Scheme == b.Scheme && at.String() == bt.String()
}

// refusal is the reason not to follow from one URL to another, wherever that is.
func refusal(from, to *url.URL, followed int) string {
	switch {
	case followed == MaxRedirects:
		return "came after " + strconv.Itoa(MaxRedirects) + " others"
	case from.Scheme == "https" && to.Scheme == "http":
		return "is http, after https"
	}
	return ""
}
