package definition_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/tools/definition"
	"prax/tools/workflow"
)

// problemsOf are what a file is told of, as code and text.
func problemsOf(t testing.TB, path string) (list []string) {
	t.Helper()
	_, problems := definition.Load(path, kinds, own...)
	for _, p := range problems {
		list = append(list, fmt.Sprintf("%s:%d:%d %s %s", filepath.Base(p.File), p.Line, p.Column, p.Code, p.Path))
	}
	return list
}

// TestFixtures: what needs no outside effect loads as it is; what does is named, and nothing else is.
func TestFixtures(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"gate.yaml": nil, "guards.yaml": nil, "hello.yaml": nil, "steps.yaml": nil, "words.yaml": {
			"words.yaml:14:21 pending-subject /workflows/needs",
		},
		"chain.yaml": {"chain.yaml:24:93 UNKNOWN_EXECUTOR_KIND /workflows/broken/states/a/transitions/boom/executor/kind"},
		"proxy.yaml": {"proxy.yaml:12:19 UNKNOWN_EXECUTOR_KIND /proxy/expose/1/executor/kind"},
		"evidence.yaml": {
			"evidence.yaml:19:25 UNKNOWN_EXECUTOR_KIND /workflows/probe/states/s/transitions/run/executor/kind",
			"evidence.yaml:24:25 UNKNOWN_EXECUTOR_KIND /workflows/probe/states/s/transitions/strict/executor/kind",
		},
		"lexicon.yaml": {"lexicon.yaml:10:79 pending-subject /workflows/needs"},
	} {
		if diff := cmp.Diff(want, problemsOf(t, filepath.Join("testdata", name))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestCompiled: everything that a definition can say arrives.
func TestCompiled(t *testing.T) {
	t.Parallel()
	set := loaded(t, "testdata/steps.yaml")
	d := set.Definition("steps")
	d.Text, d.Hash = nil, ""
	got := describe(d)
	want := `steps v7 Steps [tag] [alias] shared [note_create] 1m30s→late byGuards 5 6 7s
input {"properties":{"n":{"default":1,"type":"number"}},"required":["n"],"type":"object"}
context map[done:false items:[1 2] none:<nil>]
slots done items n none
skills [plan.all]
library plan.all plan sha256:
library test.unit test sha256:
outcome done The work is done. expr $.context.done == true
ask 3
state work "" goal "Work on {{ $.workflow.input.n }}" guidance "So far {{ $.context.n }}" human skills [plan.all] delegate worker while expr $.context.done == false 4 filter all
 slot path [src/**]
 enter noop low {done=false}
 move approve human→done presents $.context.items choices pick $.context.items id name prompt "Go on?" human/board high guards [role reviewer] [not [all_of [permission p] [any_of [guidance_acknowledged plan.all] [script_acknowledged test.unit]]]]
 move again agent→work input {"type":"object"} prefill {n=[$.workflow.input.n]} fires 2 light skills [plan.all] prompt "Again?" guards [evidence human_approval×2 distinct exclude, check×1 ≥0.5 digest] out {n=[$.context.n]} branch expr $.arguments.now == true→done
state done success terminal
state late failure terminal
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("definition (-want +got):\n%s", diff)
	}
	if want := 90 * time.Second; d.Timeout != want {
		t.Errorf("timeout %v", d.Timeout)
	}
}

// describe writes out what matters of a definition.
func describe(d *workflow.Definition) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	shared := "own"
	if d.Shared {
		shared = "shared"
	}
	say("%s v%d %s %v %v %s %v %v→%s %s %d %d %v\n", d.ID, d.Version, d.Title, d.Tags, d.Aliases, shared, d.Grants, d.Timeout, d.OnTimeout, d.Filter, d.MaxChain, d.MaxHops, d.MaxDriven)
	if d.Input != nil {
		say("input %s\n", d.Input.Raw())
	}
	say("context %v\n", d.InitialContext)
	if d.SlotsDeclared {
		say("slots %s\n", strings.Join(sortedKeys(d.Slots), " "))
	}
	say("skills %v\n", d.Skills)
	for _, subject := range sortedKeys(d.Library) {
		say("library %s %s %.7s\n", subject, d.Library[subject].Verb, d.Library[subject].Hash)
	}
	for _, o := range d.Outcomes {
		say("outcome %s %s %s\n", o.ID, o.Statement, guardText(o.Check))
	}
	if d.AskHuman {
		say("ask %d\n", d.MaxAskHuman)
	}
	for _, s := range d.States {
		say("%s\n", stateText(s))
	}
	return b.String()
}

func stateText(s *workflow.State) string {
	parts := []string{"state", s.Name}
	add := func(ok bool, more ...any) {
		if ok {
			parts = append(parts, strings.TrimSuffix(fmt.Sprintln(more...), "\n"))
		}
	}
	add(s.Outcome != "", s.Outcome)
	add(s.Terminal, "terminal")
	add(!s.Terminal && s.Description == "", `""`)
	add(!s.Goal.IsZero(), "goal", fmt.Sprintf("%q", s.Goal))
	add(!s.Guidance.IsZero(), "guidance", fmt.Sprintf("%q", s.Guidance))
	add(s.HumanState, "human")
	add(s.Skills != nil, "skills", s.Skills)
	add(s.Delegate != "", "delegate", s.Delegate)
	if s.While != nil {
		add(true, "while", guardText(s.While), s.MaxWhile)
	}
	if s.Filter != nil {
		add(true, "filter", *s.Filter)
	}
	text := strings.Join(parts, " ")
	for _, slot := range s.Slots {
		text += fmt.Sprintf("\n slot %s %v", slot.Name, slot.Paths)
	}
	if e := s.OnEnter; e != nil {
		text += fmt.Sprintf("\n enter %s %v%s %s", e.Executor.Kind, e.Executor.Tier, effectText(e.Executor), slotText(e.Output))
	}
	for _, t := range s.Transitions {
		text += "\n move " + moveText(t)
	}
	return text
}

// effectText is what an executor with an effect has beside its kind and its tier.
func effectText(e *workflow.Executor) string {
	if !e.Effect() {
		return ""
	}
	text := " " + string(e.Config)
	if e.Idempotent {
		text += fmt.Sprintf(" key %q", e.KeyText)
	}
	r := e.Reliability
	if r.Timeout > 0 || r.Tries != 1 {
		text += fmt.Sprintf(" tries %v %d %s %v %v %q", r.Timeout, r.Tries, r.Backoff, r.First, r.Longest, r.RetryOn)
	}
	for _, one := range r.Fallback {
		text += " or " + one.Kind + " " + one.Tier.String() + effectText(one)
	}
	return text
}

func moveText(t *workflow.Transition) string {
	parts := []string{t.Name, string(t.Actor) + "→" + t.Target}
	add := func(ok bool, more ...any) {
		if ok {
			parts = append(parts, strings.TrimSuffix(fmt.Sprintln(more...), "\n"))
		}
	}
	if t.Input != nil {
		add(true, "input", string(t.Input.Raw()))
	}
	add(t.Prefill != nil, "prefill", slotText(t.Prefill))
	add(t.MaxFires > 0, "fires", t.MaxFires)
	add(t.Light, "light")
	add(t.Skills != nil, "skills", t.Skills)
	for _, p := range t.Presents {
		add(true, "presents", p)
	}
	if c := t.Choices; c != nil {
		add(true, "choices", c.Field, c.From, c.Value, c.Title)
	}
	add(!t.Prompt.IsZero(), "prompt", fmt.Sprintf("%q", t.Prompt))
	if e := t.Executor; e != nil {
		add(true, fmt.Sprintf("%s/%s", e.Kind, e.Queue), e.Tier.String()+effectText(e))
	}
	if t.Guards != nil {
		parts = append(parts, "guards")
		for _, g := range t.Guards {
			parts = append(parts, "["+guardText(g)+"]")
		}
	}
	add(t.Output != nil, "out", slotText(t.Output))
	for _, br := range t.Branches {
		add(true, "branch", guardText(br.When)+"→"+br.Target)
	}
	return strings.Join(parts, " ")
}

func guardText(g *workflow.Guard) string {
	text := string(g.Kind)
	if g.Name != "" {
		text += " " + g.Name
	}
	if !g.Expr.IsZero() {
		text += " " + g.Expr.String()
	}
	for i, r := range g.Requires {
		text += fmt.Sprintf("%s %s×%d", strings.Repeat(",", min(i, 1)), r.Kind, r.Count)
		if r.MinConfidence != nil {
			text += fmt.Sprintf(" ≥%v", *r.MinConfidence)
		}
		for _, flag := range []struct {
			on   bool
			name string
		}{{r.Digest, "digest"}, {r.Distinct, "distinct"}, {r.ExcludeStarter, "exclude"}} {
			if flag.on {
				text += " " + flag.name
			}
		}
	}
	for _, one := range g.Guards {
		text += " [" + guardText(one) + "]"
	}
	return text
}

func slotText(slots []workflow.Slot) string {
	var parts []string
	for _, s := range slots {
		if v, always := s.Value.Literal(); always {
			parts = append(parts, fmt.Sprintf("%s=%v", s.Name, v))
			continue
		}
		parts = append(parts, fmt.Sprintf("%s=%v", s.Name, s.Value.Paths()))
	}
	return "{" + strings.Join(parts, " ") + "}"
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
