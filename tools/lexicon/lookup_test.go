package lexicon_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools/lexicon"
)

// TestLookup finds a term by its names, and nothing by what only looks like one.
func TestLookup(t *testing.T) {
	t.Parallel()
	h := open(t)
	for name, want := range map[string]string{
		"order-line": orderLine, "order-item": orderLine, "Order-Line": orderLine, "ORDER-ITEM": orderLine, "basket": basket,
		"invoice": `Invoice {"definition_short":"A bill.","definition_long":"Long.","refs":["order-line"]}`,
		"none":    "null", "": "null", " ": "null", " basket": "null", "order-lines": "null", "b\u0430sket": "null",
		"basket\u200b": "null", "\xffbasket": "null", strings.Repeat("x", 1<<20): "null", "a:b": "null", "lexicon:basket": "null",
	} {
		equal(t, fmt.Sprintf("%.20q", name), want, h.means(agent, name))
	}
}

// TestLayers lie over each other: the file, everybody's, the user's own.
func TestLayers(t *testing.T) {
	t.Parallel()
	h := open(t)
	is := func(p auth.Principal, name, want string) {
		t.Helper()
		equal(t, p.Client+" "+name, want, h.means(p, name))
	}
	common := `order-line {"definition_short":"Common.","bounded_context":"shop","aliases":["order-item"],"governance":"human-only"}`
	own := `order-line {"definition_short":"Own.","bounded_context":"shop","aliases":["order-item"],"governance":"human-only"}`
	_, err := h.publish("order-line", `{"definition_short":"Common."}`)
	equal(t, "publish", "", code(err))
	is(agent, "order-line", common)
	is(bob, "order-item", common)
	_, err = h.send(person, "order-line", `{"definition_short":"Own."}`)
	equal(t, "define", "", code(err))
	is(agent, "order-line", own)
	is(agent, "Order-Item", own)
	is(bob, "order-item", common)
	is(operator, "order-line", common)
	is(overseer, "order-line", common)

	// What is removed for everybody hides what the file says, but not what a user has.
	_, err = h.write(func(tx store.Tx) (lexicon.Change, error) { return h.Remove(tx, operator, "", "order-line", morning) })
	equal(t, "remove", "", code(err))
	is(bob, "order-line", "null")
	is(bob, "order-item", "null")
	is(bob, "ORDER-ITEM", "null")
	is(agent, "order-line", own)

	// A name of the user's own goes before the same name of everybody's; a term before an alias.
	_, err = h.publish("common", `{"definition_short":"c"}`)
	equal(t, "publish", "", code(err))
	_, err = h.publish("common", `{"aliases_add":["word"]}`)
	equal(t, "publish", "", code(err))
	_, err = h.send(person, "zebra", `{"definition_short":"z","boundedContext":"zoo"}`)
	equal(t, "define", "", code(err))
	_, err = h.send(person, "zebra", `{"aliases_add":["word"]}`)
	equal(t, "alias", "", code(err))
	is(bob, "word", `common {"definition_short":"c","aliases":["word"],"governance":"human-only"}`)
	is(agent, "word", `zebra {"definition_short":"z","bounded_context":"zoo","aliases":["word"],"governance":"human-only"}`)
	_, err = h.send(person, "word", `{"definition_short":"w","boundedContext":"else"}`)
	equal(t, "define", "", code(err))
	is(agent, "word", `word {"definition_short":"w","bounded_context":"else","governance":"human-only"}`)
}

// TestConfigure puts another file in force at once; what was defined at run time stays.
func TestConfigure(t *testing.T) {
	t.Parallel()
	h := open(t)
	_, err := h.send(agent, "basket", `{"definition_short":"Own."}`)
	equal(t, "define", "", code(err))
	h.Configure([]lexicon.Entry{entry("tea", `{"definition_short":"Leaves.","colour":"green","state":"","term":"x"}`)}, nil)
	for name, want := range map[string]string{
		"order-line": "null", "tea": `tea {"definition_short":"Leaves.","colour":"green"}`,
		"basket": `basket {"definition_short":"Own.","bounded_context":"shop","governance":"agent-may-propose"}`,
	} {
		equal(t, name, want, h.means(agent, name))
	}
	equal(t, "pending", "order-lines", h.pending(agent, "order-lines")) // of a definition as it was pinned
	equal(t, "cancel", "INVALID_RESOLUTION", code(h.cancel(agent, "order-lines")))
}

// TestSearch looks into terms and definitions, in the order of the file.
func TestSearch(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, p := range []auth.Principal{person, bob} {
		for _, term := range []string{"zulu", "alpha"} {
			_, err := h.send(p, term, `{"definition_short":"Of `+p.User+`."}`)
			equal(t, "define", "", code(err))
		}
	}
	_, err := h.send(person, "basket", `{"definition_short":"Of alice."}`)
	equal(t, "define", "", code(err))
	for _, tt := range []struct {
		by   auth.Principal
		q    lexicon.Query
		want string
	}{
		{bob, lexicon.Query{Text: "visitor"}, "basket"},
		{bob, lexicon.Query{Text: "VISITOR"}, "basket"},
		{person, lexicon.Query{Text: "visitor"}, ""},
		{person, lexicon.Query{Text: "alice"}, "basket alpha zulu"},
		{person, lexicon.Query{Text: "bob"}, ""},
		{overseer, lexicon.Query{Text: "alice"}, ""},
		{operator, lexicon.Query{Text: "alice"}, ""},
		{person, lexicon.Query{}, "order-line basket Invoice alpha zulu"},
		{person, lexicon.Query{Limit: 2}, "order-line basket"},
		{person, lexicon.Query{Limit: -1, Context: "shop"}, "order-line basket"},
		{person, lexicon.Query{Text: "bill", Context: "shop"}, ""},
		{person, lexicon.Query{Text: "order-item"}, ""}, // aliases are for lookups
		{person, lexicon.Query{Text: strings.Repeat("x", 1<<20)}, ""},
	} {
		h.look(func(tx store.Tx) error {
			hits, err := h.Search(tx, tt.by, tt.q)
			var terms []string
			for _, e := range hits {
				terms = append(terms, e.Term)
			}
			equal(t, fmt.Sprintf("%s %.30v", tt.by.Client, tt.q), tt.want, strings.Join(terms, " "))
			return err
		})
	}
	h.look(func(tx store.Tx) error {
		hits, err := h.Search(tx, bob, lexicon.Query{Text: "basket"})
		text, _ := json.Marshal(hits[0].Hit(), json.Deterministic(true))
		equal(t, "hit", `{"term":"basket","definition_short":"What a visitor has chosen so far.","bounded_context":"shop","governance":"agent-may-propose"}`, string(text))
		return err
	})
}

// TestSearchLimits bounds what one answer has.
func TestSearchLimits(t *testing.T) {
	t.Parallel()
	h := open(t)
	var many []lexicon.Entry
	for i := range 300 {
		many = append(many, entry(fmt.Sprintf("t%03d", i), `{"definition_short":"x"}`))
	}
	h.Configure(many, nil)
	for limit, want := range map[int]int{0: 10, -5: 10, 1: 1, 100: 100, 1 << 40: 100} {
		h.look(func(tx store.Tx) error {
			hits, err := h.Search(tx, agent, lexicon.Query{Limit: limit})
			equal(t, fmt.Sprint(limit), want, len(hits))
			return err
		})
	}
}

// TestPending is what a start waits for, until it is defined, an alias, or given up: for the own user alone.
func TestPending(t *testing.T) {
	t.Parallel()
	for name, resolve := range map[string]func(h *house) error{
		"defined by an agent": func(h *house) error {
			_, err := h.send(agent, "order-lines", `{"definition_short":"Rows.","boundedContext":"shop"}`)
			return err
		},
		"made an alias": func(h *house) error {
			_, err := h.send(person, "order-line", `{"aliases_add":["order-lines"]}`)
			return err
		},
		"given up": func(h *house) error { return h.cancel(agent, "order-lines") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			subjects := []string{"basket", "order-lines", "other"}
			equal(t, "before", "order-lines", h.pending(agent, subjects...))
			equal(t, "resolve", "", code(resolve(h)))
			equal(t, "after", "other", h.pending(agent, subjects...))
			equal(t, "after", "", h.pending(person, subjects[:2]...))
			equal(t, "bob", "order-lines", h.pending(bob, subjects...))
			equal(t, "again", "INVALID_RESOLUTION", code(h.cancel(agent, "order-lines")))
			equal(t, "bob gives it up", "", code(h.cancel(bobAgent, "order-lines")))
			equal(t, "bob", "other", h.pending(bob, subjects...))
		})
	}
	h := open(t)
	equal(t, "no subjects", "", h.pending(agent))
	equal(t, "an alias", "", h.pending(agent, "order-item"))
}

// TestCancelPending is for subjects that a workflow of the caller's waits for.
func TestCancelPending(t *testing.T) {
	t.Parallel()
	h := open(t)
	narrow := agent
	narrow.Workflows = auth.Names("needs")
	pattern := bobAgent
	pattern.Workflows = auth.Names("secret.*")
	for _, tt := range []struct {
		by            auth.Principal
		subject, code string
	}{
		{narrow, "basket", "INVALID_RESOLUTION"},
		{narrow, "nothing", "INVALID_RESOLUTION"},
		{narrow, "", "INVALID_RESOLUTION"},
		{narrow, strings.Repeat("x", 1<<20), "INVALID_RESOLUTION"},
		{narrow, "hidden-subject", "INVALID_RESOLUTION"},
		{auth.Principal{}, "order-lines", "LEXICON_DEFINE_REQUIRES_HUMAN"},
		{narrow, "order-lines", ""},
		{narrow, "order-lines", "INVALID_RESOLUTION"},
		{pattern, "order-lines", "INVALID_RESOLUTION"},
		{pattern, "hidden-subject", ""},
	} {
		equal(t, fmt.Sprintf("%s %.20q", tt.by.Client, tt.subject), tt.code, code(h.cancel(tt.by, tt.subject)))
	}
	// What was given up is no longer an agent's to define.
	_, err := h.send(narrow, "order-lines", `{"definition_short":"x"}`)
	equal(t, "define", "LEXICON_DEFINE_REQUIRES_HUMAN", code(err))
}

// TestEmbed is what answers say of terms beside their own matter.
func TestEmbed(t *testing.T) {
	t.Parallel()
	h := open(t)
	_, err := h.send(person, "long", `{"definition_short":"`+strings.Repeat("x", 201)+`","refs":["basket","gone"]}`)
	equal(t, "define", "", code(err))
	_, err = h.send(person, "edge", `{"definition_short":"`+strings.Repeat("x", 200)+`"}`)
	equal(t, "define", "", code(err))
	short := func(text string) lexicon.Embedded { return lexicon.Embedded{Short: text} }
	for _, tt := range []struct {
		subjects []string
		refs     bool
		want     map[string]lexicon.Embedded
	}{
		{nil, true, nil},
		{[]string{"order-lines", "none", ""}, true, nil},
		{[]string{"build.order-item", "order-line"}, false, map[string]lexicon.Embedded{"order-line": short("One product row of an order.")}},
		{[]string{"Invoice"}, true, map[string]lexicon.Embedded{"Invoice": short("A bill."), "order-line": short("One product row of an order.")}},
		{[]string{"Invoice"}, false, map[string]lexicon.Embedded{"Invoice": short("A bill.")}},
		{[]string{"edge"}, false, map[string]lexicon.Embedded{"edge": short(strings.Repeat("x", 200))}},
	} {
		h.look(func(tx store.Tx) error {
			got, err := h.Embed(tx, agent, tt.subjects, tt.refs)
			equal(t, fmt.Sprint(tt.subjects), tt.want, got)
			return err
		})
	}
	h.look(func(tx store.Tx) error {
		got, err := h.Embed(tx, agent, []string{"long"}, true)
		e, is := got["long"]
		equal(t, "long", true, is && e.Short == "" && strings.HasPrefix(e.Hash, "sha256:") && len(e.Hash) == 71)
		equal(t, "its reference", short("What a visitor has chosen so far."), got["basket"])
		equal(t, "terms", 2, len(got))
		foreign, err2 := h.Embed(tx, bob, []string{"long", "edge"}, true)
		equal(t, "bob", 0, len(foreign))
		if err == nil {
			err = err2
		}
		return err
	})
}

// TestEmbedAtMost bounds the terms of one answer.
func TestEmbedAtMost(t *testing.T) {
	t.Parallel()
	h := open(t)
	var many []lexicon.Entry
	var subjects []string
	for i := range 200 {
		many = append(many, entry(fmt.Sprintf("t%d", i), `{"definition_short":"x"}`))
		subjects = append(subjects, many[i].Term)
	}
	h.Configure(many, nil)
	h.look(func(tx store.Tx) error {
		got, err := h.Embed(tx, agent, subjects, true)
		equal(t, "terms", lexicon.MaxEmbedded, len(got))
		return err
	})
}

// TestEntryJSON keeps what was written down, and leaves out what says nothing.
func TestEntryJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`: `{}`,
		`{"definition_short":"x","aliases":[],"refs":[],"governance":"","z":[1],"a":{"b":null}}`: `{"definition_short":"x","a":{"b":null},"z":[1]}`,
		`{"state":"PENDING_DEFINITION","definition_long":"l"}`:                                   `{"definition_long":"l","state":"PENDING_DEFINITION"}`,
	} {
		equal(t, text, want, asJSON(t, entry("x", text)))
	}
	for _, text := range []string{``, `[]`, `{"refs":7}`, `{"a":1,"a":2}`} {
		if e, err := lexicon.NewEntry("x", jsontext.Value(text)); err == nil {
			t.Errorf("%s: %+v", text, e)
		}
	}
	equal(t, "term", "a.b", lexicon.TermOf("build.a.b"))
	equal(t, "term", "a", lexicon.TermOf("a"))
}
