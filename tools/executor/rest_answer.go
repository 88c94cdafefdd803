package executor

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"prax/store/digest"
	"prax/tools/egress"
	"prax/tools/secret"
	"prax/tools/workflow"
)

// do sends the request, once.
func (k *restKind) do(ctx context.Context, x *exchange) workflow.Result {
	start := time.Now()
	if ctx.Err() != nil {
		return workflow.Result{Failure: neverBegun(workflow.ClassTimeout, "the time was over before anything was sent")}
	}
	values := &secret.Values{}
	req, failure := x.request(k.secrets, values)
	if failure != nil {
		return workflow.Result{Failure: failure}
	}
	resp, err := k.egress.Client(x.connection.base).Do(ctx, req)
	var result workflow.Result
	switch {
	case err != nil:
		result.Failure = caused(unanswered(ctx, err), err)
	default:
		result = x.answer(resp, values)
	}
	if result.Failure != nil {
		result.Failure.Message = values.CutString(result.Failure.Message)
	}
	result.Took = time.Since(start)
	return result
}

// request is the whole of it, secrets in place. What fails says nothing of them, and not even how they are named: its
// reader is a caller.
func (x *exchange) request(source *secret.Source, values *secret.Values) (*http.Request, *workflow.Failure) {
	header := http.Header{"Accept": {"application/json"}, "User-Agent": {"prax"}}
	if x.body != nil {
		header.Set("Content-Type", "application/json")
	}
	for _, c := range x.connection.headers {
		text, err := source.Resolve(c.text, values)
		if err != nil || valueDefect(text) != "" {
			failure := unfit("a header that the service needs has no usable value now: the operator has to look at its connection")
			return nil, caused(failure, fmt.Errorf("header %s: %w", c.name, valueFault(err)))
		}
		if c.text.IsLiteral() && confidential(c.name) {
			keep(text, values)
		}
		header.Set(c.name, text)
	}
	for name, list := range x.header {
		header[name] = slices.Clone(list)
	}
	req := &http.Request{Method: x.method, URL: x.url, Header: header}
	if x.body != nil {
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(x.body)), int64(len(x.body))
	}
	return req, nil
}

func valueFault(err error) error {
	if err == nil {
		return errors.New("its value cannot stand in a header")
	}
	return err
}

// keep adds what an operator wrote out, and each part of it that may be the secret by itself: the one after Bearer, the
// value of a cookie.
func keep(text string, values *secret.Values) {
	values.Add(text)
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" ;,=", r) }) {
		if len(part) >= 8 {
			values.Add(part)
		}
	}
}

// confidential tells whether a header is a secret even where the operator wrote it out.
func confidential(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"authorization", "cookie", "token", "secret", "key", "password"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// unanswered is what is known after a request to which there was no answer.
func unanswered(ctx context.Context, err error) *workflow.Failure {
	var refused *egress.Refused
	var unreached *egress.Unreached
	over := errors.Is(ctx.Err(), context.DeadlineExceeded)
	switch {
	case errors.As(err, &refused) && refused.Redirected:
		return answered("the service redirects to where no request may go")
	case errors.As(err, &refused):
		return unfit("no request may go to where the service is")
	case errors.As(err, &unreached) && over:
		return neverBegun(workflow.ClassTimeout, "the service could not be reached in time")
	case errors.As(err, &unreached):
		return neverBegun(workflow.ClassConnection, "the service could not be reached"+because(err))
	case ctx.Err() != nil:
		return doubtful(workflow.ClassTimeout, "the service did not answer in time")
	}
	return doubtful(workflow.ClassConnection, "the connection broke before the service had answered")
}

// because is why a service could not be reached, without where it is.
func because(err error) string {
	var name *net.DNSError
	var errno syscall.Errno
	var unknown x509.UnknownAuthorityError
	var other x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &name):
		return ": its name has no address"
	case errors.As(err, &errno):
		return ": " + errno.Error()
	case errors.As(err, &unknown), errors.As(err, &other), errors.As(err, &invalid):
		return ": its certificate is not accepted"
	}
	return ""
}

// answer is what an answer means.
func (x *exchange) answer(resp *egress.Response, values *secret.Values) workflow.Result {
	body := legible(resp, values)
	if failure := failed(x.method, resp.Status, body); failure != nil {
		return workflow.Result{Failure: failure}
	}
	output := map[string]any{"status": float64(resp.Status), "body": nil}
	if resp.Cut || encoded(resp) {
		output["truncated"] = true
		output["body"] = string(body)
	} else {
		output["body"] = values.CutValue(content(resp.Header, body))
	}
	return workflow.Result{Output: output, Evidence: []workflow.Evidence{{
		Kind: "rest_call", URI: values.CutString(located(x.url)), Summary: fmt.Sprintf("%s %d", x.method, resp.Status),
		Digest: "sha256:" + digest.Hex(body),
	}}}
}

// encoded tells whether a body is still in an encoding that nobody asked for.
func encoded(resp *egress.Response) bool { return resp.Header.Get("Content-Encoding") != "" }

// legible is the body without secrets. One in an encoding is left out, as nobody can look for them in it.
func legible(resp *egress.Response, values *secret.Values) []byte {
	body := resp.Body
	switch {
	case encoded(resp):
		return nil
	case resp.Cut:
		body = values.CutTruncated(body)
	default:
		body = values.Cut(body)
	}
	return bytes.TrimPrefix(bytes.ToValidUTF8(body, []byte("\uFFFD")), []byte("\uFEFF"))
}

// content is a body as a value: null when it is empty, what it says when it is JSON, else its text. An object or a list
// is JSON whatever its type is said to be.
func content(h http.Header, body []byte) any {
	trimmed := bytes.TrimSpace(body)
	if len(trimmed) == 0 {
		return nil
	}
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	if trimmed[0] == '{' || trimmed[0] == '[' || kind == "application/json" || strings.HasSuffix(kind, "+json") {
		if v, ok := decoded(trimmed); ok {
			return v
		}
	}
	return string(body)
}

// failed is the failure that a status means; nil: it is none.
func failed(method string, status int, body []byte) *workflow.Failure {
	if status < 400 && !elsewhere(method, status) {
		return nil
	}
	failure := answered(strings.TrimSpace(fmt.Sprintf("the service answered %d %s", status, http.StatusText(status))))
	if said := shortened(string(body[:min(len(body), 4*maxFailure)])); said != "" {
		failure.Message += ": " + said
	}
	switch {
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		failure.Class, failure.Begun = workflow.ClassTimeout, workflow.Doubtful
	case status == http.StatusTooManyRequests:
		failure.Class, failure.Begun = workflow.ClassRateLimited, workflow.NotBegun
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		failure.Class = workflow.ClassAuth
	case status == http.StatusBadGateway:
		failure.Class, failure.Begun = workflow.ClassTransient, workflow.Doubtful
	case status >= 500:
		failure.Class = workflow.ClassTransient
	}
	return failure
}

// elsewhere tells whether the service says that the very same request has to go somewhere else: it was not done.
func elsewhere(method string, status int) bool {
	return !safe(method) && (status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect)
}

// located is a URL without the values of its query.
func located(u *url.URL) string {
	bare := *u
	bare.RawQuery = ""
	if u.RawQuery == "" {
		return bare.String()
	}
	var names []string
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		name, _, _ := strings.Cut(part, "=")
		names = append(names, name+"=")
	}
	return bare.String() + "?" + strings.Join(names, "&")
}
