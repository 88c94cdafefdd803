package executor_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/tools/egress"
	"prax/tools/executor"
	"prax/tools/schema"
	"prax/tools/secret"
	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// anywhere are the roots of paths in a workflow.
const anywhere = expr.Context | expr.Arguments | expr.Input | expr.Workflow

// strict fills a specification from JSON that is written with ' for ".
func strict[S any](t testing.TB, config string) *S {
	t.Helper()
	s := new(S)
	if err := json.Unmarshal([]byte(strings.ReplaceAll(config, "'", `"`)), s, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("%s: %v", config, err)
	}
	return s
}

// received is a request as it came out at the other end.
type received struct {
	Method, URI, Host, Body string
	Header                  http.Header
}

// service is the other end: a real server on loopback that remembers what it was sent.
type service struct {
	*httptest.Server
	mu  sync.Mutex
	got []received
}

func newService(t testing.TB, answer http.HandlerFunc) *service {
	t.Helper()
	s := &service{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.got = append(s.got, received{r.Method, r.RequestURI, r.Host, string(body), r.Header})
		s.mu.Unlock()
		if answer != nil {
			answer(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// taken are the requests since the last time.
func (s *service) taken() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.got
	s.got = nil
	return got
}

// canaries are the secrets that there are.
var canaries = map[string]string{"TOKEN": "canary-4f9a\"b/c+d", "PLAIN": "canarytokenplain77"}

// rest is a kind rest whose secrets are the canaries.
func rest(t testing.TB) executor.Kind {
	t.Helper()
	out, err := egress.New(egress.Config{Resolver: nameless{}})
	if err != nil {
		t.Fatal(err)
	}
	return executor.NewREST(&secret.Source{Env: func(name string) (string, bool) { v, ok := canaries[name]; return v, ok }}, out)
}

// nameless is a resolver that knows no name.
type nameless struct{}

func (nameless) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// connection is one called api.
func connection(t testing.TB, config string) func(string) (*workflow.Connection, bool) {
	t.Helper()
	spec := strict[executor.RESTConnection](t, config)
	if found := spec.CheckConnection("/"); found != nil {
		t.Fatalf("connection %s: %v", config, found)
	}
	c := &workflow.Connection{Name: "api", Kind: "rest", Tier: auth.Medium, Digest: "digest of " + config, Spec: spec}
	return func(name string) (*workflow.Connection, bool) { return c, name == "api" }
}

// to is a connection to a server, without headers.
func to(t testing.TB, s *service) func(string) (*workflow.Connection, bool) {
	return connection(t, `{'baseUrl':'`+s.URL+`/v1'}`)
}

// asking is a request to run a configuration.
func asking(t testing.TB, config string, conn func(string) (*workflow.Connection, bool), env expr.Env) executor.Request {
	t.Helper()
	spec := strict[executor.REST](t, config)
	tier, found := spec.Check(workflow.Surroundings{Roots: anywhere, Connection: conn})
	if found != nil {
		t.Fatalf("executor %s: %v", config, found)
	}
	return executor.Request{Executor: &workflow.Executor{Kind: "rest", Tier: tier, Spec: spec}, Connection: conn, Env: env}
}

// run prepares and runs.
func run(t testing.TB, k executor.Kind, q executor.Request) workflow.Result {
	t.Helper()
	r, failure := k.Prepare(t.Context(), q)
	if failure != nil {
		return workflow.Result{Failure: failure}
	}
	return r.Do(t.Context())
}

func sending(text string) expr.Env {
	var env expr.Env
	if err := json.Unmarshal([]byte(text), &env.Arguments); err != nil {
		panic(err)
	}
	return env
}

func TestWhatRESTSends(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	env := sending(`{"id":"a b","n":9007199254740991,"f":1.5,"yes":true,"null":null,"list":[1,"x"],"o":{"k":"v"},"both":"of arguments"}`)
	env.Context = map[string]any{"both": "of context", "etag": `"1"`, "deep": map[string]any{"id": "d1"}}
	env.Input = map[string]any{"both": "of input", "customer": "c1"}
	env.ID = "wf_1"
	for _, tt := range []struct {
		name, config, method, uri, body string
		header                          map[string]string
	}{
		{"nothing but a path", `{'path':'/items'}`, "GET", "/v1/items", "", map[string]string{"Accept": "application/json", "User-Agent": "prax", "Content-Type": ""}},
		{"no path", `{}`, "GET", "/v1", "", nil},
		{"a path without its slash", `{'path':'items/'}`, "GET", "/v1/items/", "", nil},
		{"places", `{'path':'/c/{customer}/{deep.id}/{n}-{f}-{yes}/{id}.json'}`, "GET", "/v1/c/c1/d1/9007199254740991-1.5-true/a%20b.json", "", nil},
		{"arguments come first", `{'path':'/{both}'}`, "GET", "/v1/of%20arguments", "", nil},
		{"a place that only one path fills", `{'path':'/{$.context.both}/{$.workflow.id}'}`, "GET", "/v1/of%20context/wf_1", "", nil},
		{"what is escaped stays escaped", `{'path':'/a%2Fb'}`, "GET", "/v1/a%2Fb", "", nil},
		{"a query", `{'query':{'q':'$.arguments.id','n':'$.arguments.n','lit':'a&b=c','num':2.50,'t':true,'none':null,'gone':'$.arguments.gone','nul':'$.arguments.null'}}`,
			"GET", "/v1?lit=a%26b%3Dc&n=9007199254740991&num=2.50&q=a+b&t=true", "", nil},
		{"headers", `{'headers':{'if-match':'$.context.etag','X-N':'$.arguments.n','X-Lit':'lit','Accept':'text/plain'}}`, "GET", "/v1", "",
			map[string]string{"If-Match": `"1"`, "X-N": "9007199254740991", "X-Lit": "lit", "Accept": "text/plain"}},
		{"a body by value", `{'method':'POST','body':{'id':'$.arguments.id','all':['$.arguments.list','$.arguments.o','$.arguments.null',12345678901234567890,'$$.x']}}`,
			"POST", "/v1", `{"all":[[1,"x"],{"k":"v"},null,12345678901234567890,"$$.x"],"id":"a b"}`, map[string]string{"Content-Type": "application/json"}},
		{"a body that is one path", `{'method':'PUT','body':'$.arguments.o'}`, "PUT", "/v1", `{"k":"v"}`, nil},
		{"a type of its own", `{'method':'PATCH','headers':{'Content-Type':'application/merge-patch+json'},'body':{}}`, "PATCH", "/v1", `{}`,
			map[string]string{"Content-Type": "application/merge-patch+json"}},
		{"delete", `{'method':'DELETE','path':'/x'}`, "DELETE", "/v1/x", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			config := `{'connection':'api',` + strings.TrimPrefix(tt.config, "{")
			res := run(t, rest(t), asking(t, strings.Replace(config, ",}", "}", 1), to(t, s), env))
			if res.Failure != nil {
				t.Fatalf("failed: %+v", res.Failure)
			}
			got := s.taken()
			if len(got) != 1 || got[0].Method != tt.method || got[0].URI != tt.uri || got[0].Body != tt.body || got[0].Host != strings.TrimPrefix(s.URL, "http://") {
				t.Fatalf("sent %+v", got)
			}
			for name, want := range tt.header {
				if value := got[0].Header.Get(name); value != want {
					t.Errorf("header %s is %q, want %q", name, value, want)
				}
			}
		})
	}
}

// TestRESTCannotBe: what is refused when it is loaded, with the place.
func TestRESTCannotBe(t *testing.T) {
	t.Parallel()
	conn := connection(t, `{'baseUrl':'https://api.example.com','headers':{'X-Tenant':'t1'}}`)
	cli := &workflow.Connection{Name: "go", Kind: "cli", Spec: new(executor.CLIConnection)}
	surroundings := workflow.Surroundings{Roots: anywhere, Connection: func(name string) (*workflow.Connection, bool) {
		if name == "go" {
			return cli, true
		}
		return conn(name)
	}}
	for config, want := range map[string]string{
		`{}`:                                                                         "/connection",
		`{'connection':'other'}`:                                                     "/connection",
		`{'connection':'go'}`:                                                        "/connection",
		`{'connection':'api','method':'get'}`:                                        "/method",
		`{'connection':'api','method':'CONNECT'}`:                                    "/method",
		`{'connection':'api','method':'$.arguments.m'}`:                              "/method",
		`{'connection':'api','path':'/a?b=1'}`:                                       "/path",
		`{'connection':'api','path':'/a#b'}`:                                         "/path",
		`{'connection':'api','path':'/../a'}`:                                        "/path",
		`{'connection':'api','path':'/%2e%2E/a'}`:                                    "/path",
		`{'connection':'api','path':'/a%2F..%2Fb'}`:                                  "/path",
		`{'connection':'api','path':'//other.example.com/'}`:                         "/path",
		`{'connection':'api','path':'/a//b'}`:                                        "/path",
		`{'connection':'api','path':'/a b'}`:                                         "/path",
		`{'connection':'api','path':'/a%zz'}`:                                        "/path",
		`{'connection':'api','path':'/{}'}`:                                          "/path",
		`{'connection':'api','path':'/{a'}`:                                          "/path",
		`{'connection':'api','path':'/{$.secrets.x}'}`:                               "/path",
		`{'connection':'api','path':'/${env:HOME}'}`:                                 "/path",
		`{'connection':'api','query':{'a':{'b':1}}}`:                                 "/query/a",
		`{'connection':'api','query':{'a':'$.nothing'}}`:                             "/query/a",
		`{'connection':'api','query':{'a/b':'${env:HOME}'}}`:                         "/query/a~1b",
		`{'connection':'api','headers':{'Host':'x'}}`:                                "/headers/Host",
		`{'connection':'api','headers':{'authorization':'x'}}`:                       "/headers/authorization",
		`{'connection':'api','headers':{'COOKIE':'x'}}`:                              "/headers/COOKIE",
		`{'connection':'api','headers':{'Content-Length':'5'}}`:                      "/headers/Content-Length",
		`{'connection':'api','headers':{'Content_Length':'5'}}`:                      "/headers/Content_Length",
		`{'connection':'api','headers':{'Transfer-Encoding':'chunked'}}`:             "/headers/Transfer-Encoding",
		`{'connection':'api','headers':{'TE':'x'}}`:                                  "/headers/TE",
		`{'connection':'api','headers':{'Proxy-Connection':'x'}}`:                    "/headers/Proxy-Connection",
		`{'connection':'api','headers':{'Idempotency-Key':'x'}}`:                     "/headers/Idempotency-Key",
		`{'connection':'api','headers':{'X Y':'x'}}`:                                 "/headers/X Y",
		`{'connection':'api','headers':{'$.arguments.h':'x'}}`:                       "/headers/$.arguments.h",
		`{'connection':'api','headers':{'X-A':'a\nb'}}`:                              "/headers/X-A",
		`{'connection':'api','headers':{'X-A':'${file:/etc/passwd}'}}`:               "/headers/X-A",
		`{'connection':'api','headers':{'X-A':'1','x-a':'2'}}`:                       "/headers",
		`{'connection':'api','headers':{'x-tenant':'$.arguments.tenant'}}`:           "/headers/x-tenant",
		`{'connection':'api','body':{}}`:                                             "/body",
		`{'connection':'api','method':'POST','body':{'a':['${secret:x}']}}`:          "/body/a/0",
		`{'connection':'api','method':'POST','body':{'a':{'b/c':'$.output.x'}}}`:     "/body/a/b~1c",
		`{'connection':'api','method':'POST','body':{'a':'{{ $.arguments.name }}'}}`: "/body/a",
	} {
		_, found := strict[executor.REST](t, config).Check(surroundings)
		if !at(found, want) {
			t.Errorf("%s: %v, want something at %s", config, found, want)
		}
	}
}

func at(found []schema.Violation, path string) bool {
	for _, v := range found {
		if v.Path == path && v.Message != "" {
			return true
		}
	}
	return false
}

// TestConnectionsCannotBe: the same for connections.
func TestConnectionsCannotBe(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]string{
		`{}`:                                                                                  "/baseUrl",
		`{'baseUrl':'api.example.com'}`:                                                       "/baseUrl",
		`{'baseUrl':'ftp://api.example.com'}`:                                                 "/baseUrl",
		`{'baseUrl':'http:///x'}`:                                                             "/baseUrl",
		`{'baseUrl':'https://u:p@api.example'}`:                                               "/baseUrl",
		`{'baseUrl':'https://api.example/?a=1'}`:                                              "/baseUrl",
		`{'baseUrl':'https://api.example/?'}`:                                                 "/baseUrl",
		`{'baseUrl':'https://api.example/#x'}`:                                                "/baseUrl",
		`{'baseUrl':'https://api.example/#'}`:                                                 "/baseUrl",
		`{'baseUrl':'https://api.example/a/../b'}`:                                            "/baseUrl",
		`{'baseUrl':'https://api.example//a'}`:                                                "/baseUrl",
		`{'baseUrl':'https://${env:HOST}/'}`:                                                  "/baseUrl",
		`{'baseUrl':'$.arguments.url'}`:                                                       "/baseUrl",
		`{'baseUrl':'https://api.example','headers':{'Host':'x'}}`:                            "/headers/Host",
		`{'baseUrl':'https://api.example','headers':{'Proxy-Authorization':'x'}}`:             "/headers/Proxy-Authorization",
		`{'baseUrl':'https://api.example','headers':{'Authorization':'${secret:x}'}}`:         "/headers/Authorization",
		`{'baseUrl':'https://api.example','headers':{'Authorization':'${env:MCP_X}'}}`:        "/headers/Authorization",
		`{'baseUrl':'https://api.example','headers':{'X-A':'a\r\nB: c'}}`:                     "/headers/X-A",
		`{'baseUrl':'https://api.example','headers':{'X_A':'1','x-a':'2'}}`:                   "/headers",
		`{'baseUrl':'https://api.example','headers':{'Idempotency-Key':'always the same'}}`:   "/headers/Idempotency-Key",
		`{'baseUrl':'https://api.example','headers':{'Accept-Encoding':'br'}}`:                "/headers/Accept-Encoding",
		`{'baseUrl':'https://api.example','headers':{'Authorization':'${file:secrets/key}'}}`: "/headers/Authorization",
	} {
		if found := strict[executor.RESTConnection](t, config).CheckConnection("/"); !at(found, want) {
			t.Errorf("%s: %v, want something at %s", config, found, want)
		}
	}
	for _, config := range []string{
		`{'baseUrl':'http://127.0.0.1:8080'}`, `{'baseUrl':'https://api.example.com/'}`, `{'baseUrl':'https://api.example.com/v1/'}`,
		`{'baseUrl':'http://[::1]:80/a%20b','headers':{'Authorization':'Bearer ${env:TOKEN}','Cookie':'a=b','api_key':'${file:/run/key}'}}`,
	} {
		if found := strict[executor.RESTConnection](t, config).CheckConnection("/"); found != nil {
			t.Errorf("%s: %v", config, found)
		}
	}
}

// TestTheTierOfREST: the executor's and the connection's, whichever is higher, as they are when it is prepared.
func TestTheTierOfREST(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	q := asking(t, `{'connection':'api'}`, to(t, s), expr.Env{})
	if q.Executor.Tier != auth.Medium {
		t.Errorf("checked as %v", q.Executor.Tier)
	}
	for _, tt := range []struct{ own, connection, want auth.Tier }{
		{auth.Low, auth.Medium, auth.Medium}, {auth.Medium, auth.High, auth.High}, {auth.High, auth.Low, auth.High}, {auth.Medium, auth.TierUnknown, auth.Medium},
	} {
		c, _ := to(t, s)("api")
		c.Tier, q.Executor.Tier = tt.connection, tt.own
		q.Connection = func(string) (*workflow.Connection, bool) { return c, true }
		r, failure := rest(t).Prepare(t.Context(), q)
		if failure != nil || r.Tier != tt.want {
			t.Errorf("%v by %v: %+v, %+v", tt.own, tt.connection, r, failure)
		}
	}
	if got := s.taken(); got != nil {
		t.Errorf("preparing sent %+v", got)
	}
}

// TestTheMaterialOfREST: all that would be sent, secrets by nothing but the digest of the connection that names them.
func TestTheMaterialOfREST(t *testing.T) {
	t.Parallel()
	const config = `{'baseUrl':'https://api.example.com/v1','headers':{'Authorization':'Bearer ${env:PLAIN}'}}`
	q := asking(t, `{'connection':'api','method':'POST','path':'/{a}','query':{'q':'$.arguments.a'},'headers':{'X-A':'$.arguments.a'},'body':['$.arguments']}`,
		connection(t, config), sending(`{"a":"x y"}`))
	q.Key = "key of the attempt"
	r, failure := rest(t).Prepare(t.Context(), q)
	if failure != nil {
		t.Fatal(failure)
	}
	want := map[string]any{
		"kind": "rest", "connection": "api", "connectionDigest": "digest of " + config, "method": "POST",
		"url": "https://api.example.com/v1/x%20y?q=x+y", "headers": map[string]any{"X-A": "x y"}, "body": []any{map[string]any{"a": "x y"}},
	}
	if diff := cmp.Diff(want, r.Material); diff != "" {
		t.Errorf("material (-want +got):\n%s", diff)
	}
	if r.Repeatable {
		t.Error("a POST is taken for repeatable")
	}
}

func TestRepeatableMethods(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]bool{"": true, "GET": true, "HEAD": true, "OPTIONS": true, "POST": false, "PUT": false, "PATCH": false, "DELETE": false} {
		r, failure := rest(t).Prepare(t.Context(), asking(t, `{'connection':'api','method':'`+method+`'}`, connection(t, `{'baseUrl':'https://api.example.com'}`), expr.Env{}))
		if failure != nil || r.Repeatable != want {
			t.Errorf("%s: %+v, %+v", method, r, failure)
		}
	}
}

// TestRESTWithoutItsConnection: one that has gone, or has become another kind, is met when it is prepared.
func TestRESTWithoutItsConnection(t *testing.T) {
	t.Parallel()
	q := asking(t, `{'connection':'api','headers':{'X-A':'1'}}`, connection(t, `{'baseUrl':'https://api.example.com'}`), expr.Env{})
	for name, conn := range map[string]func(string) (*workflow.Connection, bool){
		"gone": func(string) (*workflow.Connection, bool) { return nil, false },
		"none": nil,
		"another": func(string) (*workflow.Connection, bool) {
			return &workflow.Connection{Spec: new(executor.CLIConnection)}, true
		},
		"a header of the same name": connection(t, `{'baseUrl':'https://api.example.com','headers':{'x-a':'2'}}`),
	} {
		q.Connection = conn
		if r, failure := rest(t).Prepare(t.Context(), q); r != nil || failure == nil || failure.Begun != workflow.NotBegun || failure.Class != workflow.ClassPermanent {
			t.Errorf("%s: %+v, %+v", name, r, failure)
		}
	}
}

// TestTheKeyOfREST: it is sent as it is, and never one that would end the header.
func TestTheKeyOfREST(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	q := asking(t, `{'connection':'api','method':'POST'}`, to(t, s), expr.Env{})
	q.Key = "order 7"
	if res := run(t, rest(t), q); res.Failure != nil {
		t.Fatal(res.Failure)
	}
	if got := s.taken(); len(got) != 1 || got[0].Header.Get("Idempotency-Key") != "order 7" {
		t.Errorf("sent %+v", got)
	}
	q.Key = "7\r\nAuthorization: mine"
	res := run(t, rest(t), q)
	if res.Failure == nil || res.Failure.Begun != workflow.NotBegun || len(s.taken()) != 0 {
		t.Errorf("a key with a line end: %+v", res)
	}
}
