package tools_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"prax/auth"
	"prax/store"
	"prax/tools"
)

// dispatched calls a tool for an attempt and tells whether it was reached.
func dispatched(t interface{ Fatalf(string, ...any) }, ctx context.Context, r *tools.Registry, p auth.Principal, name string, a tools.Admission) bool {
	_, err := r.Dispatch(ctx, &tools.Call{Principal: p, Name: name}, a)
	if err != nil && !errors.Is(err, tools.ErrUnknownTool) {
		t.Fatalf("dispatch: %v", err)
	}
	return err == nil
}

// TestAdmissions: what an admission adds to an allowlist, case by case.
func TestAdmissions(t *testing.T) {
	t.Parallel()
	r := tools.NewRegistry(tools.Config{Store: open(t)})
	set(t, r, "one", tool("lo.w", auth.Low), tool("medium", auth.Medium), tool("high", auth.High))
	alice, nobody := principal("alice", "medium"), auth.Principal{User: "alice", Allow: auth.Names("medium")}
	expired, everything := principal("alice", "medium"), principal("alice")
	expired.Expires = time.Now().Add(-time.Minute)
	everything.Allow = auth.Everything()
	const attempt, granted, approved = "at_1", true, true
	for _, tt := range []struct {
		name      string
		principal auth.Principal
		call      string
		admission tools.Admission
		want      bool
	}{
		{"none, in the allowlist", alice, "medium", tools.Admission{}, true},
		{"none, not in the allowlist", alice, "lo.w", tools.Admission{}, false},
		{"none, high", everything, "high", tools.Admission{}, false},
		{"neither granted nor approved", alice, "lo.w", tools.Admit(attempt, "lo.w", false, false), false},
		{"granted low", alice, "lo.w", tools.Admit(attempt, "lo.w", granted, false), true},
		{"granted low, the other spelling of the call", alice, "lo_w", tools.Admit(attempt, "lo.w", granted, false), true},
		{"granted low, the other spelling of the admission", alice, "lo.w", tools.Admit(attempt, "lo_w", granted, false), true},
		{"granted medium", principal("bob"), "medium", tools.Admit(attempt, "medium", granted, false), true},
		{"granted high", everything, "high", tools.Admit(attempt, "high", granted, false), false},
		{"approved high", alice, "high", tools.Admit(attempt, "high", false, approved), true},
		{"approved and granted high", alice, "high", tools.Admit(attempt, "high", granted, approved), true},
		{"approved low", alice, "lo.w", tools.Admit(attempt, "lo.w", false, approved), true},
		{"approved for another", alice, "high", tools.Admit(attempt, "lo.w", granted, approved), false},
		{"for another, in the allowlist", alice, "medium", tools.Admit(attempt, "lo.w", granted, approved), true},
		{"approved for no tool", alice, "high", tools.Admit(attempt, "", granted, approved), false},
		{"of no attempt", alice, "high", tools.Admit("", "high", granted, approved), false},
		{"a tool that is not there", alice, "gone", tools.Admit(attempt, "gone", granted, approved), false},
		{"nobody", nobody, "high", tools.Admit(attempt, "high", granted, approved), false},
		{"an expired principal", expired, "high", tools.Admit(attempt, "high", granted, approved), false},
		{"an expired principal, granted", expired, "medium", tools.Admit(attempt, "medium", granted, false), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := dispatched(t, t.Context(), r, tt.principal, tt.call, tt.admission); got != tt.want {
				t.Errorf("reached %v, want %v", got, tt.want)
			}
		})
	}
}

// TestLaw2HighNeedsAnApproval: in any catalogue, for any principal and any admission, a HIGH tool is reached only when
// its call was approved for an attempt, and what is reached beyond the allowlist is the tool of the admission.
func TestLaw2HighNeedsAnApproval(t *testing.T) {
	t.Parallel()
	db := open(t)
	pool := []string{"a", "b.c", "d_e", "f"}
	rapid.Check(t, func(rt *rapid.T) {
		r := tools.NewRegistry(tools.Config{Store: db})
		tiers := map[string]auth.Tier{}
		var list []*tools.Tool
		for _, name := range pool {
			tiers[name] = auth.Tier(rapid.Uint8Range(uint8(auth.Low), uint8(auth.High)).Draw(rt, "tier of "+name))
			list = append(list, tool(name, tiers[name]))
		}
		if err := r.Set("one", list); err != nil {
			rt.Fatal(err)
		}
		p := principal("alice", rapid.SliceOf(rapid.SampledFrom(pool)).Draw(rt, "allow")...)
		name, admitted := rapid.SampledFrom(pool).Draw(rt, "name"), rapid.SampledFrom(pool).Draw(rt, "admitted")
		granted, approved := rapid.Bool().Draw(rt, "granted"), rapid.Bool().Draw(rt, "approved")
		reached := dispatched(rt, t.Context(), r, p, name, tools.Admit("at_1", admitted, granted, approved))
		exposed := tiers[name] != auth.High
		want := exposed && p.Allow.Has(name) || name == admitted && (approved || granted && exposed)
		if reached != want {
			rt.Fatalf("%s of tier %v: reached %v, want %v", name, tiers[name], reached, want)
		}
		if plain := dispatched(rt, t.Context(), r, p, name, tools.Admission{}); plain != (exposed && p.Allow.Has(name)) {
			rt.Fatalf("%s of tier %v without an admission: reached %v", name, tiers[name], plain)
		}
	})
}

// TestTheEventOfADispatch: the audit says on what strength a tool was reached, and for which attempt.
func TestTheEventOfADispatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		tier      auth.Tier
		allow     string
		admission tools.Admission
		decision  string
		outcome   string
		detail    string
	}{
		{"of the allowlist", auth.Medium, "work", tools.Admit("at_1", "work", true, false), "allowed", "ok", `{"attempt":"at_1"}`},
		{"granted", auth.Medium, "other", tools.Admit("at_1", "work", true, false), "granted to the definition", "ok", `{"attempt":"at_1"}`},
		{"approved", auth.High, "other", tools.Admit("at_1", "work", false, true), "approved by a person", "ok", `{"attempt":"at_1"}`},
		{"granted only", auth.High, "work", tools.Admit("at_1", "work", true, false), "high risk: never exposed", "denied", `{"attempt":"at_1"}`},
		{"not admitted", auth.Low, "other", tools.Admit("at_1", "work", false, false), "not in the allowlist", "denied", `{"attempt":"at_1"}`},
		{"nothing said", auth.Low, "work", tools.Admission{}, "allowed", "ok", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			made := tool("work", tt.tier)
			g := newRig(t, made)
			_, _ = g.Dispatch(t.Context(), &tools.Call{
				Principal: principal("alice", tt.allow), Name: "work", Arguments: jsontext.Value(`{"a":"secret"}`), RequestID: "req-1", Method: "executor",
			}, tt.admission)
			got := bare(g.audit(t))
			want := store.Event{
				Kind: store.EventCall, RequestID: "req-1", Client: "alice-agent", User: "alice", Tool: "work", Tier: tt.tier.String(),
				Method: "executor", Decision: tt.decision, Outcome: tt.outcome, Registry: 7, Detail: tt.detail,
				At: got.At, Duration: got.Duration,
			}
			if tt.outcome == "ok" {
				want.Args = `mac of {"a":"secret"}`
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDispatchIsThePipeline: what an admission lets through is held to the schema and to the deadline like any call.
func TestDispatchIsThePipeline(t *testing.T) {
	t.Parallel()
	made := work(func(ctx context.Context, _ *tools.Call) (*tools.Result, error) { <-ctx.Done(); return nil, ctx.Err() })
	made.Tier, made.Timeout = auth.High, 20*time.Millisecond
	made.Input = jsontext.Value(`{"type":"object","additionalProperties":false}`)
	g := newRig(t, made)
	admission := tools.Admit("at_1", "work", false, true)
	for arguments, code := range map[string]string{`{"n":1}`: "INVALID_ARGUMENTS", `{}`: "TIMEOUT"} {
		res, err := g.Dispatch(t.Context(), &tools.Call{Principal: principal("alice"), Name: "work", Arguments: jsontext.Value(arguments)}, admission)
		if err != nil {
			t.Fatal(err)
		}
		if got := failure(t, res); got.Code != code {
			t.Errorf("%s: code %s, want %s", arguments, got.Code, code)
		}
	}
	if _, err := g.Dispatch(t.Context(), &tools.Call{Principal: principal("alice"), Name: "work", Arguments: jsontext.Value(`[1]`)}, admission); !errors.Is(err, tools.ErrArguments) {
		t.Errorf("an array: %v", err)
	}
}
