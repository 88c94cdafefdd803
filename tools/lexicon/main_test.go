package lexicon_test

import (
	"errors"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
	"prax/tools/lexicon"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// morning is when these tests take place.
var morning = time.UnixMilli(1_700_000_000_000).UTC()

// principals of one user, of another, of nobody in particular, and the operator.
var (
	agent    = auth.Principal{Client: "alice-agent", User: "alice", Workflows: auth.Everything(), Roles: auth.Names("agent")}
	person   = auth.Principal{Client: "alice-person", User: "alice", Workflows: auth.Everything(), Roles: auth.Names("human")}
	bob      = auth.Principal{Client: "bob-person", User: "bob", Workflows: auth.Everything(), Roles: auth.Names("human")}
	bobAgent = auth.Principal{Client: "bob-agent", User: "bob", Workflows: auth.Everything()}
	operator = auth.Principal{
		Client: "operator:0", User: "operator:0", Allow: auth.Everything(), Workflows: auth.Everything(),
		Roles: auth.Names("human"), Oversees: auth.Everything(),
	}
	overseer = auth.Principal{Client: "boss", User: "boss", Allow: auth.Names("praxec.command"), Workflows: auth.Everything(), Roles: auth.Names("human"), Oversees: auth.Everything()}
)

// the operator's file says this.
var declared = []lexicon.Entry{
	entry("order-line", `{"definition_short":"One product row of an order.","aliases":["order-item"],"bounded_context":"shop"}`),
	entry("basket", `{"definition_short":"What a visitor has chosen so far.","governance":"agent-may-propose","bounded_context":"shop"}`),
	entry("Invoice", `{"definition_short":"A bill.","definition_long":"Long.","refs":["order-line"]}`),
}

// two definitions wait for subjects.
var waiting = map[string][]string{"needs": {"order-lines"}, "secret.one": {"hidden-subject"}}

func entry(term, text string) lexicon.Entry {
	e, err := lexicon.NewEntry(term, jsontext.Value(text))
	if err != nil {
		panic(err)
	}
	return e
}

// house is a lexicon over a real store.
type house struct {
	*testing.T
	*lexicon.Lexicon
	db *sqlite.DB
}

func open(t *testing.T) *house {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Config{Dir: t.TempDir(), Now: func() time.Time { return morning }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return &house{t, lexicon.New(declared, waiting), db}
}

// write runs f in a transaction and gives what it gave.
func (h *house) write(f func(store.Tx) (lexicon.Change, error)) (c lexicon.Change, err error) {
	h.Helper()
	err = h.db.Update(h.Context(), func(tx store.Tx) (err error) {
		c, err = f(tx)
		return err
	})
	return c, err
}

func (h *house) look(f func(store.Tx) error) {
	h.Helper()
	if err := h.db.View(h.Context(), f); err != nil {
		h.Error(err)
	}
}

// send is what a caller's command does: read the definition, and define.
func (h *house) send(p auth.Principal, term, text string) (lexicon.Change, error) {
	h.Helper()
	d, err := lexicon.ParseDraft(term, jsontext.Value(text))
	if err != nil {
		return lexicon.Change{}, err
	}
	return h.write(func(tx store.Tx) (lexicon.Change, error) { return h.Define(tx, p, term, d, morning) })
}

func (h *house) publish(term, text string) (lexicon.Change, error) {
	h.Helper()
	d, err := lexicon.ParseDraft(term, jsontext.Value(text))
	if err != nil {
		h.Fatal(err)
	}
	return h.write(func(tx store.Tx) (lexicon.Change, error) { return h.Publish(tx, operator, term, d, morning) })
}

func (h *house) cancel(p auth.Principal, subject string) error {
	h.Helper()
	_, err := h.write(func(tx store.Tx) (lexicon.Change, error) { return h.CancelPending(tx, p, subject, morning) })
	return err
}

// means is what a name means to somebody, as callers see it; null for nothing.
func (h *house) means(p auth.Principal, name string) string {
	h.Helper()
	text := "null"
	h.look(func(tx store.Tx) error {
		e, found, err := h.Lookup(tx, p, name)
		if found {
			text = e.Term + " " + asJSON(h.T, e)
		}
		return err
	})
	return text
}

// pending is the subject that a start of these would wait for.
func (h *house) pending(p auth.Principal, subjects ...string) (first string) {
	h.Helper()
	h.look(func(tx store.Tx) (err error) {
		first, _, err = h.Pending(tx, p, subjects)
		return err
	})
	return first
}

func asJSON(t *testing.T, e lexicon.Entry) string {
	t.Helper()
	text, err := e.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// code is the code of a refusal; "" for none, and what else went wrong for other errors.
func code(err error) string {
	var r *lexicon.Refusal
	switch {
	case err == nil:
		return ""
	case errors.As(err, &r):
		return string(r.Code)
	}
	return err.Error()
}

func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}
