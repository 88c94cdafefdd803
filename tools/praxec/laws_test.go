package praxec_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"prax/auth"
	"prax/store"
	"prax/tools/praxec"
)

// TestLaw1Listed: what a client was not granted answers, byte for byte, like what does not exist; what it was granted
// is found, described, read and started.
func TestLaw1Listed(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	all := []string{"ticket", "build", "allauto", "mixed", "stuck", "switch", "g", "quorum", "release", "review", "late", "reading", "proxy_default"}
	for _, granted := range [][]string{{}, {"build"}, {"ticket", "proxy_default", "reading"}, {"bu.*", "buil*", "*"}, all} {
		p := granting(agent, granted...)
		h.start(agent, "ticket", `{"subject":"x"}`) // others go on beside
		listed := map[string]bool{}
		for _, one := range h.query(p, `{"query":"","limit":200}`)["items"].([]any) {
			it := answer(one.(map[string]any))
			if it.text("item.kind") == "capability" {
				listed["proxy_default"] = true
			} else {
				listed[it.text("item.id")] = true
			}
		}
		for _, id := range all {
			may := slices.Contains(granted, id)
			equal(t, fmt.Sprintf("%s of %v is listed", id, granted), listed[id], may)
			unknown := strings.Repeat("Z", len(id))
			for _, call := range [][2]string{
				{praxec.Query, `{"subject":"ID"}`}, {praxec.Query, `{"definitionId":"ID"}`}, {praxec.Command, `{"definitionId":"ID","input":{"subject":"x"}}`},
			} {
				got := h.raw(p, call[0], strings.ReplaceAll(call[1], "ID", id))
				none := h.raw(p, call[0], strings.ReplaceAll(call[1], "ID", unknown))
				same := got == strings.ReplaceAll(none, unknown, id)
				if id == "proxy_default" && strings.Contains(call[1], "subject\":\"ID") {
					continue // it is no item, for nobody
				}
				equal(t, fmt.Sprintf("%s %s of %v answers like nothing", call[1], id, granted), same, !may)
			}
		}
		capability := h.raw(p, praxec.Query, `{"subject":"hello.echo"}`)
		equal(t, "a capability", strings.Contains(capability, `"item":null`), !slices.Contains(granted, "proxy_default"))
	}
	h.settings.Store(&praxec.Settings{})
	for _, subject := range []string{"plan.order-line", "build.all-rows"} {
		none := strings.Repeat("Z", len(subject))
		equal(t, subject+" answers like nothing", h.raw(agent, praxec.Query, `{"subject":"`+subject+`"}`),
			strings.ReplaceAll(h.raw(agent, praxec.Query, `{"subject":"`+none+`"}`), none, subject))
	}
	equal(t, "what is switched off is not found", len(h.query(agent, `{"query":"all-rows plan"}`)["items"].([]any)), 1) // allauto
}

// TestLaw9Foreign: what is somebody else's answers, byte for byte, like what does not exist: by whatever operation, and
// whoever asked before.
func TestLaw9Foreign(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	a := h.command(agent, `{"definitionId":"release","runId":"theirs"}`)
	a = h.submit(agent, a, "ship", `{"to":"x"}`)
	unknown := "wf_" + store.NewID()
	notGranted := granting(agent, "build")
	strangers := []auth.Principal{bob, client("p", "bob", "human"), overseeing(client("o", "zoe", "human"), "bob"), overseeing(client("f", "zoe"), "ann"), notGranted}
	operations := [][2]string{
		{praxec.Query, `{"workflowId":"ID"}`},
		{praxec.Query, `{"workflowId":"ID","transition":"ship"}`},
		{praxec.Query, `{"workflowId":"ID","subject":"release"}`},
		{praxec.Query, `{"workflowId":"ID","subject":"plan.order-line"}`},
		{praxec.Command, `{"workflowId":"ID","expectedVersion":2,"transition":"ship","arguments":{"to":"x"}}`},
		{praxec.Command, `{"workflowId":"ID","expectedVersion":99,"transition":"bogus"}`},
		{praxec.Command, `{"workflowId":"ID","expectedVersion":2,"transition":"ship","intent":"reject"}`},
		{praxec.Command, `{"workflowId":"ID","intent":"cancel"}`},
	}
	for _, warm := range []bool{false, true} {
		for _, p := range strangers {
			if warm {
				h.get(agent, a.id())
			}
			for _, op := range operations {
				theirs := h.raw(p, op[0], strings.ReplaceAll(op[1], "ID", a.id()))
				nothing := h.raw(p, op[0], strings.ReplaceAll(op[1], "ID", unknown))
				equal(t, fmt.Sprintf("%s for %s, warm: %v", op[1], p.Client, warm), theirs, nothing)
			}
			for _, list := range []string{`{"kind":"instance"}`, `{"approvals":true}`, `{"kind":"instance","query":"release"}`} {
				if text := h.raw(p, praxec.Query, list); strings.Contains(text, a.id()) {
					t.Errorf("%s for %s: %s", list, p.Client, text)
				}
			}
		}
	}
	equal(t, "nothing was changed", h.get(agent, a.id()).brief(), "ready 2 waiting_for_action")
	own := h.command(bob, `{"definitionId":"release","runId":"theirs"}`)
	equal(t, "their run id is free", own.brief(), "ready 1 started")
	if strings.Contains(h.raw(bob, praxec.Query, `{"observe":true}`), a.id()) {
		t.Error("it is observed")
	}
}

// promised are the links of an answer, wherever they stand, that nothing speaks against.
func promised(value any) (links []answer) {
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			links = append(links, promised(one)...)
		}
	case map[string]any:
		l := answer(v)
		rel := l.text("rel")
		template := strings.HasSuffix(rel, "_example") || rel == "define_new" || rel == "operator_path"
		if l["method"] != nil && l["args"] != nil && l["blocked"] == nil && !template && l.text("method") != "cli" && rel != "" {
			links = append(links, l)
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if name != "args" && name != "queued_command" {
				links = append(links, promised(v[name])...)
			}
		}
	}
	return links
}

// filled are the arguments of a link, with what its schema asks for.
func filled(t *rapid.T, l answer) string {
	args := maps.Clone(l["args"].(map[string]any))
	schema, _ := l["inputSchema"].(map[string]any)
	if args["transition"] != nil && args["arguments"] == nil || schema["const"] == nil && len(schema) > 1 && args["transition"] != nil {
		args["arguments"] = drawn(t, schema)
	}
	if item, is := l["input_schema"].(map[string]any); is && args["definitionId"] != "proxy_default" {
		args["input"] = drawn(t, item)
	}
	if args["transition"] == nil && schema != nil && args["definitionId"] != nil {
		args["input"] = drawn(t, schema)
	}
	return show(args)
}

// drawn is a value of a schema.
func drawn(t *rapid.T, schema map[string]any) any {
	if only, is := schema["const"]; is {
		return only
	}
	switch schema["type"] {
	case "string":
		return rapid.SampledFrom([]string{"red", "blue", "", "x y"}).Draw(t, "string")
	case "integer", "number":
		return float64(rapid.IntRange(0, 9).Draw(t, "number"))
	}
	object := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, any(name)) || rapid.Bool().Draw(t, "optional") {
			object[name] = drawn(t, properties[name].(map[string]any))
		}
	}
	return object
}

// broken are the codes with which a promise is broken: who asks, where the workflow is, what does not exist.
var broken = []string{
	"STALE_WORKFLOW_VERSION", "INVALID_TRANSITION", "ACTOR_MISMATCH", "GUARD_REJECTED", "GUARD_UNSET_SLOT", "TRANSITION_FIRE_CAP_EXCEEDED",
	"WORKFLOW_NOT_FOUND", "DEFINITION_NOT_FOUND", "WORKFLOW_CANCELLED", "WORKFLOW_COMPLETED", "AMBIGUOUS_INTENT", "INVALID_ARGUMENTS",
	"INPUT_SCHEMA_VIOLATION", "INVALID_INPUT", "APPROVAL_NOT_OPEN", "APPROVAL_EXPIRED", "APPROVAL_DIGEST_MISMATCH", "INVALID_RESOLUTION",
	"LEXICON_WRITES_DISABLED", "LEXICON_DEFINE_REQUIRES_HUMAN", "LEXICON_ENTRY_NOT_FOUND", "RUN_ID_ALREADY_RUNNING", "TOO_LARGE",
}

// TestLaw7Promises: whatever link a caller follows at once, with arguments that fit, is not refused for who it is, where
// the workflow is or which version it has; and every answer has links.
func TestLaw7Promises(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	users := 0
	rapid.Check(t, func(t *rapid.T) {
		users++
		user := fmt.Sprintf("u%d", users)
		callers := []auth.Principal{
			client("agent", user), client("person", user, "human"), permitting(client("ops", user), "ops", "ticket.escalate"),
			overseeing(client("boss", "zoe", "human"), user), granting(client("few", user), "release", "review", "needs"), client("reader", user),
		}
		callers[5].Allow = auth.Names(praxec.Query)
		last, a := -1, answer(nil)
		for range rapid.IntRange(1, 10).Draw(t, "steps") {
			who := rapid.IntRange(0, len(callers)-1).Draw(t, "who")
			p := callers[who]
			if who != last {
				a = h.query(p, rapid.SampledFrom([]string{`{}`, `{"kind":"instance"}`, `{"approvals":true}`, `{"query":"","limit":200}`}).Draw(t, "begin"))
			}
			links := promised(map[string]any(a))
			if len(links) == 0 {
				last = -1
				continue
			}
			l := rapid.SampledFrom(links).Draw(t, "link")
			arguments := filled(t, l)
			next := h.ask(p, l.text("method"), arguments)
			if code := next.text("error.code"); slices.Contains(broken, code) {
				t.Fatalf("%s followed %s with %s: %s", p.Client, show(l), arguments, show(next))
			}
			last, a = who, next
		}
	})
}
