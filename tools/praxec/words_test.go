package praxec_test

import (
	"strings"
	"testing"

	"prax/tools/praxec"
)

// TestSubject: a workflow that uses a word without a meaning waits until it has one, or is given up.
func TestSubject(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	start := `{"definitionId":"needs","input":{"a":1},"traceId":"t"}`
	a := h.command(agent, start)
	equal(t, "it waits", operation(a)+" "+a.text("interaction.unknown_subject"), "SUBJECT_NEEDS_DEFINITION order-lines")
	equal(t, "links", a.rels(), "link_as_alias(LEXICON_DEFINE_REQUIRES_HUMAN) define_new cancel")
	equal(t, "a person's", h.command(person, start).rels(), "link_as_alias define_new cancel")
	equal(t, "nothing was made", len(h.query(agent, `{"kind":"instance"}`)["items"].([]any)), 0)
	equal(t, "what was sent", show(a["queued_command"]), `{"args":{"definitionId":"needs","input":{"a":1},"traceId":"t"},"method":"praxec.command"}`)

	// An agent may define what waits.
	defined := h.command(agent, `{"subject":"lexicon:order-lines","definition":{"definition_short":"Rows.","boundedContext":"shop"}}`)
	equal(t, "defined", show(defined["entry"])+" "+defined.text("persisted_to"), `{"bounded_context":"shop","definition_short":"Rows.","governance":"human-only"} overlay`)
	equal(t, "then it starts", h.command(agent, start).brief(), "s 1 started")
	equal(t, "for this user", operation(h.command(bob, start)), "SUBJECT_NEEDS_DEFINITION")

	// Another gives it up.
	cancel := `{"intent":"cancel_pending_subject","unknown_subject":"order-lines"}`
	given := h.command(bob, cancel)
	equal(t, "given up", given.text("cancelled")+" "+given.text("persisted_to"), "order-lines pending_subjects")
	equal(t, "twice", operation(h.command(bob, cancel)), "INVALID_RESOLUTION")
	equal(t, "then it starts too", h.command(bob, start).brief(), "s 1 started")

	// A third takes it for another name of a term, by the link as it stands.
	carol := client("carol", "carol", "human")
	alias := h.command(carol, show(h.command(carol, start).link("link_as_alias")["args"]))
	equal(t, "another name", alias.text("term")+" "+show(alias["aliases"]), `order-line ["order-lines"]`)
	equal(t, "then it starts as well", h.command(carol, start).brief(), "s 1 started")

	// Where the lexicon is closed, only giving up is left.
	h.settings.Store(&praxec.Settings{})
	equal(t, "closed", h.command(client("dave", "dave", "human"), start).rels(), "link_as_alias(LEXICON_WRITES_DISABLED) define_new(LEXICON_WRITES_DISABLED) cancel")
}

// TestTerms: lookups, searches and definitions.
func TestTerms(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	term := h.query(agent, `{"subject":"lexicon:order-line"}`)
	equal(t, "a term", term.text("term")+" "+term.text("entry.definition_short"), "order-line One product row of an order.")
	equal(t, "by another name", show(h.query(agent, `{"subject":"lexicon:order-item"}`)["entry"]), show(term["entry"]))
	equal(t, "none", show(map[string]any(h.query(agent, `{"subject":"lexicon:none"}`))["entry"]), "null")
	found := h.query(agent, `{"query":"visitor","kind":"lexicon"}`)
	equal(t, "by its definition", found.text("hits.0.term")+" "+found.text("hits.0.governance"), "basket agent-may-propose")
	equal(t, "in a context", len(h.query(agent, `{"kind":"lexicon","bounded_context":"none"}`)["hits"].([]any)), 0)

	redefine := `{"subject":"lexicon:order-line","definition":{"definition_short":"A row."}}`
	refused := h.command(agent, redefine)
	equal(t, "an agent", operation(refused)+": "+refused.rels(), "LEXICON_DEFINE_REQUIRES_HUMAN: lookup home")
	equal(t, "a new term by an agent", operation(h.command(agent, `{"subject":"lexicon:new","definition":{"definition_short":"x"}}`)), "LEXICON_DEFINE_REQUIRES_HUMAN")
	equal(t, "one that it may", operation(h.command(agent, `{"subject":"lexicon:basket","definition":{"definition_short":"x"}}`)), "persisted")
	defined := h.command(person, redefine)
	equal(t, "a person", show(defined.at("entry.aliases"))+": "+defined.rels(), `["order-item"]: lookup home`)
	equal(t, "for the user", h.query(agent, `{"subject":"lexicon:order-line"}`).text("entry.definition_short"), "A row.")
	equal(t, "not for others", h.query(bob, `{"subject":"lexicon:order-line"}`).text("entry.definition_short"), "One product row of an order.")
	equal(t, "aliases of none", operation(h.command(person, `{"subject":"lexicon:unknown","definition":{"aliases_add":["y"]}}`)), "LEXICON_ENTRY_NOT_FOUND")
	equal(t, "aliases obey too", operation(h.command(agent, `{"subject":"lexicon:order-line","definition":{"aliases_add":["y"]}}`)), "LEXICON_DEFINE_REQUIRES_HUMAN")
	equal(t, "an alias that is a term", operation(h.command(person, `{"subject":"lexicon:order-line","definition":{"aliases_add":["basket"]}}`)), "LEXICON_ALIAS_COLLISION")
	blank := h.command(person, `{"subject":"lexicon:x","definition":{"definition_short":" "}}`)
	equal(t, "a definition that says nothing", operation(blank)+" "+blank.text("error.violations.0.path"), "INVALID_LEXICON_ENTRY /definition/definition_short")
}

// TestNamesOfTerms: odd names are none, and never an error.
func TestNamesOfTerms(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	for _, name := range []string{"a:b", "basket ", "bаsket", "../basket", "basket\\u0000", "\\u202ebasket", strings.Repeat("x", 900)} {
		a := h.query(agent, `{"subject":"lexicon:`+name+`"}`)
		if entry, there := a["entry"]; !there || entry != nil {
			t.Errorf("%q: %s", name, show(a))
		}
	}
	equal(t, "another namespace", show(map[string]any(h.query(agent, `{"subject":"LEXICON:basket"}`))["item"]), "null")
	equal(t, "a megabyte", operation(h.query(agent, `{"subject":"lexicon:`+strings.Repeat("x", 1<<20)+`"}`)), "INVALID_ARGUMENTS")
	for _, name := range []string{"", " ", "a\\u202eb", strings.Repeat("x", 129)} {
		a := h.command(person, `{"subject":"lexicon:`+name+`","definition":{"definition_short":"x"}}`)
		equal(t, "defined as "+name, operation(a), "INVALID_LEXICON_ENTRY")
	}
	look := h.command(person, `{"subject":"lexicon:bаsket","definition":{"definition_short":"looks alike, is another"}}`)
	equal(t, "what looks alike is another term", operation(look)+" "+h.query(person, `{"subject":"lexicon:basket"}`).text("entry.definition_short"), "persisted What a visitor has chosen so far.")
}
