package workflow_test

import (
	"strings"
	"testing"

	"prax/auth"
	"prax/tools/workflow"
	wt "prax/tools/workflow/workflowtest"
)

// guardAnswer is what comes of a submit, without arguments, to a transition with one guard.
func guardAnswer(t *testing.T, g *workflow.Guard, i workflow.Instance, c workflow.Caller) (code, message string) {
	t.Helper()
	d := definition(state("s", to("t", "go", guarded(g))), terminal("t"))
	d.Library = map[string]*workflow.Guidance{"guide.ship": {Hash: "sha256:1"}, "build.all": {Hash: "sha256:2", Script: true}}
	i.ID, i.State, i.Version, i.Open, i.Created = "wf_1", "s", 1, true, morning
	decision := d.Plan(&i, c, workflow.Submit{Transition: "go", ExpectedVersion: 1}, morning)
	if decision.Refusal != nil {
		message = decision.Refusal.Message
	}
	return answer(decision), message
}

const rejected, unset = string(workflow.GuardRejected), string(workflow.GuardUnsetSlot)

func TestGuards(t *testing.T) {
	t.Parallel()
	ghost := wt.Expr("$.context.ghost == 1")
	yes, no := wt.Expr("$.context.n >= 5"), wt.Expr("$.context.n > 5")
	caller := workflow.Caller{Client: "agent", User: "ann", Roles: auth.Names("finance"), Permissions: auth.Names("ship")}
	tests := map[string]struct {
		guard *workflow.Guard
		want  string
	}{
		"permission":                      {wt.Permission("ship"), "t"},
		"another permission":              {wt.Permission("fly"), rejected},
		"a role is no permission":         {wt.Permission("finance"), rejected},
		"role":                            {wt.Role("finance"), "t"},
		"another role":                    {wt.Role("human"), rejected},
		"expression":                      {yes, "t"},
		"expression that does not hold":   {no, rejected},
		"unset":                           {ghost, unset},
		"null is set":                     {wt.Expr("$.context.nothing == null"), "t"},
		"a text is no number":             {wt.Expr("$.context.text >= 80"), rejected},
		"input":                           {wt.Expr("$.workflow.input.ok == 1"), "t"},
		"missing input is null":           {wt.Expr("$.workflow.input.ghost == null"), "t"},
		"missing argument is null":        {wt.Expr("$.arguments.ghost == null"), "t"},
		"workflow":                        {wt.Expr("$.workflow.state == 's' and $.workflow.version == 1 and $.workflow.id == 'wf_1'"), "t"},
		"all of":                          {wt.AllOf(yes, wt.Role("finance")), "t"},
		"all of but one":                  {wt.AllOf(yes, no), rejected},
		"all of none":                     {wt.AllOf(), "t"},
		"all of with unset":               {wt.AllOf(yes, ghost), unset},
		"all of stops at the first no":    {wt.AllOf(no, ghost), rejected},
		"any of":                          {wt.AnyOf(no, yes), "t"},
		"any of none":                     {wt.AnyOf(), rejected},
		"any of no":                       {wt.AnyOf(no, no), rejected},
		"any of with unset and yes":       {wt.AnyOf(ghost, yes), "t"},
		"any of with yes and unset":       {wt.AnyOf(yes, ghost), "t"},
		"any of with unset and no":        {wt.AnyOf(no, ghost, no), unset},
		"not no":                          {wt.Not(no), "t"},
		"not yes":                         {wt.Not(yes), rejected},
		"not unset":                       {wt.Not(ghost), unset},
		"not not unset":                   {wt.Not(wt.Not(ghost)), unset},
		"not any of unset":                {wt.Not(wt.AnyOf(no, ghost)), unset},
		"not all of, decided before":      {wt.Not(wt.AllOf(no, ghost)), "t"},
		"unknown kind":                    {&workflow.Guard{Kind: "permisson"}, rejected},
		"not an unknown kind":             {wt.Not(&workflow.Guard{Kind: "permisson"}), rejected},
		"not of nothing":                  {&workflow.Guard{Kind: workflow.GuardNot}, rejected},
		"not of evidence without demands": {wt.Not(wt.Evidence()), rejected},
		"evidence without demands":        {wt.Evidence(), rejected},
		"the zero expression":             {&workflow.Guard{Kind: workflow.GuardExpr}, rejected},
		"guidance shown":                  {&workflow.Guard{Kind: workflow.GuardGuidance, Name: "guide.ship"}, "t"},
		"guidance shown as it was before": {&workflow.Guard{Kind: workflow.GuardScript, Name: "build.all"}, rejected},
		"guidance that nobody knows":      {&workflow.Guard{Kind: workflow.GuardGuidance, Name: "guide.gone"}, rejected},
		"guidance not shown":              {wt.Not(&workflow.Guard{Kind: workflow.GuardScript, Name: "build.all"}), "t"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := guardAnswer(t, test.guard, workflow.Instance{
				Input:   wt.Object(`{"ok":1}`),
				Context: wt.Object(`{"n":5,"nothing":null,"text":"87"}`),
				Shown:   map[string]string{"guide.ship": "sha256:1", "build.all": "sha256:old", "guide.gone": ""},
			}, caller)
			equal(t, "answer", got, test.want)
		})
	}
}

// TestGuardsNeverSayMoreThanPaths looks for the text of a guard, and for values, in what is refused.
func TestGuardsNeverSayMoreThanPaths(t *testing.T) {
	t.Parallel()
	context := map[string]any{"n": 5.0, "word": "tellnobody", "many": map[string]any{}}
	many := make([]string, 40)
	for n := range many {
		many[n] = "len($.context.many." + strings.Repeat("x", n+1) + ") == 1"
	}
	tests := []struct {
		guard *workflow.Guard
		names []string
		never []string
	}{
		{wt.Expr("$.context.word == 'sesame'"), []string{"expr", "$.context.word"}, []string{"sesame", "tellnobody"}},
		{wt.AnyOf(wt.Expr("$.context.n > 41"), wt.Not(wt.Expr("$.context.word contains 'tell'"))), []string{"any_of", "$.context.n", "$.context.word"}, []string{"41", "tell", ">"}},
		{wt.Permission("launch.codes"), []string{"permission"}, []string{"launch"}},
		{wt.Role("president"), []string{"role"}, []string{"president"}},
		{wt.Evidence(workflow.Requirement{Kind: "blood_test", Count: 7}), []string{"evidence"}, []string{"blood", "7"}},
		{wt.Expr("$.context.ghost == 'sesame'"), []string{"$.context.ghost"}, []string{"sesame"}},
		{wt.Expr("$.arguments.a == 1 and (" + strings.Join(many, " or ") + ")"), []string{"…"}, []string{strings.Repeat("x", 30)}},
	}
	for _, test := range tests {
		_, message := guardAnswer(t, test.guard, workflow.Instance{Context: context}, agent)
		for _, name := range test.names {
			if !strings.Contains(message, name) {
				t.Errorf("%q does not name %s", message, name)
			}
		}
		for _, word := range test.never {
			if strings.Contains(message, word) {
				t.Errorf("%q says %s", message, word)
			}
		}
	}
}

func TestEvidenceGuard(t *testing.T) {
	t.Parallel()
	high, low := 0.9, 0.4
	threshold := 0.8
	evidence := []workflow.Evidence{
		{Kind: "review", User: "ann", Client: "agent", Confidence: &high},
		{Kind: "review", User: "ann", Client: "person", Digest: "sha256:1", Confidence: &low},
		{Kind: "review", User: "bob", Client: "other"},
		{Kind: "test", User: "", Client: "", Digest: "sha256:2", Confidence: &high},
	}
	tests := map[string]struct {
		requires []workflow.Requirement
		want     string
	}{
		"one of it":                       {[]workflow.Requirement{{Kind: "review"}}, "t"},
		"as many as there are":            {[]workflow.Requirement{{Kind: "review", Count: 3}}, "t"},
		"one too many":                    {[]workflow.Requirement{{Kind: "review", Count: 4}}, rejected},
		"of two users":                    {[]workflow.Requirement{{Kind: "review", Count: 2, Distinct: true}}, "t"},
		"an agent and its person are one": {[]workflow.Requirement{{Kind: "review", Count: 3, Distinct: true}}, rejected},
		"nobody is nobody":                {[]workflow.Requirement{{Kind: "test", Distinct: true}}, rejected},
		"without the starter's":           {[]workflow.Requirement{{Kind: "review", ExcludeStarter: true}}, "t"},
		"the starter's does not count":    {[]workflow.Requirement{{Kind: "review", Count: 2, ExcludeStarter: true}}, rejected},
		"with a digest":                   {[]workflow.Requirement{{Kind: "review", Digest: true}}, "t"},
		"a digest is missing":             {[]workflow.Requirement{{Kind: "review", Count: 2, Digest: true}}, "EVIDENCE_DIGEST_REQUIRED"},
		"confident":                       {[]workflow.Requirement{{Kind: "review", MinConfidence: &threshold}}, "t"},
		"too unsure, or says nothing":     {[]workflow.Requirement{{Kind: "review", Count: 2, MinConfidence: &threshold}}, "EVIDENCE_CONFIDENCE_BELOW_THRESHOLD"},
		"digest first":                    {[]workflow.Requirement{{Kind: "review", Count: 1, Digest: true, MinConfidence: &threshold}}, "EVIDENCE_DIGEST_REQUIRED"},
		"neither would help":              {[]workflow.Requirement{{Kind: "review", Count: 9, Digest: true, MinConfidence: &threshold}}, rejected},
		"both kinds":                      {[]workflow.Requirement{{Kind: "review", Count: 2}, {Kind: "test"}}, "t"},
		"one kind is missing":             {[]workflow.Requirement{{Kind: "review"}, {Kind: "audit"}}, rejected},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := guardAnswer(t, wt.Evidence(test.requires...), workflow.Instance{Client: "agent", User: "ann", Evidence: evidence}, agent)
			equal(t, "answer", got, test.want)
		})
	}
}

// TestDeterministicTransitionsObeyTheirGuards also alone, and by hand.
func TestDeterministicTransitionsObeyTheirGuards(t *testing.T) {
	t.Parallel()
	d := definition(
		state("s", to("t", "auto", automatically, guarded(wt.Expr("$.context.n == 1"))), to("s", "set", putting(wt.Put("n", "$.arguments.n")))),
		terminal("t"))
	d.InitialContext = map[string]any{"n": 0.0}
	r := begin(t, d, `{}`)
	r.submit(agent, "auto", `{}`, rejected)
	r.submit(agent, "set", `{"n":1}`, "s")
	r.submit(agent, "auto", `{}`, "t")
}
