package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
	"prax/tools/lexicon"
)

// lexiconActs is what both ends can do.
type lexiconActs interface {
	Define(ctx context.Context, d Draft) (Term, error)
	Accept(ctx context.Context, w Word) (Term, error)
	Remove(ctx context.Context, w Word) (Term, error)
	Terms(ctx context.Context) ([]Term, error)
	TermHistory(ctx context.Context, w Word) ([]Term, error)
}

var (
	_ lexiconActs = (*Operator)(nil)
	_ lexiconActs = (*Client)(nil)
)

// propose has an agent of alice's define a term.
func (h *house) propose(l *lexicon.Lexicon, term, short string) {
	h.t.Helper()
	alice := auth.Principal{Client: "alice", User: "u-alice", Roles: auth.Names("human")}
	err := h.db.Update(h.t.Context(), func(tx store.Tx) error {
		_, err := l.Define(tx, alice, term, lexicon.Draft{Short: short}, time.Now())
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

func TestLexicon(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house, a acts) {
		l, ctx := a.(lexiconActs), t.Context()
		h.propose(h.cfg.Lexicon, "row", "A row.")
		h.propose(h.cfg.Lexicon, "prx_canary", "A row.")
		ok := func(_ Term, err error) {
			t.Helper()
			if err != nil {
				t.Error(err)
			}
		}
		refused := func(code lexicon.Code) func(Term, error) {
			return func(_ Term, err error) {
				t.Helper()
				var r *lexicon.Refusal
				if !errors.As(err, &r) || r.Code != code || r.Message == "" || r.Hint == "" {
					t.Errorf("%v, want %s", err, code)
				}
			}
		}
		shop := "shop"
		ok(l.Define(ctx, Draft{Term: "basket", Short: "Things.", Context: &shop, Refs: []string{"r"}, Aliases: []string{"cart"}, Governance: lexicon.AgentMayPropose}))
		refused(lexicon.AliasCollision)(l.Define(ctx, Draft{Term: "cart", Short: "x", Context: &shop}))
		refused(lexicon.InvalidEntry)(l.Define(ctx, Draft{Term: "x\x1b[31m", Short: "x"}))
		refused(lexicon.EntryNotFound)(l.Accept(ctx, Word{Term: "row", User: "u-bob", Version: 1}))
		if _, err := l.Accept(ctx, Word{Term: "row", User: "u-alice", Version: 7}); !errors.Is(err, store.ErrConflict) || !strings.Contains(err.Error(), "version 1, not 7") {
			t.Errorf("another version: %v", err)
		}
		ok(l.Accept(ctx, Word{Term: "row", User: "u-alice", Version: 1}))
		ok(l.Remove(ctx, Word{Term: "prx_canary", User: "u-alice"}))
		ok(l.Remove(ctx, Word{Term: "basket"}))
		refused(lexicon.EntryNotFound)(l.Remove(ctx, Word{Term: "basket"}))

		terms, err := l.Terms(ctx)
		if err != nil {
			t.Fatal(err)
		}
		who := fmt.Sprintf("operator:%d", os.Geteuid())
		equal(t, "terms", []string{
			"basket||" + who + "|2|removed||Things. shop [r] [cart] agent-may-propose",
			"row||alice|1|common||A row.  [] [] human-only",
		}, rows(terms))
		terms, err = l.TermHistory(ctx, Word{Term: "row"})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "history", []string{
			"row|u-alice|alice|1|proposed||A row.  [] [] human-only",
			"row||alice|1|common|" + who + "|A row.  [] [] human-only",
			"row|u-alice|alice|2|accepted|" + who + "|A row.  [] [] human-only",
		}, rows(terms))

		var audited []string
		for _, e := range h.events(11, func(e store.Event) bool { return e.Kind == EventOperator }) {
			audited = append(audited, fmt.Sprintln(e.Method, e.Outcome, e.Code, strings.ReplaceAll(e.Detail, fmt.Sprintf(`"uid":%d`, os.Geteuid()), `UID`)))
		}
		want := []string{
			`lexicon/define ok  {"term":"basket",UID}`,
			`lexicon/define denied LEXICON_ALIAS_COLLISION {"term":"cart",UID}`,
			`lexicon/define denied INVALID_LEXICON_ENTRY {"term":"x\\x1b[31m",UID}`,
			`lexicon/accept denied LEXICON_ENTRY_NOT_FOUND {"term":"row",UID,"user":"u-bob","version":1}`,
			`lexicon/accept error  {"term":"row",UID,"user":"u-alice","version":7}`,
			`lexicon/accept ok  {"term":"row",UID,"user":"u-alice","version":1}`,
			`lexicon/remove ok  {"term":"(a token)",UID,"user":"u-alice"}`,
			`lexicon/remove ok  {"term":"basket",UID}`,
			`lexicon/remove denied LEXICON_ENTRY_NOT_FOUND {"term":"basket",UID}`,
			`lexicon/list ok  {UID}`,
			`lexicon/history ok  {"term":"row",UID}`,
		}
		slices.Sort(want) // what changes nothing reaches the audit in blocks
		slices.Sort(audited)
		equal(t, "events", strings.Join(want, "\n")+"\n", strings.Join(audited, ""))
	})
}

func rows(terms []Term) (rows []string) {
	for _, t := range terms {
		rows = append(rows, fmt.Sprintf("%s|%s|%s|%d|%s|%s|%s %s %v %v %s", t.Term, t.User, t.Client, t.Version, t.Standing, t.Accepted,
			t.Short, t.Context, t.Refs, t.Aliases, t.Governance))
	}
	return rows
}

func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}
