package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"prax/store"
	"prax/tools"
)

const hi = `{"text":"hi"}`

// acts is what both an Operator and a Client can do: the commands use either.
type acts interface {
	Call(ctx context.Context, as, tool string, arguments jsontext.Value) (*tools.Result, error)
	Access(ctx context.Context, as, tool string) (Access, error)
	Verify(ctx context.Context) (store.Report, error)
	Status(ctx context.Context) (Status, error)
	Events(ctx context.Context, after int64, follow bool, f func([]store.Event) error) error
}

var (
	_ acts = (*Operator)(nil)
	_ acts = (*Client)(nil)
)

// both runs f with the socket's client and with an operator beside the server.
func both(t *testing.T, f func(t *testing.T, h *house, a acts)) {
	t.Run("socket", func(t *testing.T) {
		t.Parallel()
		h := start(t)
		f(t, h, h.dial())
	})
	t.Run("direct", func(t *testing.T) {
		t.Parallel()
		h := start(t)
		f(t, h, NewOperator(h.cfg, os.Geteuid()))
	})
}

func TestCallHasTheClientsRights(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house, a acts) {
		res, err := a.Call(t.Context(), "alice", "echo", jsontext.Value(hi))
		if err != nil {
			t.Fatal(err)
		}
		want := &tools.Result{
			Content:    []tools.Block{{Type: "text", Text: "u-alice"}, {Type: "image", Data: []byte{0, 255}, MIMEType: "image/png"}},
			Structured: jsontext.Value(hi), Meta: map[string]jsontext.Value{"a/b": jsontext.Value(`1`)},
		}
		if d := cmp.Diff(want, res); d != "" {
			t.Error(d)
		}
		for _, tt := range []struct {
			as, tool, arguments string
			want                error
		}{
			{"alice", "other.tool", hi, tools.ErrUnknownTool},
			{"alice", "other_tool", hi, tools.ErrUnknownTool},
			{"alice", "destroy", hi, tools.ErrUnknownTool},
			{"alice", "nothing", hi, tools.ErrUnknownTool},
			{"empty", "echo", hi, tools.ErrUnknownTool},
			{"bob", "echo", hi, tools.ErrUnknownTool},
			{"bob", "other.tool", hi, nil},
			{"bob", "other_tool", hi, nil},
			{"carol", "echo", hi, ErrNoClient},
			{"dave", "echo", hi, ErrNoClient},
			{"", "echo", hi, ErrNoClient},
			{"operator:0", "echo", hi, ErrNoClient},
			{"alice", "echo", `[1]`, tools.ErrArguments},
			{"alice", "echo", `{"text":9007199254740993}`, tools.ErrArguments},
		} {
			if _, err := a.Call(t.Context(), tt.as, tt.tool, jsontext.Value(tt.arguments)); !errors.Is(err, tt.want) {
				t.Errorf("%s calls %s %s: %v, want %v", tt.as, tt.tool, tt.arguments, err, tt.want)
			} else if errors.Is(err, tools.ErrArguments) && len(err.Error()) < len(tools.ErrArguments.Error())+10 {
				t.Errorf("%s %s: %v has no sentence", tt.tool, tt.arguments, err)
			}
		}
	})
}

func TestCallFailures(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, _ *house, a acts) {
		for tool, code := range map[string]string{"fail": "CONFLICT", "echo": "INVALID_ARGUMENTS"} {
			arguments := jsontext.Value(hi)
			if tool == "echo" {
				arguments = nil // none: an empty object, which misses "text"
			}
			res, err := a.Call(t.Context(), "alice", tool, arguments)
			if err != nil || !res.IsError || !strings.Contains(string(res.Meta[tools.ErrorMeta]), code) {
				t.Errorf("%s: %+v, %v, want %s", tool, res, err, code)
			}
		}
	})
}

// A client's rights are those of the file in force at the call.
func TestCallAfterAnEdit(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house, a acts) {
		reload := func() {
			if r, err := NewOperator(h.cfg, 0).Reload(t.Context()); err != nil || !r.OK {
				t.Fatalf("reload: %+v, %v", r, err)
			}
		}
		h.grant("fail")
		reload()
		if _, err := a.Call(t.Context(), "alice", "echo", jsontext.Value(hi)); !errors.Is(err, tools.ErrUnknownTool) {
			t.Errorf("after narrowing: %v", err)
		}
		h.grant("echo")
		reload()
		if _, err := a.Call(t.Context(), "alice", "echo", jsontext.Value(hi)); err != nil {
			t.Errorf("after widening: %v", err)
		}
	})
}

// An act as a client is within its limits, and counts; nobody else's act does.
func TestCallHasTheClientsLimits(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house, a acts) {
		for range 2 {
			if _, err := a.Call(t.Context(), "slow", "echo", jsontext.Value(hi)); err != nil {
				t.Fatalf("within the limits: %v", err)
			}
		}
		_, err := a.Call(t.Context(), "slow", "echo", jsontext.Value(hi))
		if !errors.Is(err, ErrTooMany) || !strings.HasSuffix(err.Error(), " s, then send it again") {
			t.Errorf("beyond them: %v", err)
		}
		if _, err := a.Call(t.Context(), "alice", "echo", jsontext.Value(hi)); err != nil {
			t.Errorf("another client: %v", err)
		}
		if a, err := a.Access(t.Context(), "slow", "echo"); err != nil || !a.Allowed {
			t.Errorf("what it may use: %+v, %v", a, err)
		}
		refused := h.events(1, func(e store.Event) bool { return strings.HasPrefix(e.Decision, ErrTooMany.Error()) })[0]
		if refused.Kind != EventOperator || refused.Outcome != tools.OutcomeDenied || !strings.Contains(refused.Detail, `"as":"slow"`) {
			t.Errorf("%+v", refused)
		}
	})
}

func TestActsAreAudited(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house, a acts) {
		who := fmt.Sprintf("operator:%d", os.Geteuid())
		_, _ = a.Call(t.Context(), "alice", "echo", jsontext.Value(hi))
		_, _ = a.Call(t.Context(), "alice", "destroy", jsontext.Value(hi))
		_, _ = a.Call(t.Context(), "dave\x1b[31m", "echo", nil)
		_, _ = a.Call(t.Context(), "alice", "fail", jsontext.Value(hi))
		_, _ = a.Access(t.Context(), "bob", "echo")
		_, _ = a.Verify(t.Context())
		_, _ = a.Status(t.Context())
		_ = a.Events(t.Context(), 0, false, func([]store.Event) error { return nil })

		type row struct{ Method, Tool, Outcome, Decision, Detail string }
		want := []row{
			{"call", "echo", "ok", "", `{"as":"alice","uid":%d}`},
			{"call", "destroy", "denied", "unknown tool", `{"as":"alice","uid":%d}`},
			{"call", "echo", "denied", "no live client of that name", `{"as":"dave\\x1b[31m","uid":%d}`},
			{"call", "fail", "error", "", `{"as":"alice","uid":%d}`},
			{"access", "echo", "ok", "not in the allowlist", `{"as":"bob","uid":%d}`},
			{"verify", "", "ok", "", `{"uid":%d}`},
			{"audit", "", "ok", "", `{"uid":%d}`},
		}
		var got []row
		ids := map[string]bool{}
		for _, e := range h.events(len(want), func(e store.Event) bool { return e.Kind == EventOperator }) {
			got = append(got, row{e.Method, e.Tool, e.Outcome, e.Decision, e.Detail})
			if e.Client != who || e.User != "" || e.RequestID == "" || ids[e.RequestID] || e.At.IsZero() {
				t.Errorf("event %+v", e)
			}
			ids[e.RequestID] = true
		}
		for i := range want {
			want[i].Detail = fmt.Sprintf(want[i].Detail, os.Geteuid())
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		for _, e := range h.events(3, func(e store.Event) bool { return e.Kind == store.EventCall }) {
			if e.Client != "alice" || e.User != "u-alice" || e.Remote != who || e.Method != "operator/call" || !ids[e.RequestID] {
				t.Errorf("the client's own event %+v", e)
			}
		}
	})
}

func TestAccessExplains(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, _ *house, a acts) {
		for _, tt := range []struct {
			as, tool string
			allowed  bool
			reason   string
			fails    string // the facts that do not hold
		}{
			{"alice", "echo", true, "allowed", ""},
			{"bob", "other.tool", true, "allowed", ""},
			{"bob", "other_tool", true, "allowed", ""},
			{"bob", "echo", false, "not in the allowlist", "allowlist"},
			{"empty", "echo", false, "not in the allowlist", "allowlist"},
			{"alice", "destroy", false, "high risk: never exposed", "tier"},
			{"bob", "destroy", false, "high risk: never exposed", "tier allowlist"},
			{"alice", "nothing", false, "unknown tool", "tool"},
			{"carol", "echo", false, ErrNoClient.Error(), "client"},
			{"dave", "nothing", false, ErrNoClient.Error(), "client tool"},
		} {
			got, err := a.Access(t.Context(), tt.as, tt.tool)
			if err != nil {
				t.Fatal(err)
			}
			var fails []string
			for _, f := range got.Facts {
				if !f.Holds {
					fails = append(fails, f.Name)
				}
				if f.Value == "" {
					t.Errorf("%s, %s: fact %s says nothing", tt.as, tt.tool, f.Name)
				}
			}
			if got.Allowed != tt.allowed || got.Reason != tt.reason || strings.Join(fails, " ") != tt.fails || got.As != tt.as || got.Tool != tt.tool {
				t.Errorf("%s, %s: %+v, want %v, %q, failing %q", tt.as, tt.tool, got, tt.allowed, tt.reason, tt.fails)
			}
			// Law 1: what is explained is what happens.
			_, err = a.Call(t.Context(), tt.as, tt.tool, jsontext.Value(hi))
			if called := err == nil; called != tt.allowed {
				t.Errorf("%s, %s: explained %v, called %v", tt.as, tt.tool, tt.allowed, err)
			}
		}
	})
}

func TestAccessLists(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, _ *house, a acts) {
		for as, want := range map[string][]string{"alice": {"echo", "fail", "wait"}, "bob": {"other.tool"}, "empty": nil, "carol": nil, "dave": nil} {
			got, err := a.Access(t.Context(), as, "")
			if err != nil {
				t.Fatal(err)
			}
			if strings.Join(got.Usable, " ") != strings.Join(want, " ") || got.Allowed != (len(want) > 0) || got.Reason == "" {
				t.Errorf("%s: %+v, want %v", as, got, want)
			}
		}
	})
}

func TestVerifyAndStatus(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house, a acts) {
		h.note(0, 5)
		report, err := a.Verify(t.Context())
		if err != nil || !report.OK() || report.Events < 5 || report.LastHash == "" {
			t.Errorf("verify: %+v, %v", report, err)
		}
		s, err := a.Status(t.Context())
		if err != nil || s.Version != "v1" || s.PID != 7 || s.Registry.Clients != 4 || !s.Registry.OK {
			t.Errorf("status: %+v, %v", s, err)
		}
	})
	if _, err := NewOperator(Config{}, 0).Status(t.Context()); err == nil {
		t.Error("status without a server")
	}
}

func TestReload(t *testing.T) {
	t.Parallel()
	h := start(t)
	c := h.dial()
	if r, err := c.Reload(t.Context()); err != nil || !r.OK || !r.Unchanged || r.Clients != 4 || r.Expired != 1 {
		t.Errorf("unchanged: %+v, %v", r, err)
	}
	if err := os.WriteFile(h.file(), []byte(`{"clients":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := c.Reload(t.Context()); err != nil || !r.OK || r.Unchanged || r.Clients != 0 {
		t.Errorf("emptied: %+v, %v", r, err)
	}
	if _, err := c.Call(t.Context(), "alice", "echo", jsontext.Value(hi)); !errors.Is(err, ErrNoClient) {
		t.Errorf("alice after the reload: %v", err)
	}
	if err := os.WriteFile(h.file(), []byte("{\n broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := c.Reload(t.Context())
	if err != nil || r.OK || r.Errors == 0 || len(r.Problems) == 0 || r.Problems[0].Line == 0 {
		t.Errorf("broken: %+v, %v", r, err)
	}
	got := h.events(3, func(e store.Event) bool { return e.Kind == EventOperator && e.Method == "reload" })
	if got[0].Outcome != "ok" || got[2].Outcome != "error" {
		t.Errorf("audited as %+v", got)
	}
}
