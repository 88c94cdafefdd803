package builtin_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
	"prax/tools"
	"prax/tools/builtin"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noon is now in these tests.
var noon = time.Date(2026, 11, 29, 18, 33, 7, 0, time.UTC)

// rig is the built-in tools on a store of their own. Their HIGH ones are as MEDIUM, so that a caller
// reaches them.
type rig struct {
	*tools.Registry
	db    *sqlite.DB
	dir   string
	quota store.Quota // zero: the store's default
	// blockEvery is how long the event of a call that changes nothing waits for its block.
	blockEvery time.Duration
}

func newRig(t testing.TB, with ...func(*rig)) *rig {
	t.Helper()
	g := &rig{dir: t.TempDir(), blockEvery: 5 * time.Millisecond}
	for _, change := range with {
		change(g)
	}
	g.open(t)
	t.Cleanup(func() { g.close(t) })
	return g
}

func (g *rig) open(t testing.TB) {
	t.Helper()
	now := func() time.Time { return noon }
	db, err := sqlite.Open(t.Context(), sqlite.Config{Dir: g.dir, Now: now, Quota: g.quota, BlockEvery: g.blockEvery})
	if err != nil {
		t.Fatal(err)
	}
	g.db = db
	g.Registry = tools.NewRegistry(tools.Config{Store: db, AuditReads: true, Now: now, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	if err := g.Set("builtin", reachable(builtin.Tools(builtin.Config{Now: now}))); err != nil {
		t.Fatal(err)
	}
}

// reachable is the tools with the HIGH ones as MEDIUM.
func reachable(list []*tools.Tool) []*tools.Tool {
	for i, tool := range list {
		if tool.Tier == auth.High {
			lower := *tool
			lower.Tier = auth.Medium
			list[i] = &lower
		}
	}
	return list
}

func (g *rig) close(t testing.TB) {
	t.Helper()
	if err := g.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
	if err := g.db.Close(); err != nil {
		t.Errorf("close the store: %v", err)
	}
}

// put stores a document as it is.
func (g *rig) put(t testing.TB, docs ...store.Document) {
	t.Helper()
	err := g.db.Update(t.Context(), func(tx store.Tx) error {
		for _, d := range docs {
			if _, err := tx.PutDocument(d); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func principal(user string) auth.Principal {
	return auth.Principal{Client: user + "-agent", User: user, Allow: auth.Everything()}
}

// call calls as user.
func (g *rig) call(t testing.TB, user, tool, arguments string) *tools.Result {
	t.Helper()
	res, err := g.Call(t.Context(), &tools.Call{Principal: principal(user), Name: tool, Arguments: jsontext.Value(arguments), RequestID: store.NewID()})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	return res
}

// good is the text and the object of a call that goes well.
func (g *rig) good(t testing.TB, user, tool, arguments string) (text string, object map[string]any) {
	t.Helper()
	res := g.call(t, user, tool, arguments)
	if res.IsError || len(res.Content) != 1 || res.Content[0].Type != "text" {
		t.Fatalf("%s %s: %+v", tool, arguments, res)
	}
	if err := json.Unmarshal(res.Structured, &object); err != nil {
		t.Fatal(err)
	}
	return res.Content[0].Text, object
}

// refused is the code and the text of a call that does not.
func (g *rig) refused(t testing.TB, user, tool, arguments string) (code, text string) {
	t.Helper()
	res := g.call(t, user, tool, arguments)
	if !res.IsError || res.Structured != nil {
		t.Fatalf("%s %.200s: went well: %+v", tool, arguments, res)
	}
	var meta struct {
		Code string `json:"code"`
	}
	if err := json.Unmarshal(res.Meta[tools.ErrorMeta], &meta); err != nil {
		t.Fatal(err)
	}
	return meta.Code, res.Content[0].Text
}

func quote(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func TestCatalogue(t *testing.T) {
	t.Parallel()
	got := map[string]auth.Tier{}
	for _, tool := range builtin.Tools(builtin.Config{}) {
		got[tool.Name] = tool.Tier
		if tool.Title == "" || tool.Description == "" || tool.Output == nil || tool.OpenWorld {
			t.Errorf("%s: title %q, description %q, output %s, open world %v", tool.Name, tool.Title, tool.Description, tool.Output, tool.OpenWorld)
		}
		if !strings.Contains(string(tool.Input), `"additionalProperties":false`) {
			t.Errorf("%s: unknown arguments would pass", tool.Name)
		}
		// Some model APIs refuse every tool of a request in which one schema has no properties.
		if !strings.Contains(string(tool.Input), `"properties":{`) {
			t.Errorf("%s: the input schema has no properties", tool.Name)
		}
	}
	want := map[string]auth.Tier{
		"get_current_datetime": auth.Low, "memory_recall": auth.Low, "knowledge_search": auth.Low, "knowledge_namespaces": auth.Low,
		"conversation_search": auth.Low, "trace_search": auth.Low, "trace_detail": auth.Low,
		"memory_stm_read": auth.Low, "note_read": auth.Low, "note_list": auth.Low, "note_search": auth.Low, "todo_list": auth.Low,
		"memory_remember": auth.Medium, "memory_stm_write": auth.Medium, "memory_stm_delete": auth.Medium, "knowledge_add": auth.Medium,
		"note_create": auth.Medium, "note_update": auth.Medium, "conversation_append": auth.Medium,
		"todo_add": auth.Medium, "todo_complete": auth.Medium, "todo_remove": auth.Medium,
		"memory_forget": auth.High, "knowledge_delete": auth.High, "note_delete": auth.High,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tiers (-want +got):\n%s", diff)
	}
}

// TestLaw9Isolation: whatever alice keeps, bob's answers are those of somebody in an empty house, and
// alice's own are not.
func TestLaw9Isolation(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	_, made := g.good(t, "alice", "memory_remember", `{"content":"alice likes tea"}`)
	g.put(t,
		store.Document{User: "alice", Kind: store.Concept, Namespace: "drinks", Key: "tea", Title: "Tea", Body: "a drink"},
		store.Document{User: "alice", Kind: store.Conversation, Key: "user", Body: "more tea please"})
	for _, step := range [][2]string{
		{"memory_stm_write", `{"key":"tea","content":"alice's tea"}`}, {"note_create", `{"title":"Tea","content":"alice's"}`}, {"todo_add", `{"task":"Tea for alice"}`},
	} {
		g.good(t, "alice", step[0], step[1])
	}
	const seen = "an-id-of-alice"
	if _, err := g.Call(t.Context(), &tools.Call{Principal: principal("alice"), Name: "get_current_datetime", RequestID: seen}); err != nil {
		t.Fatal(err)
	}
	g.await(t, "alice", seen)
	for _, tt := range []struct{ tool, arguments string }{
		{"memory_recall", `{"query":"tea"}`}, {"memory_recall", `{"query":"e"}`}, {"knowledge_search", `{"query":"tea"}`},
		{"knowledge_search", `{"query":"tea","namespace":"drinks"}`}, {"knowledge_namespaces", `{}`},
		{"conversation_search", `{"query":"tea"}`}, {"conversation_search", `{"query":""}`},
		{"trace_search", `{"query":"get_current_datetime"}`}, {"trace_search", `{"query":"alice"}`},
		{"trace_detail", `{"trace_id":"` + seen + `"}`},
		{"memory_stm_read", ``}, {"memory_stm_read", `{"key":"tea"}`}, {"note_list", ``}, {"note_search", `{"query":"tea"}`}, {"note_search", `{"query":"e"}`},
		{"note_read", `{"note_id":"tea"}`}, {"note_update", `{"note_id":"tea","content":"x"}`}, {"todo_list", ``}, {"todo_complete", `{"item_ids":[1]}`},
		{"todo_list", `{"show_completed":true}`},
		{"todo_remove", `{"item_ids":[1]}`}, {"note_delete", `{"note_id":"tea"}`}, {"memory_stm_delete", `{"key":"tea"}`},
		{"knowledge_delete", `{"concept":"tea","namespace":"drinks"}`}, {"memory_forget", `{"memory_id":"` + made["id"].(string) + `"}`},
	} {
		bob, alice := g.call(t, "bob", tt.tool, tt.arguments), g.call(t, "alice", tt.tool, tt.arguments)
		if shown := fmt.Sprintf("%+v", bob); strings.Contains(strings.ReplaceAll(shown, seen, ""), "alice") || strings.Contains(shown, "Tea") {
			t.Errorf("%s %s shows bob %s", tt.tool, tt.arguments, shown)
		}
		if cmp.Equal(bob, alice) {
			t.Errorf("%s %s: alice sees what bob sees: %+v", tt.tool, tt.arguments, alice)
		}
	}
}

// await waits until a call of user is in the chain.
func (g *rig) await(t testing.TB, user, id string) store.Trace {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for tick := time.Tick(2 * time.Millisecond); ; <-tick {
		var found store.Trace
		err := g.db.View(t.Context(), func(tx store.Tx) (err error) {
			found, err = tx.Trace(principal(user).Scope(), id)
			return err
		})
		if err == nil {
			return found
		}
		if time.Now().After(deadline) {
			t.Fatalf("the call %s is not in the chain: %v", id, err)
		}
	}
}

// TestNothingFound: success, a sentence, and an empty list that is a list.
func TestNothingFound(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	for _, tt := range []struct {
		tool, arguments string
		says            []string
	}{
		{"memory_recall", `{"query":"tea"}`, []string{"No relevant memories"}},
		{"knowledge_search", `{"query":"green tea"}`, []string{"No knowledge graph concepts found matching 'green tea'."}},
		{"knowledge_search", `{"query":"green tea","namespace":"drinks"}`, []string{"'green tea'", "in namespace 'drinks'."}},
		{"knowledge_namespaces", ``, []string{"No knowledge namespaces"}},
		{"conversation_search", `{"query":"50%"}`, []string{"No matches for '50%' in conversation history."}},
		{"trace_search", `{"query":"nonesuch"}`, []string{"No matching traces"}},
		{"memory_stm_read", ``, []string{"The scratchpad is empty."}},
		{"note_list", ``, []string{"No notes yet: note_create makes one."}},
		{"note_search", `{"query":" green tea"}`, []string{"No notes found matching 'green tea'."}},
		{"todo_list", ``, []string{"No open todos."}},
		{"todo_list", `{"show_completed":true}`, []string{"No todos: todo_add makes one."}},
	} {
		res := g.call(t, "alice", tt.tool, tt.arguments)
		if res.IsError || string(res.Structured) != `{"items":[],"count":0}` {
			t.Errorf("%s %s: error %v, object %s", tt.tool, tt.arguments, res.IsError, res.Structured)
		}
		for _, want := range tt.says {
			if !strings.Contains(res.Content[0].Text, want) {
				t.Errorf("%s %s says %q, not %q", tt.tool, tt.arguments, res.Content[0].Text, want)
			}
		}
	}
}

// odd are texts that are syntax somewhere, and what is one or two characters long.
var odd = []string{
	`POL-358`, `don't`, `a/b`, `20.04`, `x:y`, `%`, `_`, `"`, `'`, `*`, `AND (`, `NOT`, `NEAR(a b, 3)`, `col:term`, `^a`, `a*`, `-b`, `{`, `\`, `;--`,
	`🙂`, `日`, `日本`, `東京都`, `한국`, `q`, `zz`, `é`, `ß`, "tab\there", "two\nlines",
}

// TestLiteralText: what is stored is found by the very same text, and none of it is query syntax.
func TestLiteralText(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	for i, text := range odd {
		user := fmt.Sprint("user", i)
		body := "before " + text + " after"
		g.good(t, user, "memory_remember", `{"content":`+quote(body)+`}`)
		g.put(t,
			store.Document{User: user, Kind: store.Memory, Body: "unrelated"},
			store.Document{User: user, Kind: store.Note, Key: "first", Title: "T", Body: body},
			store.Document{User: user, Kind: store.Note, Key: "second", Title: "T", Body: "unrelated"},
			store.Document{User: user, Kind: store.Concept, Namespace: "n", Key: fmt.Sprint("k", i), Title: "T", Body: body},
			store.Document{User: user, Kind: store.Conversation, Key: "user", Body: body},
			store.Document{User: user, Kind: store.Conversation, Key: "user", Body: "unrelated"})
		for _, tool := range []string{"memory_recall", "knowledge_search", "note_search", "conversation_search"} {
			said, object := g.good(t, user, tool, `{"query":`+quote(text)+`}`)
			if object["count"] != 1.0 {
				t.Errorf("%s %q: %v found: %s", tool, text, object["count"], said)
			}
		}
		g.good(t, user, "trace_search", `{"query":`+quote(text)+`}`)
	}
}

// TestManyCallersAtOnce: each answer carries its own user's things only.
func TestManyCallersAtOnce(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			user := fmt.Sprint("user", i%5)
			res := g.call(t, user, "memory_remember", `{"content":"a secret of `+user+`"}`)
			res2 := g.call(t, user, "memory_recall", `{"query":"secret","top_k":20}`)
			var got struct {
				Items []struct {
					Content string `json:"content"`
				} `json:"items"`
			}
			if err := json.Unmarshal(res2.Structured, &got, json.RejectUnknownMembers(false)); err != nil || res.IsError || len(got.Items) == 0 {
				t.Errorf("%v, %+v", err, res)
			}
			for _, item := range got.Items {
				if item.Content != "a secret of "+user {
					t.Errorf("%s got %q", user, item.Content)
				}
			}
		})
	}
	all.Wait()
	for i := range 5 {
		if _, object := g.good(t, fmt.Sprint("user", i), "memory_recall", `{"query":"secret","top_k":20}`); object["count"] != 10.0 {
			t.Errorf("user%d has %v memories, want 10", i, object["count"])
		}
	}
}
