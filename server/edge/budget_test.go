package edge_test

import (
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"prax/auth"
	"prax/server/edge"
)

func as(e *edge.Edge, client string) *edge.Exchange {
	return e.Exchange(newRegistry(time.Now), auth.Principal{Client: client}, "r1", "192.0.2.1", time.Now())
}

// TestDefaults: 64 calls and, apart from them, 256 event streams of one client, as it is documented.
func TestDefaults(t *testing.T) {
	t.Parallel()
	const inFlight, streams = 64, 256
	e := edge.New(edge.Config{})
	x := as(e, "alice")
	for range inFlight {
		if _, refused := x.Take(); refused != nil {
			t.Fatal("refused within the limit")
		}
	}
	if _, refused := x.Take(); refused == nil {
		t.Errorf("element %d was let in", inFlight+1)
	}
	for range streams {
		if _, refused := x.TakeStream(); refused != nil {
			t.Fatal("refused a stream within the limit: streams count apart from calls")
		}
	}
	if _, refused := x.TakeStream(); refused == nil {
		t.Errorf("stream %d was let in", streams+1)
	}
	if _, refused := as(e, "bob").Take(); refused != nil {
		t.Error("one client's load refused another's call")
	}
}

// However takes and gives interleave, a client holds at most its limit, is refused only at it, and
// leaves nothing behind.
func TestBudgetModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 5).Draw(t, "limit")
		e := edge.New(edge.Config{MaxInFlight: limit})
		held := map[string][]edge.Place{}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			client := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "client")
			if own := held[client]; len(own) > 0 && rapid.Bool().Draw(t, "give") {
				own[0].Release()
				held[client] = own[1:]
				continue
			}
			place, refused := as(e, client).Take()
			ok := refused == nil
			if want := len(held[client]) < limit; ok != want {
				t.Fatalf("%s holds %d of %d: ok %v", client, len(held[client]), limit, ok)
			}
			if ok {
				held[client] = append(held[client], place)
			}
		}
		for _, own := range held {
			for _, place := range own {
				place.Release()
			}
		}
		if calls, streams := e.Clients(); calls != 0 || streams != 0 {
			t.Fatalf("%d and %d clients remembered with nothing in hand", calls, streams)
		}
	})
}

func TestBudgetConcurrent(t *testing.T) {
	t.Parallel()
	e := edge.New(edge.Config{MaxInFlight: 3})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			x := as(e, "alice")
			for range 200 {
				if place, refused := x.Take(); refused == nil {
					place.Release()
				}
			}
		})
	}
	wg.Wait()
	if calls, _ := e.Clients(); calls != 0 {
		t.Errorf("%d clients remembered", calls)
	}
}

// The budget follows the client that the exchange began with, also when a later judgement took
// everything else away.
func TestBudgetSurvivesRevocation(t *testing.T) {
	t.Parallel()
	e := edge.New(edge.Config{MaxInFlight: 1})
	r := newRegistry(time.Now, alice(nil))
	x := e.Exchange(r, alice(nil), "r1", "192.0.2.1", time.Now())
	place, _ := x.Take()
	r.set()
	x.Again()
	if _, refused := x.Take(); refused == nil {
		t.Error("a revoked client got a second place")
	}
	place.Release()
	if calls, _ := e.Clients(); calls != 0 {
		t.Errorf("%d clients remembered", calls)
	}
}

// An exchange's own place serves its elements one at a time, and is kept from its beginning to its end.
func TestOwnPlace(t *testing.T) {
	t.Parallel()
	e := edge.New(edge.Config{MaxInFlight: 1})
	x := as(e, "alice")
	if x.Begin() != nil {
		t.Fatal("refused with nothing in hand")
	}
	for range 3 {
		place, refused := x.Take()
		if refused != nil {
			t.Fatal("an element does not get its exchange's own place")
		}
		if _, refused := x.Take(); refused == nil {
			t.Error("two elements at once share one place")
		}
		place.Release()
		if as(e, "alice").Begin() == nil {
			t.Error("the place is given up between two elements")
		}
	}
	x.End()
	x.End()
	other := as(e, "alice")
	if other.Begin() != nil {
		t.Error("the place was not given back")
	}
	other.End()
	if calls, _ := e.Clients(); calls != 0 {
		t.Errorf("%d clients remembered", calls)
	}
}

// What becomes a stream counts as one, and as a call no more; what is refused as one still ends.
func TestStreamGivesTheOwnPlaceBack(t *testing.T) {
	t.Parallel()
	e := edge.New(edge.Config{MaxInFlight: 1, MaxStreams: 1})
	x, second := as(e, "alice"), as(e, "alice")
	if x.Begin() != nil {
		t.Fatal("refused")
	}
	place, refused := x.TakeStream()
	if calls, streams := e.Clients(); refused != nil || calls != 0 || streams != 1 {
		t.Errorf("%v: %d calls and %d streams in hand, want the stream alone", refused, calls, streams)
	}
	if second.Begin() != nil {
		t.Fatal("a stream keeps its client from calling")
	}
	if _, refused := second.TakeStream(); refused == nil {
		t.Error("a second stream was let in")
	}
	if calls, _ := e.Clients(); calls != 1 {
		t.Error("the place was given back although there is no stream")
	}
	second.End()
	x.End()
	place.Release()
	if calls, streams := e.Clients(); calls != 0 || streams != 0 {
		t.Errorf("%d and %d clients remembered", calls, streams)
	}
}

func TestTakeAllocations(t *testing.T) {
	x := as(edge.New(edge.Config{}), "alice")
	got := testing.AllocsPerRun(1000, func() {
		place, refused := x.Take()
		if refused != nil {
			t.Fatal("refused")
		}
		place.Release()
	})
	if got != 0 {
		t.Errorf("a Take allocates %v times", got)
	}
}
