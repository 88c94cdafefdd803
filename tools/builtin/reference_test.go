package builtin_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/auth/clients"
	"prax/store"
	"prax/tools"
	"prax/tools/builtin"
	"prax/tools/praxec"
)

var update = flag.Bool("update", false, "write docs/tools.md anew")

const referencePath = "../../docs/tools.md"

// TestReference: docs/tools.md says of each tool what it declares, and what it answered here: an example,
// and every error of its own.
func TestReference(t *testing.T) {
	t.Parallel()
	r := reference{examples: examples(t), failures: failures(t)}
	want := r.page(t)
	if *update {
		if err := os.MkdirAll("../../docs", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(referencePath, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(referencePath)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/tools.md is not what the tools say: write it with go test ./tools/builtin -run TestReference -update (-want +got):\n%s", diff)
	}
}

// example is a call that went well.
type example struct{ arguments, text string }

// failure is one that did not.
type failure struct{ code, when, text string }

var anID = regexp.MustCompile(`\b[0-9a-z]{26}\b`)

// examples are one call of every tool, in an order in which each finds something.
func examples(t *testing.T) map[string]example {
	g := newRig(t)
	all := map[string]example{}
	id := ""
	for _, step := range [][2]string{
		{"get_current_datetime", `{"timezone_name":"Asia/Tokyo"}`},
		{"memory_remember", `{"content":"Takes coffee black.","importance":0.8,"tags":"taste, drinks"}`},
		{"memory_recall", `{"query":"coffee"}`},
		{"memory_forget", `{"memory_id":"ID"}`},
		{"memory_stm_write", `{"key":"plan","content":"Compare the trains first."}`},
		{"memory_stm_read", `{}`},
		{"memory_stm_delete", `{"key":"plan"}`},
		{"knowledge_add", `{"concept":"Espresso","namespace":"drinks","description":"Coffee made under pressure."}`},
		{"knowledge_search", `{"query":"coffee"}`},
		{"knowledge_namespaces", `{}`},
		{"knowledge_delete", `{"concept":"espresso","namespace":"drinks"}`},
		{"note_create", `{"title":"Trains to Vienna","content":"The night train arrives at 07:55.","tags":"travel"}`},
		{"note_read", `{"note_id":"trains-to-vienna"}`},
		{"note_update", `{"note_id":"trains-to-vienna","content":"The night train arrives at 08:10.","version":1}`},
		{"note_list", `{}`},
		{"note_search", `{"query":"night"}`},
		{"note_delete", `{"note_id":"trains-to-vienna"}`},
		{"conversation_append", `{"role":"user","content":"Which train gets me to Vienna by nine?"}`},
		{"conversation_search", `{"query":"vienna"}`},
		{"todo_add", `{"task":"Book the train","assignee":"agent"}`},
		{"todo_list", `{}`},
		{"todo_complete", `{"item_ids":[1]}`},
		{"todo_remove", `{"item_ids":[1]}`},
		{"trace_search", `{"query":"todo_remove"}`},
		{"trace_detail", `{"trace_id":"ID"}`},
	} {
		said, _ := g.good(t, "alice", step[0], strings.ReplaceAll(step[1], "ID", id))
		if found := anID.FindString(said); found != "" {
			id = found
		}
		all[step[0]] = example{step[1], anID.ReplaceAllString(said, "ID")}
	}
	return all
}

// failures are the errors that a tool has beside those that every tool has.
func failures(t *testing.T) map[string][]failure {
	g := newRig(t)
	for i := range 50 {
		g.good(t, "alice", "memory_stm_write", fmt.Sprintf(`{"key":"k%d","content":"x"}`, i))
	}
	g.good(t, "alice", "note_create", `{"title":"Known","content":"x"}`)
	all := map[string][]failure{}
	for _, f := range [][3]string{
		{"get_current_datetime", `{"timezone_name":"Mars/Olympus"}`, "a zone that is none"},
		{"memory_forget", `{"memory_id":"` + store.NewID() + `"}`, "no such memory of the caller's"},
		{"memory_stm_write", `{"key":"new","content":"x"}`, "a new key on a full scratchpad"},
		{"memory_stm_read", `{"key":"plan"}`, "no entry of that key"},
		{"memory_stm_delete", `{"key":"plan"}`, "no entry of that key"},
		{"knowledge_delete", `{"concept":"tea"}`, "no such concept of the caller's"},
		{"note_read", `{"note_id":"unknown"}`, "no such note of the caller's"},
		{"note_update", `{"note_id":"unknown","content":"x"}`, "no such note of the caller's"},
		{"note_update", `{"note_id":"known","content":"x","version":2}`, "another `version` than the note has"},
		{"note_delete", `{"note_id":"unknown"}`, "no such note of the caller's"},
		{"todo_complete", `{"item_ids":[1]}`, "a number that the list does not have"},
		{"todo_remove", `{"item_ids":[1]}`, "a number that the list does not have"},
		{"trace_detail", `{"trace_id":"unknown"}`, "no such call of the caller's"},
	} {
		code, text := g.refused(t, "alice", f[0], f[1])
		all[f[0]] = append(all[f[0]], failure{code, f[2], strings.TrimPrefix(text, "Tool error: ")})
	}
	return all
}

// reference is what the page is made of beside the tools' own declarations.
type reference struct {
	examples map[string]example
	failures map[string][]failure
}

const referenceHead = `# Tools

<!-- Written by: go test ./tools/builtin -run TestReference -update -->

The tools that come with prax. Each acts on the things of the user that the caller's entry in ` + "`clients.json`" + ` names, and on nobody
else's: what is another's answers as what does not exist. HIGH tools are never reachable over the network, whatever ` + "`allow`" + ` says.

`

const referenceAnswers = `
## Answers and errors

A call that goes well has a text, and the same facts as ` + "`structuredContent`" + `. Lists are ` + "`{items, count}`" + `; what a tool writes it returns
as it was stored, with its full id of 26 characters (` + "`ID`" + ` in the examples). Times are RFC 3339 in UTC. Numbers that say how many results to return
are brought within their limits. A text has at most 64 KiB, which is fewer characters where they take more than a byte. In the last 7 days of the caller's token,
` + "`_meta[\"prax/expires_at\"]`" + ` says when it ends: ask the operator for another one.

A call that fails has ` + "`isError: true`" + `, the sentence and the next step as text after ` + "`Tool error:`" + `, and in ` + "`_meta[\"prax/error\"]`" + `
the members ` + "`code`, `message`, `hint` and, with `INVALID_ARGUMENTS`, `violations`" + ` of ` + "`path` and `message`" + `. Arguments are strict: one that is not
listed below, or of another type, is an error; ` + "`null`" + ` counts as absent. These can come from any tool:

| code | means |
| --- | --- |
| ` + "`INVALID_ARGUMENTS`" + ` | the arguments do not fit; each violation says where and what must change |
| ` + "`TIMEOUT`, `CANCELLED`" + ` | the call did not end in time, or its caller went away |
| ` + "`BUSY`" + ` | too much is going on, or the server is stopping: nothing was changed, try again |
| ` + "`INTERNAL`" + ` | the server's own failure; the log has it under the request id that the sentence names |

And these from any tool that writes:

| code | means |
| --- | --- |
| ` + "`QUOTA_REACHED`" + ` | the user has %d documents, or %d MiB: remove something first |
| ` + "`STORE_FULL`" + ` | the server has no room left: nothing was changed, reading still works |
`

func (r reference) page(t *testing.T) string {
	var b strings.Builder
	b.WriteString(referenceHead + "| tool | tier | |\n| --- | --- | --- |\n")
	list := builtin.Tools(builtin.Config{})
	workflows := praxec.Tools(praxec.Config{})
	for _, tool := range slices.Concat(list, workflows) {
		tier := strings.ToUpper(tool.Tier.String())
		if slices.Contains(clients.DefaultTools(), tool.Name) {
			tier += ", default set"
		}
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", tool.Name, strings.ReplaceAll(tool.Name, ".", ""), tier, tool.Title)
	}
	fmt.Fprintf(&b, referenceAnswers, store.MaxDocuments, store.MaxUserBytes>>20)
	for _, tool := range list {
		r.section(t, &b, tool)
	}
	for _, tool := range workflows {
		r.shapes(t, &b, tool)
	}
	b.WriteString(referenceWorkflows)
	return b.String()
}

// shapes is the section of one of the two tools of workflows: what the arguments together mean.
func (r reference) shapes(t *testing.T, b *strings.Builder, tool *tools.Tool) {
	fmt.Fprintf(b, "\n## %s\n\n%s. %s\n", tool.Name, strings.ToUpper(tool.Tier.String()), tool.Description)
	b.WriteString("\n| argument | type | |\n| --- | --- | --- |\n")
	for _, p := range parse(t, tool.Input).properties {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", p.name, p.schema.kind(), p.schema.Description)
	}
	b.WriteString("\n" + referenceShapes[tool.Name])
}

var referenceShapes = map[string]string{
	praxec.Query: `| arguments | give |
| --- | --- |
| none | where to begin |
| ` + "`query`, with `kind` and `limit`" + ` | the workflows and capabilities that match best, each with the link that starts it |
| ` + "`kind: \"instance\"`, with `query`, `limit` and `before`" + ` | your own runs, newest first |
| ` + "`kind: \"lexicon\"`, with `query`, `limit` and `bounded_context`" + ` | terms |
| ` + "`kind: \"skill\"` or `\"script\"`" + ` | guidance, where the operator allows it (` + "`PRAX_SKILLS_SEARCH`, `PRAX_SCRIPTS_SEARCH`" + `) |
| ` + "`subject`" + ` | what is known of a workflow or a capability; of a term with ` + "`lexicon:<term>`" + ` |
| ` + "`definitionId`" + ` | a definition: states, transitions, who takes them, schemas |
| ` + "`workflowId`" + ` | a run: state, context, links |
| ` + "`workflowId`, `transition`" + ` | whether a transition can be taken, and what speaks against it |
| ` + "`workflowId`, `subject`" + ` | guidance as the run has it, which guards can demand to be read |
| ` + "`approvals: true`" + ` | what waits for a person, oldest first |
| ` + "`observe: true`, with `since` and `limit`" + ` | what happened |
`,
	praxec.Command: `| arguments | do |
| --- | --- |
| ` + "`definitionId`, with `input`, `runId` and `traceId`" + ` | start a workflow |
| ` + "`workflowId`, `expectedVersion`, `transition`, with `arguments` and `summary`" + ` | take a transition; of a person, answer an approval with yes |
| the same with ` + "`intent: \"reject\"`" + ` | say no to an open approval, as a person |
| ` + "`workflowId`, `intent: \"cancel\"`, with `summary`" + ` | end a run where it is |
| ` + "`subject: \"lexicon:<term>\"`, `definition`" + ` | define a term for your own user, or give it aliases (` + "`PRAX_LEXICON_WRITES`" + `) |
| ` + "`intent: \"cancel_pending_subject\"`, `unknown_subject`" + ` | go on without a meaning for a term |
| ` + "`reload: true`" + ` | have the configuration read again, with the permission ` + "`praxec.reload`" + ` |
`,
}

const referenceWorkflows = `
### Answers of both

The answer is ` + "`structuredContent`" + `, and the same JSON as text. It always has ` + "`links`: `{rel, method, args}`" + `, calls that can be sent as they stand once
` + "`args.arguments` or `args.input` fit the link's `inputSchema`" + `. A link with ` + "`blocked: {code, reason}`" + ` cannot be followed now. Links whose ` + "`rel`" + ` ends in
` + "`_example`, and `define_new` and `operator_path`" + `, are templates.

` + "`null`" + ` counts as absent, and members that are not listed are not looked at. What is refused is an ordinary answer (` + "`isError` is false) with `error: {code, message, hint}`" + `
and the links that there are; only a ` + "`kind`" + ` that does not exist is an error of the protocol.

| code | means |
| --- | --- |
| ` + "`AMBIGUOUS_INTENT`, `INVALID_ARGUMENTS`" + ` | the arguments mean nothing, or more than one thing; one has a wrong type |
| ` + "`WORKFLOW_NOT_FOUND`, `DEFINITION_NOT_FOUND`" + ` | it does not exist, is somebody else's, or was not granted: the three are not told apart |
| ` + "`STALE_WORKFLOW_VERSION`, `INVALID_TRANSITION`" + ` | the run is elsewhere by now: the links of the answer are the ones to take |
| ` + "`ACTOR_MISMATCH`, `GUARD_REJECTED`, `GUARD_UNSET_SLOT`" + ` | a person has to do it; a condition does not hold, or cannot be judged |
| ` + "`INVALID_INPUT`, `INPUT_SCHEMA_VIOLATION`, `CHOICE_MISMATCH`" + ` | what was sent does not fit; ` + "`violations`" + ` say where |
| ` + "`BLACKBOARD_TYPE_ERROR`, `SLOT_CONSTRAINT_VIOLATED`, `CONTEXT_TOO_LARGE`" + ` | what would come of it does not fit |
| ` + "`TRANSITION_FIRE_CAP_EXCEEDED`, `WHILE_ITERATION_CAP_EXCEEDED`" + ` | it was done as often as it may be |
| ` + "`EVIDENCE_DIGEST_REQUIRED`, `EVIDENCE_CONFIDENCE_BELOW_THRESHOLD`" + ` | there is evidence, but not such |
| ` + "`APPROVAL_NOT_OPEN`, `APPROVAL_EXPIRED`, `APPROVAL_DIGEST_MISMATCH`" + ` | the question to a person is not open any more, or another one |
| ` + "`CHAIN_FAILED`, `EXECUTOR_FAILED`" + ` | the server could not go on by itself: the state was kept |
| ` + "`IN_PROGRESS`" + ` | something that the run waits for still runs: what was sent was not taken; ` + "`get` tells when it is over, `cancel`" + ` ends the run |
| ` + "`EFFECT_UNKNOWN`" + ` | something may have happened, and nobody knows: a person finds out, and takes ` + "`reconcile_applied` or `reconcile_not_applied`" + ` |
| ` + "`LIVELOCK_QUARANTINE`, `MISSION_DEADLINE_EXCEEDED`" + ` | the run was cancelled: it went on and on |
| ` + "`WORKFLOW_TIMED_OUT`, `WORKFLOW_CANCELLED`, `WORKFLOW_COMPLETED`" + ` | it is over |
| ` + "`RUN_ID_ALREADY_RUNNING`" + ` | your user has a run of that ` + "`runId`" + `: a link leads to it |
| ` + "`SUBJECT_NEEDS_DEFINITION`" + ` | under ` + "`interaction`" + `: a term has no meaning yet; define it, link it, or give it up, and send the command again |
| ` + "`LEXICON_WRITES_DISABLED`, `LEXICON_DEFINE_REQUIRES_HUMAN`, `LEXICON_ENTRY_NOT_FOUND`, `LEXICON_ALIAS_COLLISION`, `INVALID_LEXICON_ENTRY`, `INVALID_RESOLUTION`" + ` | why the lexicon was not changed |
| ` + "`TOOL_NOT_GRANTED`" + ` | in ` + "`blocked`" + `: the link calls a tool that this client may not use |
| ` + "`QUOTA_REACHED`, `STORE_FULL`, `BUSY`, `CONFLICT`, `TOO_LARGE`" + ` | there is no room; try again; ask for less |
| ` + "`CORRUPT_WORKFLOW`, `CLIENT_REVOKED`, `RELOAD_UNAVAILABLE`" + ` | the run cannot be read any more; the client that it runs for is out, and a person has to take it on; there is nothing to reload for you |
`

func (r reference) section(t *testing.T, b *strings.Builder, tool *tools.Tool) {
	fmt.Fprintf(b, "\n## %s\n\n%s. %s\n", tool.Name, strings.ToUpper(tool.Tier.String()), tool.Description)
	if tool.Tier == auth.High {
		b.WriteString("\nNever reachable by a client.\n")
	}
	in := parse(t, tool.Input)
	if len(in.properties) > 0 {
		b.WriteString("\n| argument | type | default | |\n| --- | --- | --- | --- |\n")
	}
	for _, p := range in.properties {
		standard := "required"
		if !slices.Contains(in.required, p.name) {
			standard = "`" + string(p.schema.Default) + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", p.name, p.schema.kind(), standard, p.schema.Description+p.schema.limits())
	}
	fmt.Fprintf(b, "\nStructured: `%s`\n", shape(t, tool.Output))
	e, there := r.examples[tool.Name]
	if !there {
		t.Errorf("%s: no example", tool.Name)
	}
	fmt.Fprintf(b, "\n`%s` says\n\n```text\n%s\n```\n", e.arguments, e.text)
	for i, f := range r.failures[tool.Name] {
		if i == 0 {
			b.WriteString("\n| error | when | says |\n| --- | --- | --- |\n")
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", f.code, f.when, f.text)
	}
}

// object is a schema of an object, its properties as they were written, in order.
type object struct {
	required   []string
	properties []property
}

type property struct {
	name   string
	schema schema
}

type schema struct {
	Type        string         `json:"type"`
	Description string         `json:"description"`
	Default     jsontext.Value `json:"default"`
	Enum        []string       `json:"enum"`
	Const       jsontext.Value `json:"const"`
	MinLength   int            `json:"minLength"`
	MaxLength   int            `json:"maxLength"`
	Minimum     *float64       `json:"minimum"`
	Maximum     *float64       `json:"maximum"`
	MaxItems    int            `json:"maxItems"`
	Items       jsontext.Value `json:"items"`
}

func parse(t *testing.T, raw jsontext.Value) (o object) {
	var s struct {
		Required   []string       `json:"required"`
		Properties jsontext.Value `json:"properties"`
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	o.required = s.Required
	if s.Properties == nil {
		return o
	}
	d := jsontext.NewDecoder(bytes.NewReader(s.Properties))
	if _, err := d.ReadToken(); err != nil {
		t.Fatal(err)
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			t.Fatal(err)
		}
		p := property{name: name.String()}
		if err := json.UnmarshalDecode(d, &p.schema); err != nil {
			t.Fatal(err)
		}
		o.properties = append(o.properties, p)
	}
	return o
}

func (s schema) kind() string {
	switch {
	case s.Enum != nil:
		return "`" + strings.Join(s.Enum, "`, `") + "`"
	case s.Type == "array":
		var item schema
		if err := json.Unmarshal(s.Items, &item); err == nil {
			return "list of " + item.Type + "s"
		}
	}
	return s.Type
}

// limits are what the schema bounds and the description leaves out.
func (s schema) limits() string {
	var all []string
	if s.MaxLength > 0 {
		all = append(all, fmt.Sprintf("at most %d characters", s.MaxLength))
	}
	if s.Minimum != nil && s.Maximum != nil {
		all = append(all, fmt.Sprintf("%.16g to %.16g", *s.Minimum, *s.Maximum))
	}
	if s.MaxItems > 0 {
		all = append(all, fmt.Sprintf("at most %d", s.MaxItems))
	}
	if all == nil {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

// shape is an output schema in short: the members of an object with their types, and of a list's items.
func shape(t *testing.T, raw jsontext.Value) string {
	var members []string
	for _, p := range parse(t, raw).properties {
		kind := p.schema.kind()
		switch {
		case p.schema.Const != nil:
			kind = string(p.schema.Const)
		case p.schema.Enum != nil:
			kind = strings.Join(p.schema.Enum, " or ")
		case p.schema.Items != nil && parse(t, p.schema.Items).properties != nil:
			kind = "[" + shape(t, p.schema.Items) + "]"
		}
		members = append(members, p.name+": "+kind)
	}
	return "{" + strings.Join(members, ", ") + "}"
}
