package runner

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"

	"prax/tools/egress"
)

// PostHook is a [Hook] that posts the line to a URL. It got there when the answer is a 2xx; a redirect is not followed.
type PostHook struct {
	client *egress.Client
	url    *url.URL // without the user
	user   *url.Userinfo
}

// NewPostHook is one to a URL that the operator wrote: its host and port may be reached wherever they are, if that is no
// metadata service. A user and a password in it become credentials of the request (RFC 7617). The error is an
// [*egress.Refused].
func NewPostHook(out *egress.Egress, to *url.URL) (*PostHook, error) {
	bare := *to
	bare.User = nil
	h := &PostHook{client: out.Client(&bare), url: &bare, user: to.User}
	return h, h.client.Judge(&bare)
}

// Tell implements [Hook].
func (h *PostHook) Tell(ctx context.Context, id string, line []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url.String(), bytes.NewReader(line))
	if err != nil {
		return fmt.Errorf("post a notice: not a request") // the error would have the URL
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "User-Agent": {"prax"}, "Idempotency-Key": {id}}
	if h.user != nil {
		password, _ := h.user.Password()
		req.SetBasicAuth(h.user.Username(), password)
	}
	resp, err := h.client.Do(ctx, req)
	if err != nil {
		return err
	}
	if resp.Status < 200 || resp.Status > 299 {
		return fmt.Errorf("%s answered %d", h.url.Hostname(), resp.Status)
	}
	return nil
}
