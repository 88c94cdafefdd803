package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/store"
)

var auditStart = time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)

// chain is an operator who reads these events, two at a time, and nothing else.
type chain struct {
	operator
	events []store.Event
	looked int // how often
}

// Events is control.Operator.Events.
func (c *chain) Events(_ context.Context, after int64, _ bool, f func([]store.Event) error) error {
	c.looked++
	if after < 0 {
		after = max(int64(len(c.events))+after, 0)
	}
	var err error
	for some := range slices.Chunk(c.events[after:], 2) {
		err = errors.Join(err, f(some))
	}
	return err
}

func texts(lines []line) []string {
	var got []string
	for _, l := range lines {
		got = append(got, l.text[len("2027-01-02T03:04:05.000Z "):])
	}
	return got
}

// TestTailCountsLines: -n is how many lines are printed, whatever stands in blocks and whatever is left
// out, and they are in the order of time.
func TestTailCountsLines(t *testing.T) {
	t.Parallel()
	at := func(ms int) time.Time { return auditStart.Add(time.Duration(ms) * time.Millisecond) }
	call := func(ms int, client, outcome string) store.Event {
		return store.Event{At: at(ms), Kind: store.EventCall, Client: client, Outcome: outcome}
	}
	events := []store.Event{
		{Seq: 1, At: at(0), Kind: store.EventServer, Outcome: "ok"},
		{Seq: 2, At: at(50), Kind: store.EventServer, Outcome: "ok"},
		{Seq: 3, At: at(60), Kind: store.EventBlock, Calls: []store.Event{call(40, "b", "ok"), call(10, "a", "denied"), call(30, "a", "ok")}},
		{Seq: 4, At: at(35), Kind: "operator", Client: "operator:0", Outcome: "ok", Detail: `{"as":"a","uid":0}`},
		{Seq: 5, At: at(70), Kind: store.EventClient, Client: "operator:0", Outcome: "ok", Detail: `{"act":"revoked","name":"b","uid":0}`},
	}
	for name, tt := range map[string]struct {
		count int
		want  wanted
		lines []string
	}{
		"all":    {20, wanted{}, []string{"1 server", "3 call a denied", "3 call a ok", "4 operator a", "3 call b ok", "2 server", "5 client b"}},
		"three":  {3, wanted{}, []string{"3 call b ok", "2 server", "5 client b"}},
		"of a":   {20, wanted{client: "a"}, []string{"3 call a denied", "3 call a ok", "4 operator a"}},
		"of b":   {1, wanted{client: "b"}, []string{"5 client b"}},
		"denied": {20, wanted{denied: true}, []string{"3 call a denied"}},
		"both":   {20, wanted{client: "b", denied: true}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			long := map[string]string{
				"1 server": "1 server outcome=ok", "2 server": "2 server outcome=ok",
				"3 call a denied": "3 call client=a outcome=denied", "3 call a ok": "3 call client=a outcome=ok", "3 call b ok": "3 call client=b outcome=ok",
				"4 operator a": `4 operator client=operator:0 outcome=ok detail={"as":"a","uid":0}`,
				"5 client b":   `5 client client=operator:0 outcome=ok detail={"act":"revoked","name":"b","uid":0}`,
			}
			var want []string
			for _, l := range tt.lines {
				want = append(want, long[l])
			}
			tl := tail{want: tt.want, count: tt.count}
			if err := tl.fill(t.Context(), &chain{events: events}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, texts(tl.lines)); diff != "" || tl.last != 5 {
				t.Errorf("last %d (-want +got):\n%s", tl.last, diff)
			}
		})
	}
}

// TestTailLooksFurther: what is rare is found behind any number of other events, and no more is looked
// at than that takes.
func TestTailLooksFurther(t *testing.T) {
	t.Parallel()
	c := &chain{}
	for i := range int64(5000) {
		c.events = append(c.events, store.Event{Seq: i + 1, At: auditStart, Kind: store.EventCall, Client: "busy", Outcome: "ok"})
	}
	c.events[100].Client = "rare"
	for client, looked := range map[string]int{"busy": 1, "rare": 3, "": 1} {
		c.looked = 0
		tl := tail{want: wanted{client: client}, count: 20}
		if err := tl.fill(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		want := map[bool]int{true: 1, false: 20}[client == "rare"]
		if len(tl.lines) != want || c.looked != looked {
			t.Errorf("%q: %d lines after %d looks, want %d after %d", client, len(tl.lines), c.looked, want, looked)
		}
	}
}

// TestLineIsNotForged: what a caller chose cannot add a member to its line, nor end it.
func TestLineIsNotForged(t *testing.T) {
	t.Parallel()
	for tool, want := range map[string]string{
		"memory_recall":                      `tool=memory_recall`,
		"{ outcome=ok decision=allowed":      `tool="{ outcome=ok decision=allowed"`,
		"x outcome=ok":                       `tool="x outcome=ok"`,
		`"x" outcome=ok`:                     `tool="\"x\" outcome=ok"`,
		"x\n2027-01-02T03:04:05.000Z 7 call": `tool="x\n2027-01-02T03:04:05.000Z 7 call"`,
		"x\u202e=y":                          `tool="x\u202e=y"`,
		"x\u0085y":                           `tool=x\u{85}y`,
	} {
		e := store.Event{At: auditStart, Seq: 3, Kind: store.EventCall, Tool: tool, Outcome: "denied", Detail: `{"a":"b c=d"}`}
		got := texts(wanted{}.lines([]store.Event{e}))
		if diff := cmp.Diff([]string{"3 call " + want + ` outcome=denied detail={"a":"b c=d"}`}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tool, diff)
		}
	}
}

// TestTailTellsUnreadable: what stands for an event that could not be read is shown whatever is asked for,
// and counted exactly if it is shown.
func TestTailTellsUnreadable(t *testing.T) {
	t.Parallel()
	c := &chain{events: []store.Event{
		{Seq: 1, At: auditStart, Kind: store.EventUnreadable, Detail: `{"problem":"x"}`},
		{Seq: 2, At: auditStart, Kind: store.EventCall, Client: "a", Outcome: "ok"},
		{Seq: 3, At: auditStart, Kind: store.EventCall, Client: "b", Outcome: "ok"},
	}}
	for name, tt := range map[string]struct {
		tail  tail
		lines int
		want  unreadable
	}{
		"all":    {tail{count: 20}, 3, unreadable{1, 1}},
		"of a":   {tail{count: 20, want: wanted{client: "a"}}, 2, unreadable{1, 1}},
		"denied": {tail{count: 20, want: wanted{denied: true}}, 1, unreadable{1, 1}},
		"last":   {tail{count: 2}, 2, unreadable{}},
	} {
		var out bytes.Buffer
		var got unreadable
		if err := errors.Join(tt.tail.fill(t.Context(), c), tt.tail.print(&out, tt.tail.lines, &got)); err != nil {
			t.Fatal(err)
		}
		if got != tt.want || bytes.Count(out.Bytes(), []byte("\n")) != tt.lines || (got.verdict() == nil) != (got.count == 0) {
			t.Errorf("%s: %+v, want %+v and %d lines:\n%s", name, got, tt.want, tt.lines, &out)
		}
	}
}

// TestReloadText: a reading of clients.json is worded.
func TestReloadText(t *testing.T) {
	t.Parallel()
	const none = `{"first":[],"total":0}`
	change := func(ok bool, added, changed, revoked string, clients int, failure string) string {
		return fmt.Sprintf(`{"ok":%t,"added":%s,"changed":%s,"revoked":%s,"clients":%d,"failure":%q,"time":"2027-01-02T03:04:05Z"}`,
			ok, added, changed, revoked, clients, failure)
	}
	for detail, want := range map[string]string{
		change(true, `{"first":["a","b"],"total":2}`, `{"first":["c"],"total":1}`, `{"first":["d"],"total":1}`, 3, ""): "added a, b; changed c; revoked d; 3 clients",
		change(true, `{"first":["a"],"total":7}`, none, none, 1, ""):                                                   "added a and 6 more; 1 client",
		change(true, none, none, none, 0, ""):                                                                          "0 clients",
		change(false, none, none, `{"first":["d"],"total":1}`, 0, "clients.json: not JSON"):                            "the file could not be read; revoked d; clients.json: not JSON; 0 clients",
		`{"added":5}`: "",
	} {
		if got := reloadText(detail); got != want {
			t.Errorf("%s is worded %q, want %q", detail, got, want)
		}
	}
}

// TestVerifyTellsUnsigned: what the head does not vouch for yet is counted.
func TestVerifyTellsUnsigned(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]store.Report{
		"9 events since then not signed yet": {Events: 12, Newest: 12, Head: &store.Head{Count: 3}},
		"1 event since then not signed yet":  {Events: 1, Newest: 1},
	} {
		var out bytes.Buffer
		printVerified(&out, r, nil)
		if !bytes.Contains(out.Bytes(), []byte(want)) {
			t.Errorf("%+v prints %q, want %q", r, out.String(), want)
		}
	}
	var out bytes.Buffer
	if printVerified(&out, store.Report{Events: 3, Newest: 3, Head: &store.Head{Count: 3}}, nil); bytes.Contains(out.Bytes(), []byte("not signed")) {
		t.Errorf("with everything signed it prints %q", out.String())
	}
}
