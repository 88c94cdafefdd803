package mcp

import (
	"encoding/base64"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"prax/server/jsonrpc"
	"prax/store"
)

// Keys of _meta (MCP 2026-07-28, base protocol).
const (
	keyVersion      = "io.modelcontextprotocol/protocolVersion"
	keyCapabilities = "io.modelcontextprotocol/clientCapabilities"
	keyServerInfo   = "io.modelcontextprotocol/serverInfo"
	keySubscription = "io.modelcontextprotocol/subscriptionId"
	keyProgress     = "progressToken"

	// keyExpires is when the caller's token lapses, in results of tools while that is soon (RFC 3339).
	keyExpires = "prax/expires_at"

	// keyPrincipal is where callers of a local praxec say who they are. Here the token says it.
	keyPrincipal = "io.praxec/principal"
)

// meta is what counts in a request's params._meta, raw; nil is a key that is not there.
type meta struct {
	version, capabilities, progress jsontext.Value
	principal                       bool // it names one, which counts for nothing
}

func readMeta(m *jsonrpc.Message) (found meta) {
	for key, v := range jsonrpc.Members(m.Meta) {
		switch string(key) {
		case keyVersion:
			found.version = v
		case keyCapabilities:
			found.capabilities = v
		case keyProgress:
			found.progress = v
		case keyPrincipal:
			found.principal = true
		}
	}
	return found
}

// settle finds the request's era, revision and method, and refuses what does not fit them. The order
// matters where a fault must win over another; it is the same for every caller.
func (q *request) settle() error {
	q.meta = readMeta(&q.m)
	if q.meta.principal {
		q.s.hint.Do(q.ignoresPrincipal)
	}
	var asked string
	q.method, asked = methodOf(q.m.Method)
	q.x.Access.Method = methodUnknown
	if q.method != nil {
		q.x.Access.Method = q.method.name
	}
	var err error
	if q.meta.version != nil {
		err = q.settleModern(asked)
	} else {
		err = q.settleLegacy(asked)
	}
	if err != nil {
		return err
	}
	return q.checkShape()
}

// settleModern is the ladder of MCP 2026-07-28, transports: what headers say must be what the body
// says, so that a gateway in between decides about the same request.
func (q *request) settleModern(method string) error {
	version, isText := jsonrpc.String(q.meta.version)
	switch {
	case q.version.n == 0:
		return mismatch("the header MCP-Protocol-Version is missing")
	case !isText:
		return badMeta(keyVersion, "must be a string")
	case !q.version.is(version):
		return mismatch("the header MCP-Protocol-Version is not what params._meta says")
	case version != string(revModern):
		return unsupported(version)
	case q.meta.capabilities == nil:
		return badMeta(keyCapabilities, "is missing")
	case q.meta.capabilities.Kind() != '{':
		return badMeta(keyCapabilities, "must be an object")
	}
	q.rev = revModern
	if !headerOf(q.r, "Mcp-Method").is(method) {
		return mismatch("the header Mcp-Method is missing or is not the method of the body")
	}
	if q.method == nil || !q.method.modern {
		return refusal(http.StatusNotFound, jsonrpc.CodeNoMethod, "method not found: %s", store.SafeString(method))
	}
	if name, ok := jsonrpc.String(q.m.Name); q.method.named && ok && !headerOf(q.r, "Mcp-Name").names(name) {
		return mismatch("the header Mcp-Name is missing or is not the name of the body")
	}
	return nil
}

// settleLegacy goes by the header that initialize settled on. initialize itself negotiates whatever
// the header says.
func (q *request) settleLegacy(method string) error {
	rev, known := isLegacy(q.version.value)
	switch {
	case q.method != nil && q.method.opens:
		q.rev = rev2025Nov
		return nil
	case q.version.n == 0:
		q.rev = rev2025Mar // MCP 2025-06-18, transports: assumed without the header
	case q.version.n == 1 && known:
		q.rev = rev
	case q.version.is(string(revModern)):
		return badMeta(keyVersion, "is missing")
	default:
		return refusal(http.StatusBadRequest, jsonrpc.CodeInvalidRequest,
			"the header MCP-Protocol-Version must name one version, of those served here: %s", supportedText)
	}
	if q.method == nil || !q.method.legacy {
		return refusal(http.StatusOK, jsonrpc.CodeNoMethod, "method not found: %s", store.SafeString(method))
	}
	return nil
}

// ignoresPrincipal tells the operator, once, why a caller that names its principal has not the rights of it.
func (q *request) ignoresPrincipal() {
	q.s.config.Log.Warn("a caller names its principal in _meta, which is ignored: its token says who it is; roles and permissions stand in clients.json",
		"key", keyPrincipal, "client", q.x.Principal.Client)
}

// checkShape is about params as every method has them. A null counts as absent: many callers write
// what they have nothing for.
func (q *request) checkShape() error {
	if isGiven(q.m.Params) && q.m.Params.Kind() != '{' {
		return badParams("params must be an object")
	}
	if isGiven(q.m.Meta) && q.m.Meta.Kind() != '{' {
		return badParams("params._meta must be an object")
	}
	if t := q.meta.progress; isGiven(t) && !jsonrpc.IsID(t) {
		return badParams("params._meta.progressToken must be a string or an integer, of at most %d bytes", jsonrpc.MaxID)
	}
	return nil
}

func isGiven(v jsontext.Value) bool { return v != nil && v.Kind() != 'n' }

func (h header) is(want string) bool { return h.n == 1 && h.value == want }

// The frame of a header value that could not be sent as it is (MCP 2026-07-28, transports).
const (
	sentinelOpen  = "=?base64?"
	sentinelClose = "?="
)

// names compares like is, with the base64 form undone.
func (h header) names(want string) bool {
	text, ok := h.text()
	return ok && text == want
}

// text is what a header that came once says, with the base64 form undone. What has no whole frame is
// literal.
func (h header) text() (string, bool) {
	inner, opened := strings.CutPrefix(h.value, sentinelOpen)
	inner, closed := strings.CutSuffix(inner, sentinelClose)
	if !opened || !closed {
		return h.value, h.n == 1
	}
	text, err := base64.StdEncoding.Strict().DecodeString(inner)
	spelled := err == nil && !strings.ContainsAny(inner, "\r\n") // which the decoder skips
	return string(text), spelled && utf8.Valid(text) && h.n == 1
}

func mismatch(sentence string) *failure {
	return refusal(http.StatusBadRequest, codeHeaderMismatch, "%s", sentence)
}

func badMeta(key, fault string) *failure {
	return refusal(http.StatusBadRequest, jsonrpc.CodeInvalidParams, "params._meta[%q] %s", key, fault)
}

var supportedText = string(appendSupported(nil))

func unsupported(asked string) *failure {
	f := refusal(http.StatusBadRequest, codeVersion, "this protocol version is not served here")
	data := append([]byte(`{"supported":`), supportedText...)
	data = append(data, `,"requested":`...)
	data = jsonrpc.AppendString(data, store.SafeString(asked))
	f.rpc.Data = append(data, '}')
	return f
}
