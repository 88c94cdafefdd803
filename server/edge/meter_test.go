package edge_test

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"prax/auth"
	"prax/server/edge"
)

// watch is a clock that a test moves.
type watch struct{ at atomic.Int64 }

func (w *watch) now() time.Time        { return time.Unix(1_800_000_000, w.at.Load()) }
func (w *watch) move(by time.Duration) { w.at.Add(int64(by)) }

// metered is an edge of this rate for everybody, and the clock that it goes by.
func metered(perSecond float64, burst int) (*edge.Edge, *watch) {
	w := new(watch)
	return edge.New(edge.Config{PerSecond: perSecond, Burst: burst, Now: w.now}), w
}

// send has the client send one request; 0 when it was let in, else the seconds that it was told.
func send(e *edge.Edge, client string) int { return sendAt(e, client, auth.Rate{}) }

func sendAt(e *edge.Edge, client string, r auth.Rate) int {
	leave, refused := e.Enter(auth.Principal{Client: client, Rate: r})
	if refused != nil {
		return refused.Seconds
	}
	leave()
	return 0
}

// Whatever a client sends and whenever, it is let in as a bucket lets it, no more and no less, and what it is told is true: after
// so many seconds it is let in.
func TestRateModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		perSecond := rapid.OneOf(rapid.Float64Range(0.001, 5), rapid.Float64Range(5, 1e6)).Draw(t, "per second")
		burst := rapid.IntRange(1, 10).Draw(t, "burst")
		e, w := metered(perSecond, burst)
		tokens := float64(burst)
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			pause := time.Duration(rapid.Float64Range(0, 3).Draw(t, "pause") / perSecond * float64(time.Second))
			w.move(pause)
			tokens = min(float64(burst), tokens+pause.Seconds()*perSecond)
			told := send(e, "alice")
			if near := math.Abs(tokens-1) < 1e-2; !near && (told == 0) != (tokens > 1) {
				t.Fatalf("with %v of %d left it is told %d", tokens, burst, told)
			}
			if told > 0 {
				wait := time.Duration(told) * time.Second
				if exact := (1 - tokens) / perSecond; float64(told) < exact-1e-3 || float64(told) > exact+1.001 && told > 1 {
					t.Fatalf("it is told %d s where %v s are left", told, exact)
				}
				w.move(wait)
				tokens = min(float64(burst), tokens+wait.Seconds()*perSecond)
				if told := send(e, "alice"); told != 0 {
					t.Fatalf("it waited as it was told, and is told %d again", told)
				}
			}
			tokens = max(0, tokens-1)
		}
	})
}

// A client that does not heed what it is told gets its rate, not less: what is refused takes nothing.
func TestRefusedTakesNothing(t *testing.T) {
	t.Parallel()
	e, w := metered(2, 1)
	in := 0
	for range 10_000 {
		if send(e, "alice") == 0 {
			in++
		}
		w.move(time.Millisecond)
	}
	if in < 19 || in > 21 {
		t.Errorf("%d of 10,000 in ten seconds were let in at two a second", in)
	}
	full, w := metered(1, 1)
	p := auth.Principal{Client: "alice", Rate: auth.Rate{InFlight: 1}}
	leave, _ := full.Enter(p)
	w.move(time.Second)
	if _, refused := full.Enter(p); refused == nil || refused.Seconds != 1 {
		t.Errorf("a second one in hand: %+v", refused)
	}
	leave()
	if _, refused := full.Enter(p); refused != nil {
		t.Errorf("what was refused for what is in hand counted: %+v", refused)
	}
}

// One client's flood costs no other client anything, whatever their names have in common.
func TestRateIsOfOneClient(t *testing.T) {
	t.Parallel()
	e, w := metered(1, 5)
	names := []string{"alice", "Alice", "alice ", "alic", "a.lice", "a_lice", "bob", ""}
	for range 1000 {
		send(e, "alice")
		w.move(time.Millisecond)
	}
	for _, name := range names[1:] {
		for range 5 {
			if told := send(e, name); told != 0 {
				t.Errorf("%q is told %d", name, told)
			}
		}
		if send(e, name) == 0 {
			t.Errorf("%q has no limit of its own", name)
		}
	}
}

// What an entry says stands, wider or narrower than the server's, and what it does not say is the server's.
func TestRateOfTheEntry(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		server edge.Config
		entry  auth.Rate
		burst  int
	}{
		"none at all":         {burst: 1000},
		"the server's":        {server: edge.Config{PerSecond: 3}, burst: 3},
		"the server's burst":  {server: edge.Config{PerSecond: 3, Burst: 7}, burst: 7},
		"narrower":            {server: edge.Config{PerSecond: 3, Burst: 7}, entry: auth.Rate{PerSecond: 1, Burst: 2}, burst: 2},
		"wider":               {server: edge.Config{PerSecond: 3, Burst: 7}, entry: auth.Rate{PerSecond: 1, Burst: 20}, burst: 20},
		"the entry's alone":   {entry: auth.Rate{PerSecond: 1, Burst: 4}, burst: 4},
		"in flight only":      {server: edge.Config{PerSecond: 3}, entry: auth.Rate{InFlight: 1}, burst: 3},
		"in flight, unmeterd": {entry: auth.Rate{InFlight: 1}, burst: 1000},
	} {
		tt.server.Now = new(watch).now
		e := edge.New(tt.server)
		for i := range 1000 {
			if told := sendAt(e, "alice", tt.entry); (told == 0) != (i < tt.burst) {
				t.Errorf("%s: request %d of a burst of %d is told %d", name, i+1, tt.burst, told)
				break
			}
		}
	}
	for name, tt := range map[string]struct{ server, entry, want int }{"narrower": {5, 2, 2}, "wider": {2, 5, 5}, "the server's": {3, 0, 3}} {
		e := edge.New(edge.Config{MaxInFlight: tt.server})
		x := e.Exchange(newRegistry(time.Now), auth.Principal{Client: "alice", Rate: auth.Rate{InFlight: tt.entry}}, "r1", "192.0.2.1", time.Now())
		in := 0
		for range 10 {
			if _, refused := x.Take(); refused == nil {
				in++
			}
		}
		if in != tt.want {
			t.Errorf("%s: %d in hand at once, want %d", name, in, tt.want)
		}
	}
}

// An exchange is one request, its first element included, and each further one counts.
func TestElementsCount(t *testing.T) {
	t.Parallel()
	e, _ := metered(1, 5)
	x := as(e, "alice")
	if x.Begin() != nil {
		t.Fatal("refused")
	}
	in := 0
	for range 50 {
		if place, refused := x.Take(); refused == nil {
			in++
			place.Release()
		}
	}
	if x.End(); in != 5 || !x.Limited() {
		t.Errorf("%d elements of a burst of 5; limited: %v", in, x.Limited())
	}
	second := as(e, "alice")
	if refused := second.Begin(); refused == nil || refused.Seconds != 1 || !second.Limited() {
		t.Errorf("another exchange: %+v", refused)
	}
	second.End()
	if calls, _ := e.Clients(); calls != 0 {
		t.Error("a refused exchange keeps its place")
	}
	stream := as(e, "bob")
	_ = stream.Begin()
	place, refused := stream.TakeStream()
	if refused != nil || stream.Limited() {
		t.Errorf("a stream: %+v", refused)
	}
	place.Release()
}

// An edit holds at once, for what a client took before as well: nobody serves out the time of a rate that is in force no more,
// and a narrower one does not begin with what the wider one had left.
func TestRateIsEdited(t *testing.T) {
	t.Parallel()
	slow, fast := auth.Rate{PerSecond: 0.001, Burst: 1}, auth.Rate{PerSecond: 100, Burst: 1000}
	e, w := metered(0, 0)
	if sendAt(e, "alice", slow) != 0 {
		t.Fatal("the first is refused")
	}
	if told := sendAt(e, "alice", slow); told != 1000 {
		t.Fatalf("told %d", told)
	}
	if told := sendAt(e, "alice", fast); told != 0 {
		t.Errorf("widened, and told %d", told)
	}
	for range 500 {
		sendAt(e, "alice", fast)
	}
	if told := sendAt(e, "alice", slow); told != 1000 {
		t.Errorf("narrowed, and told %d", told)
	}
	faster := auth.Rate{PerSecond: 10, Burst: 1}
	if told := sendAt(e, "alice", faster); told != 1 {
		t.Errorf("widened a little, and told %d", told)
	}
	w.move(100 * time.Millisecond)
	if told := sendAt(e, "alice", faster); told != 0 {
		t.Errorf("a tenth of a second at ten a second, and told %d", told)
	}
	if told := sendAt(e, "alice", auth.Rate{}); told != 0 {
		t.Errorf("without a limit it is told %d", told)
	}
}

// A rate that is edited while its client floods lets in what one of its forms would, and not a burst for each edit.
func TestRateIsEditedUnderLoad(t *testing.T) {
	t.Parallel()
	e, _ := metered(0, 0)
	rates := []auth.Rate{{PerSecond: 1, Burst: 50}, {PerSecond: 0.5, Burst: 50}, {PerSecond: 3, Burst: 50}}
	var in atomic.Int64
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 2000 {
				if sendAt(e, "alice", rates[(i+n)%len(rates)]) == 0 {
					in.Add(1)
				}
			}
		})
	}
	all.Wait()
	if n := in.Load(); n != 50 {
		t.Errorf("%d were let in while time stood still, want the burst of 50", n)
	}
}

// A clock that is set back shuts nobody out and opens nothing: it costs no more than the burst. One that is set forward fills
// the bucket and no more.
func TestClockIsSet(t *testing.T) {
	t.Parallel()
	e, w := metered(2, 5)
	spend := func() (in int) {
		for in < 100 && send(e, "alice") == 0 {
			in++
		}
		return in
	}
	if in := spend(); in != 5 {
		t.Fatalf("%d of a burst of 5", in)
	}
	w.move(-24 * time.Hour)
	if told := send(e, "alice"); told != 1 {
		t.Errorf("a day back, and told %d", told)
	}
	w.move(time.Second)
	if in := spend(); in != 2 {
		t.Errorf("a second later %d are let in", in)
	}
	w.move(48 * time.Hour)
	if in := spend(); in != 5 {
		t.Errorf("two days forward %d are let in", in)
	}
	for range 100 { // back and forth
		w.move(-time.Hour)
		send(e, "alice")
		w.move(time.Hour)
	}
	if in := spend(); in > 5 {
		t.Errorf("a clock that swings lets %d in", in)
	}
}

// The wall clock of a machine that runs may be set: rates go by the one that only runs.
func TestRateGoesByTheMonotonicClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := edge.New(edge.Config{PerSecond: 1, Burst: 1})
		if send(e, "alice") != 0 || send(e, "alice") != 1 {
			t.Fatal("no limit")
		}
		time.Sleep(time.Second)
		if told := send(e, "alice"); told != 0 {
			t.Errorf("told %d", told)
		}
	})
}

// A hundred thousand clients that call once leave nothing behind; neither do as many that spend all they have.
func TestMeterForgets(t *testing.T) {
	t.Parallel()
	const many, few = 100_000, 600
	e, w := metered(10, 20)
	for i := range many {
		send(e, fmt.Sprint("client ", i))
		w.move(time.Millisecond) // full again after a tenth of a second
		if n := e.Metered(); n > few {
			t.Fatalf("%d buckets after %d clients", n, i+1)
		}
	}
	for i := range many {
		send(e, fmt.Sprint("client ", i))
	}
	if n := e.Metered(); n < many || n > many+few {
		t.Errorf("%d buckets of %d clients at once", n, many)
	}
	w.move(61 * time.Second)
	send(e, "client 1")
	if n := e.Metered(); n != 1 {
		t.Errorf("%d buckets are left a minute later", n)
	}
	if e, _ := metered(0, 0); send(e, "alice") != 0 || e.Metered() != 0 {
		t.Error("a client without a rate has a bucket")
	}
}

func TestMeteredTakeAllocations(t *testing.T) {
	e, w := metered(1e6, 100)
	x := as(e, "alice")
	got := testing.AllocsPerRun(1000, func() {
		w.move(time.Microsecond)
		place, refused := x.Take()
		if refused != nil {
			t.Fatal("refused")
		}
		place.Release()
	})
	if got != 0 {
		t.Errorf("a counted Take allocates %v times", got)
	}
}

func BenchmarkMeteredTake(b *testing.B) {
	for name, perSecond := range map[string]float64{"off": 0, "on": 1e6} {
		b.Run(name, func(b *testing.B) {
			e, w := metered(perSecond, 1000)
			x := as(e, "alice")
			b.ReportAllocs()
			for b.Loop() {
				w.move(time.Microsecond)
				place, refused := x.Take()
				if refused != nil {
					b.Fatal("refused")
				}
				place.Release()
			}
		})
	}
}
