package lexicon_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools/lexicon"
)

const (
	orderLine = `order-line {"definition_short":"One product row of an order.","bounded_context":"shop","aliases":["order-item"]}`
	basket    = `basket {"definition_short":"What a visitor has chosen so far.","bounded_context":"shop","governance":"agent-may-propose"}`
)

// TestWhoMayDefine is the governance: a person always, an agent what says so and what a workflow waits for.
func TestWhoMayDefine(t *testing.T) {
	t.Parallel()
	narrow := agent
	narrow.Workflows = auth.Names("other")
	h := open(t)
	users := 0
	for name, tt := range map[string]struct {
		by         auth.Principal
		term, text string
		code       string
		entry      string
	}{
		"an agent, a pending subject": {agent, "order-lines", `{"definition_short":"Rows.","boundedContext":"shop"}`, "",
			`{"definition_short":"Rows.","bounded_context":"shop","governance":"human-only"}`},
		"an agent, one of a workflow that it may not use": {narrow, "order-lines", `{"definition_short":"Rows."}`, "LEXICON_DEFINE_REQUIRES_HUMAN", ""},
		"an agent, a human-only term":                     {agent, "order-line", `{"definition_short":"x"}`, "LEXICON_DEFINE_REQUIRES_HUMAN", ""},
		"an agent, a term of which nothing is said":       {agent, "Invoice", `{"definition_short":"x"}`, "LEXICON_DEFINE_REQUIRES_HUMAN", ""},
		"an agent, a new term":                            {agent, "new", `{"definition_short":"x"}`, "LEXICON_DEFINE_REQUIRES_HUMAN", ""},
		"an agent, a term that it may propose": {agent, "basket", `{"definition_short":"Things.","refs":["order-line"]}`, "",
			`{"definition_short":"Things.","bounded_context":"shop","refs":["order-line"],"governance":"agent-may-propose"}`},
		"an agent, an alias of a human-only term": {agent, "order-line", `{"aliases_add":["row"]}`, "LEXICON_DEFINE_REQUIRES_HUMAN", ""},
		"an agent, the same by its alias":         {agent, "order-item", `{"aliases_add":["row"]}`, "LEXICON_DEFINE_REQUIRES_HUMAN", ""},
		"an agent, an alias of a term that it may propose": {agent, "basket", `{"aliases_add":["cart"]}`, "",
			`{"definition_short":"What a visitor has chosen so far.","bounded_context":"shop","aliases":["cart"],"governance":"agent-may-propose"}`},
		"a person, a human-only term": {person, "order-line", `{"definition_short":"A row."}`, "",
			`{"definition_short":"A row.","bounded_context":"shop","aliases":["order-item"],"governance":"human-only"}`},
		"a person, a new term": {person, "new", `{"definition_short":"x","governance":"agent-may-propose","boundedContext":""}`, "",
			`{"definition_short":"x","governance":"agent-may-propose"}`},
		"a person, an alias by an alias": {person, "order-item", `{"aliases_add":["row","order-item"]}`, "",
			`{"definition_short":"One product row of an order.","bounded_context":"shop","aliases":["order-item","row"]}`},
		"an alias of no term":          {person, "unknown", `{"aliases_add":["x"]}`, "LEXICON_ENTRY_NOT_FOUND", ""},
		"an alias of a pending term":   {person, "order-lines", `{"aliases_add":["x"]}`, "LEXICON_ENTRY_NOT_FOUND", ""},
		"a caller without a user":      {auth.Principal{Roles: auth.Names("human")}, "new", `{"definition_short":"x"}`, "LEXICON_DEFINE_REQUIRES_HUMAN", ""},
		"an alias, without a user":     {auth.Principal{Roles: auth.Names("human")}, "basket", `{"aliases_add":["x"]}`, "LEXICON_DEFINE_REQUIRES_HUMAN", ""},
		"what the file had beside it":  {person, "Invoice", `{"definition_short":"Bill."}`, "", `{"definition_short":"Bill.","governance":"human-only"}`},
		"a term that is an alias":      {person, "order-item", `{"definition_short":"x","boundedContext":"shop"}`, "LEXICON_ALIAS_COLLISION", ""},
		"the same in another context":  {person, "order-item", `{"definition_short":"x"}`, "", `{"definition_short":"x","governance":"human-only"}`},
		"a term but for case":          {person, "BASKET", `{"definition_short":"x","boundedContext":"shop"}`, "LEXICON_ALIAS_COLLISION", ""},
		"an alias that is a term":      {person, "basket", `{"aliases_add":["order-line"]}`, "LEXICON_ALIAS_COLLISION", ""},
		"an alias that is an alias":    {person, "basket", `{"aliases_add":["fine","Order-Item"]}`, "LEXICON_ALIAS_COLLISION", ""},
		"an alias that is its term":    {person, "basket", `{"aliases_add":["basket"]}`, "LEXICON_ALIAS_COLLISION", ""},
		"an alias of another context":  {person, "Invoice", `{"aliases_add":["order-item"]}`, "", `{"definition_short":"A bill.","definition_long":"Long.","refs":["order-line"],"aliases":["order-item"]}`},
		"into a context that has it":   {person, "invoice", `{"definition_short":"x","boundedContext":"shop"}`, "", `{"definition_short":"x","bounded_context":"shop","governance":"human-only"}`},
		"a look-alike":                 {person, "b\u0430sket", `{"definition_short":"x","boundedContext":"shop"}`, "", `{"definition_short":"x","bounded_context":"shop","governance":"human-only"}`},
		"a term with colons and words": {person, "a:b c", `{"definition_short":"x"}`, "", `{"definition_short":"x","governance":"human-only"}`},
	} {
		users++
		if tt.by.User != "" {
			tt.by.User = fmt.Sprintf("user-%d", users)
		}
		t.Run(name, func(t *testing.T) {
			c, err := h.send(tt.by, tt.term, tt.text)
			equal(t, "code", tt.code, code(err))
			if err != nil {
				var r *lexicon.Refusal
				if errors.As(err, &r); r.Message == "" || r.Hint == "" || r.Term == "" {
					t.Errorf("refusal %+v says too little", r)
				}
				return
			}
			equal(t, "entry", tt.entry, asJSON(t, c.Entry))
			equal(t, "seen", c.Term+" "+tt.entry, h.means(tt.by, c.Term))
			equal(t, "to bob", "null "+orderLine+" "+basket, h.means(bob, "order-lines")+" "+h.means(bob, "order-line")+" "+h.means(bob, "basket"))
		})
	}
}

// TestMay is the answer that Define would give as to who may.
func TestMay(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, term := range []string{"order-line", "order-lines", "basket", "Invoice", "new", "hidden-subject"} {
		for _, p := range []auth.Principal{agent, person, {}} {
			var may error
			h.look(func(tx store.Tx) error { may = h.May(tx, p, term); return nil })
			var define error
			h.look(func(tx store.Tx) error {
				_, define = h.Define(tx, p, term, lexicon.Draft{Short: "x"}, morning)
				return nil
			})
			// Within a View a definition ends where it would be stored.
			if errors.Is(define, store.ErrReadOnly) {
				define = nil
			}
			equal(t, fmt.Sprintf("%s by %s", term, p.Client), code(define), code(may))
		}
	}
}

// TestRefusedInAView needs no writer, and nothing is stored by it.
func TestRefusedInAView(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.look(func(tx store.Tx) error {
		_, err := h.Define(tx, person, "new", lexicon.Draft{Short: "x"}, morning)
		if !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("define in a view: %v", err)
		}
		_, err = h.CancelPending(tx, person, "order-lines", morning)
		if !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("cancel in a view: %v", err)
		}
		return nil
	})
	equal(t, "new", "null", h.means(person, "new"))
}

// TestDrafts are the definitions that callers send.
func TestDrafts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 129)
	many := `["` + strings.Join(strings.Split(strings.Repeat("x ", 33), " ")[:33], `","`) + `"]`
	for text, key := range map[string]string{
		`{"definition_short":"x"}`: "",
		`{"definition_short":"x","boundedContext":null,"refs":null,"governance":null,"aliases_add":null,"more":{}}`: "",
		`{"definition_short":"two\nlines\tand é"}`:                                                                  "",
		`{"definition_short":"x","bounded_context":"shop","aliases":7}`:                                             "",
		`{"aliases_add":["y"]}`: "",
		`{"definition_short":"` + strings.Repeat("x", 2048) + `"}`: "",
		`{}`:                         "definition_short",
		`{"definition_short":" \n"}`: "definition_short",
		`{"definition_short":"` + strings.Repeat("x", 2049) + `"}`: "definition_short",
		`{"definition_short":"a\u0000b"}`:                          "definition_short",
		`{"definition_short":"a\u202eb"}`:                          "definition_short",
		`{"definition_short":7}`:                                   "definition_short",
		`{"definition_short":"x","governance":"anybody"}`:          "governance",
		`{"definition_short":"x","governance":["human-only"]}`:     "governance",
		`{"definition_short":"x","boundedContext":" "}`:            "boundedContext",
		`{"definition_short":"x","boundedContext":{}}`:             "boundedContext",
		`{"definition_short":"x","bounded_context":1}`:             "bounded_context",
		`{"definition_short":"x","refs":"y"}`:                      "refs",
		`{"definition_short":"x","refs":[""]}`:                     "refs",
		`{"definition_short":"x","refs":["` + long + `"]}`:         "refs",
		`{"definition_short":"x","refs":` + many + `}`:             "refs",
		`{"aliases_add":[]}`:                                       "aliases_add",
		`{"aliases_add":["y"],"definition_short":"x"}`:             "aliases_add",
		`{"aliases_add":["a\u0007"]}`:                              "aliases_add",
		`{"aliases_add":` + many + `}`:                             "aliases_add",
		`[]`:                                                       "definition",
		`"x"`:                                                      "definition",
		`null`:                                                     "definition",
		`{"definition_short":"x","definition_short":"y"}`:          "definition",
	} {
		_, err := lexicon.ParseDraft("term", jsontext.Value(text))
		got := ""
		var r *lexicon.Refusal
		if errors.As(err, &r) {
			got = r.Key
			equal(t, text, lexicon.InvalidEntry, r.Code)
		} else if err != nil {
			t.Error(err)
		}
		equal(t, text, key, got)
	}
}

// TestTermsThatCannotBe are refused as themselves, and shown short.
func TestTermsThatCannotBe(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, term := range []string{"", " ", " a", "a ", "a\x00", "a\u202eb", "a\u200bb", "a\nb", "\xff", strings.Repeat("x", 129), strings.Repeat("x", 1<<20)} {
		for _, text := range []string{`{"definition_short":"x"}`, `{"aliases_add":["x"]}`} {
			_, err := lexicon.ParseDraft(term, jsontext.Value(text))
			var r *lexicon.Refusal
			if !errors.As(err, &r) || r.Code != lexicon.InvalidEntry || len(r.Message)+len(r.Term) > 1024 {
				t.Errorf("%.20q: %v", term, err)
			}
			equal(t, "meaning", "null", h.means(person, term))
		}
		_, err := h.write(func(tx store.Tx) (lexicon.Change, error) {
			return h.Define(tx, person, term, lexicon.Draft{Short: "x"}, morning)
		})
		equal(t, "define", "INVALID_LEXICON_ENTRY", code(err))
	}
}

// TestDraftsThatSayNothing are refused however they came about.
func TestDraftsThatSayNothing(t *testing.T) {
	t.Parallel()
	h, shop := open(t), "shop"
	for _, d := range []lexicon.Draft{
		{}, {Short: " "}, {Governance: lexicon.HumanOnly}, {Context: &shop}, {Aliases: []string{}},
		{Aliases: []string{"x"}, Context: &shop}, {Aliases: []string{"x"}, Governance: lexicon.HumanOnly}, {Aliases: []string{"x"}, Refs: []string{"y"}},
	} {
		for _, p := range []auth.Principal{person, operator} {
			_, err := h.write(func(tx store.Tx) (lexicon.Change, error) {
				if p.User == person.User {
					return h.Define(tx, p, "basket", d, morning)
				}
				return h.Publish(tx, p, "basket", d, morning)
			})
			equal(t, fmt.Sprintf("%+v", d), "INVALID_LEXICON_ENTRY", code(err))
		}
	}
	equal(t, "basket", basket, h.means(person, "basket"))
}

// TestRedefinition keeps the aliases, and what it does not speak of where that would widen or narrow who may write.
func TestRedefinition(t *testing.T) {
	t.Parallel()
	h := open(t)
	for i, step := range []struct{ text, entry string }{
		{`{"definition_short":"1","governance":"agent-may-propose","boundedContext":"c","refs":["r"]}`, `{"definition_short":"1","bounded_context":"c","refs":["r"],"governance":"agent-may-propose"}`},
		{`{"aliases_add":["b","a","b"]}`, `{"definition_short":"1","bounded_context":"c","refs":["r"],"aliases":["b","a"],"governance":"agent-may-propose"}`},
		{`{"definition_short":"2"}`, `{"definition_short":"2","bounded_context":"c","aliases":["b","a"],"governance":"agent-may-propose"}`},
		{`{"definition_short":"3","governance":"human-only","boundedContext":""}`, `{"definition_short":"3","aliases":["b","a"],"governance":"human-only"}`},
		{`{"aliases_add":["a"]}`, `{"definition_short":"3","aliases":["b","a"],"governance":"human-only"}`},
	} {
		c, err := h.send(person, "term", step.text)
		equal(t, fmt.Sprint(i), "", code(err))
		equal(t, fmt.Sprint(i), step.entry, asJSON(t, c.Entry))
		equal(t, fmt.Sprint(i), "term "+step.entry, h.means(agent, "term"))
	}
	_, err := h.send(agent, "term", `{"definition_short":"4"}`)
	equal(t, "an agent", "LEXICON_DEFINE_REQUIRES_HUMAN", code(err))
	h.look(func(tx store.Tx) error {
		all, err := h.History(tx, agent, "term")
		equal(t, "versions", 4, len(all)) // an alias that it had changed nothing
		return err
	})
}

// TestFacts are what the audit says.
func TestFacts(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, tt := range []struct {
		by         auth.Principal
		term, text string
		want       []lexicon.Fact
	}{
		{agent, "basket", `{"definition_short":"secret words"}`, []lexicon.Fact{{Type: "lexicon.defined", Payload: map[string]any{"term": "basket", "bounded_context": "shop", "by_human": false}}}},
		{person, "basket", `{"definition_short":"secret words"}`, []lexicon.Fact{{Type: "lexicon.defined", Payload: map[string]any{"term": "basket", "bounded_context": "shop", "by_human": true}}}},
		{agent, "basket", `{"aliases_add":["cart","trolley"]}`, []lexicon.Fact{
			{Type: "lexicon.alias_added", Payload: map[string]any{"term": "basket", "alias": "cart", "principal": "alice-agent"}},
			{Type: "lexicon.alias_added", Payload: map[string]any{"term": "basket", "alias": "trolley", "principal": "alice-agent"}},
		}},
		{agent, "basket", `{"aliases_add":["cart"]}`, nil},
	} {
		c, err := h.send(tt.by, tt.term, tt.text)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, tt.text, tt.want, c.Facts)
	}
	c, err := h.write(func(tx store.Tx) (lexicon.Change, error) {
		return h.CancelPending(tx, agent, "order-lines", morning)
	})
	equal(t, "cancelled", "", code(err))
	equal(t, "cancelled", []lexicon.Fact{{Type: "lexicon.pending_cancelled", Payload: map[string]any{"term": "order-lines", "cancelled_by": "alice-agent"}}}, c.Facts)
}

// crowded is a store where alice has as many terms as one user may, and t7 is one of them.
type crowded struct{ store.Tx }

func (c crowded) Terms(s auth.Scope) ([]store.Term, error) {
	all, err := c.Tx.Terms(s)
	for i := range lexicon.MaxTerms {
		all = append(all, store.Term{Term: fmt.Sprintf("t%d", i), User: "alice", Version: 1, Entry: []byte(`{"definition_short":"x"}`)})
	}
	return all, err
}

// TestRoom bounds what one user has.
func TestRoom(t *testing.T) {
	t.Parallel()
	h := open(t)
	_, err := h.send(person, "t7", `{"definition_short":"x"}`)
	equal(t, "define", "", code(err))
	for _, tt := range []struct {
		by   auth.Principal
		term string
		d    lexicon.Draft
		full bool
	}{
		{person, "one-more", lexicon.Draft{Short: "x"}, true},
		{person, "basket", lexicon.Draft{Aliases: []string{"x"}}, true}, // it would be one more
		{person, "t7", lexicon.Draft{Short: "y"}, false},
		{bob, "one-more", lexicon.Draft{Short: "x"}, false},
		{agent, "order-line", lexicon.Draft{Short: "x"}, false}, // refused as what it is
	} {
		_, err := h.write(func(tx store.Tx) (lexicon.Change, error) { return h.Define(crowded{tx}, tt.by, tt.term, tt.d, morning) })
		if full := errors.Is(err, store.ErrQuota); full != tt.full || full && !strings.Contains(err.Error(), "1000") {
			t.Errorf("%s by %s: %v", tt.term, tt.by.Client, err)
		}
	}
}

// TestMostAliases bounds what one term has.
func TestMostAliases(t *testing.T) {
	t.Parallel()
	h := open(t)
	add := func(first, n int) error {
		d := lexicon.Draft{}
		for i := range n {
			d.Aliases = append(d.Aliases, fmt.Sprintf("a%d", first+i))
		}
		_, err := h.write(func(tx store.Tx) (lexicon.Change, error) { return h.AddAlias(tx, person, "basket", d.Aliases, morning) })
		return err
	}
	equal(t, "at most", "", code(add(0, 32)))
	equal(t, "one more", "INVALID_LEXICON_ENTRY", code(add(31, 2)))
	equal(t, "those again", "", code(add(0, 32)))
}
