package control

import (
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"syscall"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth/jwt"
	"prax/store"
	"prax/tools"
	"prax/tools/lexicon"
	"prax/tools/runner"
)

type callRequest struct {
	As        string         `json:"as"`
	Tool      string         `json:"tool"`
	Arguments jsontext.Value `json:"arguments,omitzero"`
}

type accessRequest struct {
	As   string `json:"as"`
	Tool string `json:"tool,omitzero"`
}

// result is a tools.Result on the socket.
type result struct {
	Content    []block                   `json:"content"`
	Structured jsontext.Value            `json:"structuredContent,omitzero"`
	IsError    bool                      `json:"isError,omitzero"`
	Meta       map[string]jsontext.Value `json:"_meta,omitempty"`
}

type block struct {
	Type     string         `json:"type"`
	Text     string         `json:"text,omitzero"`
	Quoted   jsontext.Value `json:"-"` // text is all of it
	Data     []byte         `json:"data,omitempty"`
	MIMEType string         `json:"mimeType,omitzero"`
	URI      string         `json:"uri,omitzero"`
	Name     string         `json:"name,omitzero"`
	Resource jsontext.Value `json:"resource,omitzero"`
}

func toWire(r *tools.Result) result {
	w := result{Content: []block{}, Structured: r.Structured, IsError: r.IsError, Meta: r.Meta}
	for _, b := range r.Content {
		w.Content = append(w.Content, block(b))
	}
	return w
}

func fromWire(w result) *tools.Result {
	r := &tools.Result{Content: []tools.Block{}, Structured: w.Structured, IsError: w.IsError, Meta: w.Meta}
	for _, b := range w.Content {
		r.Content = append(r.Content, tools.Block(b))
	}
	return r
}

// failure is what the socket answers in place of a value.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitzero"`
	Lexicon bool   `json:"lexicon,omitzero"` // a refusal of the lexicon's, which has codes of its own
}

// badRequest is a request that is none of ours.
type badRequest struct{ cause error }

func (e *badRequest) Error() string { return "bad request: " + e.cause.Error() }
func (e *badRequest) Unwrap() error { return e.cause }

var errForbidden = errors.New("only the server's own user and root may use this socket")

var errStopping = errors.New("the server is stopping")

// failures pairs errors with their codes, the one way and the other.
var failures = []struct {
	err    error
	code   string
	status int
}{
	{errForbidden, "forbidden", http.StatusForbidden},
	{errStopping, "stopping", http.StatusServiceUnavailable},
	{ErrNoClient, "no_client", http.StatusNotFound},
	{ErrTooMany, "too_many", http.StatusTooManyRequests},
	{tools.ErrUnknownTool, "unknown_tool", http.StatusNotFound},
	{tools.ErrArguments, "invalid_arguments", http.StatusBadRequest},
	{runner.ErrUnknownInstance, "unknown_workflow", http.StatusNotFound},
	{runner.ErrUnknownDefinition, "unknown_definition", http.StatusNotFound},
	{runner.ErrUnknownApproval, "unknown_approval", http.StatusNotFound},
	{runner.ErrUnknownAttempt, "unknown_attempt", http.StatusNotFound},
	{ErrFormat, "format", http.StatusBadRequest},
	{ErrNoTokens, "no_tokens", http.StatusNotFound},
	{jwt.ErrNoAudience, "no_public_url", http.StatusConflict},
	{jwt.ErrTTL, "ttl", http.StatusBadRequest},
	{jwt.ErrLists, "lists", http.StatusBadRequest},
	{jwt.ErrNoID, "no_token_id", http.StatusNotFound},
	{store.ErrConflict, "conflict", http.StatusConflict},
	{store.ErrQuota, "quota", http.StatusInsufficientStorage},
	{runner.ErrBusy, "busy", http.StatusServiceUnavailable},
	{store.ErrReadOnly, "read_only", http.StatusConflict},
	{store.ErrNotWhole, "not_whole", http.StatusConflict},
	{store.ErrFull, "full", http.StatusInsufficientStorage},
	{syscall.ENOSPC, "no_space", http.StatusInsufficientStorage},
	{fs.ErrExist, "exists", http.StatusConflict},
}

// fail is the one way from an error to the wire. The operator may read every cause.
func (s *Server) fail(w http.ResponseWriter, err error) {
	f, status := failure{Code: "internal", Message: err.Error()}, http.StatusInternalServerError
	if refused := (*lexicon.Refusal)(nil); errors.As(err, &refused) {
		f, status = failure{string(refused.Code), refused.Message, refused.Hint, true}, http.StatusConflict
	}
	if bad := (*badRequest)(nil); errors.As(err, &bad) {
		f.Code, status = "bad_request", http.StatusBadRequest
	}
	for _, known := range failures {
		if errors.Is(err, known.err) {
			f.Code, status = known.code, known.status
		}
	}
	s.send(w, status, struct {
		Error failure `json:"error"`
	}{f})
}

func (s *Server) send(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		s.cfg.Log.Error("operator's socket: encode answer", slog.Any("error", err))
		http.Error(w, `{"error":{"code":"internal","message":"answer cannot be encoded"}}`, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // an operator that is gone has nothing to be told
}

func decode(body []byte, v any) error {
	if err := json.Unmarshal(body, v, json.RejectUnknownMembers(true)); err != nil {
		return &badRequest{err}
	}
	return nil
}

// asError is the error that a failure stands for: one that callers branch on, with its sentence.
func (f failure) asError() error {
	if f.Lexicon {
		return &lexicon.Refusal{Code: lexicon.Code(f.Code), Message: f.Message, Hint: f.Hint}
	}
	for _, known := range failures {
		if f.Code != known.code {
			continue
		}
		if f.Message == known.err.Error() {
			return known.err
		}
		return &remoteError{f.Message, known.err}
	}
	return errors.New(f.Message)
}

// remoteError is an error of the server's, with its sentence.
type remoteError struct {
	sentence string
	is       error
}

func (e *remoteError) Error() string { return e.sentence }
func (e *remoteError) Unwrap() error { return e.is }
