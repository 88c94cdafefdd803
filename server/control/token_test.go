package control

import (
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth/jwt"
	"prax/store"
	"prax/tools"
)

// tokenActs is what both an Operator and a Client do with signed tokens.
type tokenActs interface {
	MakeToken(ctx context.Context, o TokenOrder) (Token, error)
	RevokeToken(ctx context.Context, t TokenID) (RevokedToken, error)
}

// lending is a house whose server makes signed tokens, and its acts over the socket and beside it.
func lending(t *testing.T, audience string, f func(t *testing.T, h *house, a tokenActs)) {
	for name, acts := range map[string]func(h *house) tokenActs{
		"socket": func(h *house) tokenActs { return h.dial() }, "direct": func(h *house) tokenActs { return NewOperator(h.cfg, os.Geteuid()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			h.cfg.Tokens = jwt.Open(jwt.Config{
				Audience: audience, Keys: filepath.Join(h.dir, "data", "keys"), Clients: h.clients, Seal: hex.EncodeToString,
			})
			h.server = New(h.cfg)
			h.serve()
			f(t, h, acts(h))
		})
	}
}

func (h *house) admits(token string) bool {
	_, ok := h.cfg.Tokens.Authenticate(&http.Request{Header: http.Header{"Authorization": {"Bearer " + token}}})
	return ok
}

// TestSignedTokens: one is made, and is good and on disk when the act ends; one is revoked, and both are in the audit,
// with the id and without the token.
func TestSignedTokens(t *testing.T) {
	t.Parallel()
	lending(t, "https://prax.example.net", func(t *testing.T, h *house, a tokenActs) {
		made, err := a.MakeToken(t.Context(), TokenOrder{As: "alice", Seconds: 60, Allow: &[]string{"echo", "other.tool"}, Workflows: &[]string{}})
		if err != nil {
			t.Fatal(err)
		}
		left := time.Until(made.Expires)
		if made.Client != "alice" || made.User != "u-alice" || left > time.Minute || left < 30*time.Second || !made.Ends.Equal(made.Expires) ||
			cmp.Diff([]string{"echo"}, made.Allow) != "" || made.Workflows == nil || len(*made.Workflows) != 0 || !h.admits(made.Token) {
			t.Errorf("%+v", made)
		}
		all, err := a.MakeToken(t.Context(), TokenOrder{As: "alice", Seconds: 60})
		if err != nil || len(all.Allow) != 5 || all.Workflows != nil {
			t.Errorf("not narrowed: %+v, %v", all.Allow, err)
		}
		revoked, err := a.RevokeToken(t.Context(), TokenID{made.ID})
		if err != nil || revoked.ID != made.ID || revoked.Until.Before(made.Expires) || h.admits(made.Token) || !h.admits(all.Token) {
			t.Errorf("%+v, %v", revoked, err)
		}
		var kept jwt.Change
		if err := h.db.View(t.Context(), func(tx store.Tx) (err error) {
			kept, err = KeptTokens(tx, time.Now())
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if len(kept.Epochs) != 1 || kept.Epochs[0].Client != "alice" || len(kept.Revoked) != 1 || kept.Revoked[0].ID != made.ID || !kept.Revoked[0].Until.Equal(revoked.Until) {
			t.Errorf("on disk is %+v", kept)
		}
		for _, e := range h.events(3, func(e store.Event) bool { return strings.HasPrefix(e.Method, "token/") }) {
			if e.Outcome != tools.OutcomeOK || !strings.Contains(e.Detail, `"jti":"`) || strings.Contains(e.Detail, "eyJ") {
				t.Errorf("%+v", e)
			}
		}
	})
}

// TestSignedTokensRefused: each refusal goes over the socket as what it is, changes nothing, and tells the audit no more
// than that.
func TestSignedTokensRefused(t *testing.T) {
	t.Parallel()
	lending(t, "https://prax.example.net", func(t *testing.T, h *house, a tokenActs) {
		for what, tt := range map[string]struct {
			order TokenOrder
			want  error
		}{
			"unknown": {TokenOrder{As: "dave", Seconds: 60}, ErrNoClient}, "expired": {TokenOrder{As: "carol", Seconds: 60}, ErrNoClient}, "an operator": {TokenOrder{As: "operator:0", Seconds: 60}, ErrNoClient},
			"no time": {TokenOrder{As: "alice"}, jwt.ErrTTL}, "too long": {TokenOrder{As: "alice", Seconds: 86401}, jwt.ErrTTL}, "an overflow": {TokenOrder{As: "alice", Seconds: 1<<63 - 1}, jwt.ErrTTL},
			"an overflow below": {TokenOrder{As: "alice", Seconds: -1 << 63}, jwt.ErrTTL}, "an empty name": {TokenOrder{As: "alice", Seconds: 60, Allow: &[]string{""}}, jwt.ErrLists},
		} {
			if made, err := a.MakeToken(t.Context(), tt.order); !errors.Is(err, tt.want) || made.Token != "" {
				t.Errorf("%s: %v, want %v", what, err, tt.want)
			}
		}
		const pasted = "eyJhbGciOiJFZERTQSJ9.eyJjYW5hcnkiOjF9.c2lnbmF0dXJl"
		for _, id := range []string{"", pasted, strings.Repeat("a", 28)} {
			if _, err := a.RevokeToken(t.Context(), TokenID{id}); !errors.Is(err, jwt.ErrNoID) || strings.Contains(err.Error(), "eyJ") {
				t.Errorf("revoke %q: %v", id, err)
			}
		}
		for _, e := range h.events(11, func(e store.Event) bool { return strings.HasPrefix(e.Method, "token/") }) {
			if e.Outcome != tools.OutcomeDenied || strings.Contains(e.Detail+e.Decision+e.Tool, "eyJ") {
				t.Errorf("%+v", e)
			}
		}
	})
	lending(t, "", func(t *testing.T, _ *house, a tokenActs) {
		if _, err := a.MakeToken(t.Context(), TokenOrder{As: "alice", Seconds: 60}); !errors.Is(err, jwt.ErrNoAudience) {
			t.Errorf("without a public URL: %v", err)
		}
	})
}

// TestNoSignedTokens: where none are made, the act says so.
func TestNoSignedTokens(t *testing.T) {
	t.Parallel()
	h := start(t)
	for _, a := range []tokenActs{h.dial(), NewOperator(h.cfg, os.Geteuid())} {
		_, made := a.MakeToken(t.Context(), TokenOrder{As: "alice", Seconds: 60})
		_, revoked := a.RevokeToken(t.Context(), TokenID{"x"})
		if !errors.Is(made, ErrNoTokens) || !errors.Is(revoked, ErrNoTokens) {
			t.Errorf("%v, %v", made, revoked)
		}
	}
}
