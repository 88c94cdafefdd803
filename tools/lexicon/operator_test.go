package lexicon_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"prax/auth"
	"prax/store"
	"prax/tools/lexicon"
)

func (h *house) accept(p auth.Principal, user, term string, version int64) error {
	h.Helper()
	_, err := h.write(func(tx store.Tx) (lexicon.Change, error) {
		return h.Accept(tx, p, user, term, version, morning.Add(time.Hour))
	})
	return err
}

func (h *house) remove(p auth.Principal, user, term string) error {
	h.Helper()
	_, err := h.write(func(tx store.Tx) (lexicon.Change, error) { return h.Remove(tx, p, user, term, morning) })
	return err
}

// TestOnlyTheOperator changes what everybody sees: a person does not, though it oversees everybody.
func TestOnlyTheOperator(t *testing.T) {
	t.Parallel()
	h := open(t)
	_, err := h.send(agent, "order-lines", `{"definition_short":"Rows."}`)
	equal(t, "define", "", code(err))
	everything := agent
	everything.Allow, everything.Oversees = auth.Everything(), auth.Everything()
	for _, p := range []auth.Principal{agent, person, bob, overseer, everything, {}} {
		equal(t, p.Client+" accepts", "LEXICON_DEFINE_REQUIRES_HUMAN", code(h.accept(p, "alice", "order-lines", 1)))
		equal(t, p.Client+" removes", "LEXICON_DEFINE_REQUIRES_HUMAN", code(h.remove(p, "", "basket")))
		equal(t, p.Client+" removes", "LEXICON_DEFINE_REQUIRES_HUMAN", code(h.remove(p, p.User, "order-lines")))
		_, err := h.write(func(tx store.Tx) (lexicon.Change, error) {
			return h.Publish(tx, p, "new", lexicon.Draft{Short: "x"}, morning)
		})
		equal(t, p.Client+" publishes", "LEXICON_DEFINE_REQUIRES_HUMAN", code(err))
		h.look(func(tx store.Tx) error {
			list, err := h.List(tx, p)
			equal(t, p.Client+" lists", "LEXICON_DEFINE_REQUIRES_HUMAN", code(err))
			equal(t, p.Client+" lists", 0, len(list))
			return nil
		})
	}
	equal(t, "bob", basket, h.means(bob, "basket"))
	equal(t, "bob", "null", h.means(bob, "order-lines"))
}

// TestAccept makes everybody's what the operator looked at, and nothing that came after.
func TestAccept(t *testing.T) {
	t.Parallel()
	h := open(t)
	rows := `order-lines {"definition_short":"Rows.","bounded_context":"shop","governance":"human-only"}`
	_, err := h.send(agent, "order-lines", `{"definition_short":"Draft."}`)
	equal(t, "define", "", code(err))
	_, err = h.send(person, "order-lines", `{"definition_short":"Rows.","boundedContext":"shop"}`)
	equal(t, "define", "", code(err))
	if err := h.accept(operator, "alice", "order-lines", 1); !errors.Is(err, store.ErrConflict) {
		t.Errorf("an older version: %v", err)
	}
	for _, tt := range [][2]string{{"bob", "order-lines"}, {"", "order-lines"}, {"alice", "basket"}, {"alice", "none"}} {
		equal(t, fmt.Sprint(tt), "LEXICON_ENTRY_NOT_FOUND", code(h.accept(operator, tt[0], tt[1], 2)))
	}
	equal(t, "bob before", "null", h.means(bob, "order-lines"))
	equal(t, "accept", "", code(h.accept(operator, "alice", "order-lines", 2)))
	for _, p := range []auth.Principal{agent, bob, operator} {
		equal(t, p.Client, rows, h.means(p, "order-lines"))
	}
	equal(t, "pending", "", h.pending(bob, "order-lines"))
	equal(t, "accepted twice", "LEXICON_ENTRY_NOT_FOUND", code(h.accept(operator, "alice", "order-lines", 2)))

	// The user may have its own again, and lose it again; who defined it is remembered.
	_, err = h.send(person, "order-lines", `{"definition_short":"Mine."}`)
	equal(t, "define again", "", code(err))
	equal(t, "bob", rows, h.means(bob, "order-lines"))
	equal(t, "alice", `order-lines {"definition_short":"Mine.","bounded_context":"shop","governance":"human-only"}`, h.means(agent, "order-lines"))
	equal(t, "accept again", "", code(h.accept(operator, "alice", "order-lines", 4)))
	equal(t, "bob", h.means(agent, "order-lines"), h.means(bob, "order-lines"))
	h.look(func(tx store.Tx) error {
		for p, want := range map[*auth.Principal]string{
			&operator: "alice 1 alice-agent , alice 2 alice-person ,  1 alice-person operator:0, alice 3 alice-person operator:0, alice 4 alice-person ,  2 alice-person operator:0, alice 5 alice-person operator:0",
			&overseer: " 1 alice-person operator:0,  2 alice-person operator:0",
			&bob:      " 1 alice-person operator:0,  2 alice-person operator:0",
		} {
			all, err := h.History(tx, *p, "order-lines")
			if err != nil {
				return err
			}
			var got []string
			for _, v := range all {
				got = append(got, fmt.Sprintf("%s %d %s %s", v.User, v.Version, v.Client, v.Accepted))
			}
			equal(t, p.Client, want, strings.Join(got, ", "))
		}
		return nil
	})
}

// TestAcceptCollides where everybody has the name for something else by now.
func TestAcceptCollides(t *testing.T) {
	t.Parallel()
	h := open(t)
	_, err := h.send(person, "basket", `{"aliases_add":["row"]}`)
	equal(t, "alias", "", code(err))
	_, err = h.publish("order-line", `{"aliases_add":["Row"]}`)
	equal(t, "publish", "", code(err))
	equal(t, "accept", "LEXICON_ALIAS_COLLISION", code(h.accept(operator, "alice", "basket", 1)))
	equal(t, "alice", "basket", strings.Fields(h.means(agent, "row"))[0])
	equal(t, "bob", "order-line", strings.Fields(h.means(bob, "row"))[0])
}

// TestPublish is the operator's definition, for everybody.
func TestPublish(t *testing.T) {
	t.Parallel()
	h := open(t)
	both := lexicon.Draft{Short: "A cart.", Aliases: []string{"cart"}}
	c, err := h.write(func(tx store.Tx) (lexicon.Change, error) { return h.Publish(tx, operator, "basket", both, morning) })
	equal(t, "publish", "", code(err))
	equal(t, "facts", 2, len(c.Facts))
	want := `basket {"definition_short":"A cart.","bounded_context":"shop","aliases":["cart"],"governance":"agent-may-propose"}`
	equal(t, "bob", want, h.means(bob, "cart"))
	for term, refused := range map[string]string{"order-item": "LEXICON_ALIAS_COLLISION", " ": "INVALID_LEXICON_ENTRY"} {
		context := "shop"
		_, err = h.write(func(tx store.Tx) (lexicon.Change, error) {
			return h.Publish(tx, operator, term, lexicon.Draft{Short: "x", Context: &context}, morning)
		})
		equal(t, term, refused, code(err))
	}
	_, err = h.publish("none", `{"aliases_add":["x"]}`)
	equal(t, "an alias of nothing", "LEXICON_ENTRY_NOT_FOUND", code(err))
}

// TestRemove takes away for everybody, or one user's own.
func TestRemove(t *testing.T) {
	t.Parallel()
	h := open(t)
	_, err := h.send(agent, "basket", `{"definition_short":"Own."}`)
	equal(t, "define", "", code(err))
	own := `basket {"definition_short":"Own.","bounded_context":"shop","governance":"agent-may-propose"}`
	equal(t, "remove", "", code(h.remove(operator, "", "basket")))
	equal(t, "alice", own, h.means(agent, "basket"))
	equal(t, "bob", "null", h.means(bob, "basket"))
	for _, tt := range [][2]string{{"", "basket"}, {"", "none"}, {"bob", "basket"}, {"alice", "order-line"}} {
		equal(t, fmt.Sprint(tt), "LEXICON_ENTRY_NOT_FOUND", code(h.remove(operator, tt[0], tt[1])))
	}
	_, err = h.publish("basket", `{"definition_short":"Back."}`)
	equal(t, "publish", "", code(err))
	back := `basket {"definition_short":"Back.","governance":"human-only"}` // what was removed left nothing behind
	equal(t, "bob", back, h.means(bob, "basket"))
	equal(t, "remove alice's", "", code(h.remove(operator, "alice", "basket")))
	equal(t, "alice", back, h.means(agent, "basket"))
	equal(t, "remove alice's twice", "LEXICON_ENTRY_NOT_FOUND", code(h.remove(operator, "alice", "basket")))
	_, err = h.send(person, "basket", `{"definition_short":"Again."}`)
	equal(t, "define again", "", code(err))
	equal(t, "bob", back, h.means(bob, "basket"))
}

// TestList is all that there is.
func TestList(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, p := range []auth.Principal{bobAgent, agent} {
		_, err := h.send(p, "basket", `{"definition_short":"Of `+p.User+`."}`)
		equal(t, "define", "", code(err))
	}
	_, err := h.publish("tea", `{"definition_short":"Leaves."}`)
	equal(t, "publish", "", code(err))
	equal(t, "remove", "", code(h.remove(operator, "", "Invoice")))
	h.look(func(tx store.Tx) error {
		list, err := h.List(tx, operator)
		var got []string
		for _, r := range list {
			got = append(got, fmt.Sprintf("%s|%s|%s|%s|%d", r.Term, r.Standing, r.User, r.Client, r.Version))
		}
		equal(t, "list", []string{
			"Invoice|removed||operator:0|1", "basket|declared|||0", "basket|proposed|alice|alice-agent|1", "basket|proposed|bob|bob-agent|1",
			"hidden-subject|pending|||0", "order-line|declared|||0", "order-lines|pending|||0", "tea|common||operator:0|1",
		}, got)
		return err
	})
}
