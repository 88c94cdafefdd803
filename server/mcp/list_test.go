package mcp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"prax/auth"
	"prax/server/edge"
	"prax/server/mcp"
	"prax/tools"
)

type listAnswer struct {
	Result struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
		NextCursor *string `json:"nextCursor"`
	} `json:"result"`
	Error *struct {
		Code int `json:"code"`
	} `json:"error"`
}

// walk pages through a caller's list and gives the names.
func walk(t failer, h *house, as string) []string {
	t.Helper()
	var names []string
	params := `{}`
	for range 100 {
		var a listAnswer
		w := h.post(as, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":`+params+`}`)
		if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || a.Error != nil {
			t.Fatalf("tools/list %s: %v %s", params, err, w.Body)
		}
		for _, tool := range a.Result.Tools {
			names = append(names, tool.Name)
		}
		if a.Result.NextCursor == nil {
			return names
		}
		params = fmt.Sprintf(`{"cursor":%q}`, *a.Result.NextCursor)
	}
	t.Fatalf("the list does not end")
	return nil
}

// Whatever the page size, paging shows every tool once, in order.
func TestPagesAddUp(t *testing.T) {
	t.Parallel()
	want := walk(t, newHouse(t, nil), "alice")
	if len(want) != 10 || !slices.IsSorted(want) {
		t.Fatalf("alice sees %v", want)
	}
	for size := 1; size <= len(want)+1; size++ {
		h := newHouse(t, func(c *mcp.Config, _ *edge.Config) { c.PageSize = size })
		if diff := cmp.Diff(want, walk(t, h, "alice")); diff != "" {
			t.Errorf("pages of %d differ (-want +got):\n%s", size, diff)
		}
	}
}

// Law 1: what is listed is what can be called, in both spellings, for any catalogue and allowlist;
// what cannot be called answers as if it did not exist.
func TestLaw1ListedIsCallable(t *testing.T) {
	t.Parallel()
	pool := []string{"a.one", "b.two", "c_three", "d-four", "five", "six.x.y"}
	rapid.Check(t, func(t *rapid.T) {
		h := newHouse(t, func(c *mcp.Config, _ *edge.Config) { c.PageSize = 2 })
		var catalogue []*tools.Tool
		for _, name := range pool {
			tier := rapid.SampledFrom([]auth.Tier{auth.TierUnknown, auth.Low, auth.Medium, auth.High}).Draw(t, name)
			if tier != auth.TierUnknown {
				catalogue = append(catalogue, &tools.Tool{Name: name, Description: "d", Tier: tier, Input: object(`{"type":"object"}`), Handler: answer(tools.Text("ran"))})
			}
		}
		if err := h.registry.Set("fixture", catalogue); err != nil {
			t.Fatal(err)
		}
		var allow []string
		for _, name := range pool {
			allow = append(allow, rapid.SampledFrom([]string{"", name, tools.Spelling(name, auth.Underscore), strings.ToUpper(name)}).Draw(t, "allow "+name))
		}
		p := client("p", auth.Names(allow...))
		p.Spelling = rapid.SampledFrom([]auth.Spelling{auth.Dot, auth.Underscore}).Draw(t, "spelling")
		h.clients.set(p)
		listed := walk(t, h, "p")
		for _, name := range pool {
			for _, spelling := range []auth.Spelling{auth.Dot, auth.Underscore} {
				w := h.post("p", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q}}`, tools.Spelling(name, spelling)))
				ran := strings.Contains(w.Body.String(), `"ran"`)
				unknown := w.Body.String() == fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool: %s"}}`+"\n", tools.Spelling(name, spelling))
				if isListed := slices.Contains(listed, tools.Spelling(name, p.Spelling)); ran != isListed || unknown == isListed {
					t.Fatalf("%s listed %v, ran %v, unknown %v: %s", name, isListed, ran, unknown, w.Body)
				}
			}
		}
	})
}
