package edge

import (
	"fmt"

	"prax/auth"
)

// TooMany is why a client is refused for now, with 429 (RFC 6585, section 4): the same before its body was read and after.
type TooMany struct {
	Sentence string // for the caller, with what to do
	Seconds  int    // after which the same is let in, if the client sends nothing else meanwhile: Retry-After
}

// atOnce is what a client is told that has as much in hand as it may. When something of that ends is its own affair.
var atOnce = &TooMany{"too many requests of this client at once: wait for an answer, then try again", 1}

// rate is how much the client may ask for by the entry in force now, completed by what everybody may.
func (x *Exchange) rate() auth.Rate {
	own, r := x.Principal.Rate, x.edge.usual
	if own.PerSecond > 0 {
		r.PerSecond, r.Burst = own.PerSecond, own.Burst
	}
	if own.InFlight > 0 {
		r.InFlight = own.InFlight
	}
	return r
}

// count counts one request against the client's rate.
func (x *Exchange) count(r auth.Rate) *TooMany {
	if r.PerSecond <= 0 || rateOpen {
		return nil
	}
	wait := x.edge.meter.take(x.client, r, x.edge.now())
	if wait == 0 {
		return nil
	}
	n := whole(wait)
	return &TooMany{fmt.Sprintf("this client sends more than it may: wait %d s, then send it again", n), n}
}

// enter takes a place among what the client has in hand, and counts one request. What is refused takes neither.
func (x *Exchange) enter() *TooMany {
	r := x.rate()
	if !x.edge.calls.take(x.client, r.InFlight) {
		return atOnce
	}
	refused := x.count(r)
	if refused != nil {
		x.edge.calls.give(x.client)
	}
	return refused
}

// Begin takes the exchange's own place of the client's in-flight budget and counts it against the client's rate, before the
// body is read: what a client makes the server hold is bounded from then on. The place is kept until [Exchange.End], or until the
// exchange becomes a stream. Anything but nil is the answer.
func (x *Exchange) Begin() *TooMany {
	refused := x.enter()
	x.own = refused == nil
	x.counted = x.own
	return x.note(refused)
}

// End gives the exchange's own place back. The answer has been written by then.
func (x *Exchange) End() {
	if x.own {
		x.own = false
		x.edge.calls.give(x.client)
	}
}

// Take takes the place that one element is worked on in, and counts it: once for each element of a batch, so that a batch is no
// way around a limit. The exchange's own place serves one element at a time, so that elements one after the other need no other;
// the first of them was counted with the exchange. A place must be released exactly once; where there is none, the refusal is the
// answer.
func (x *Exchange) Take() (Place, *TooMany) {
	if !x.own || x.used {
		return Place{x, &x.edge.calls}, x.note(x.enter())
	}
	if !x.counted {
		if refused := x.count(x.rate()); refused != nil {
			return Place{}, x.note(refused)
		}
	}
	x.used, x.counted = true, false
	return Place{x: x}, nil
}

// TakeStream takes one place among the client's open event streams, and gives the exchange's own back: they count apart, many
// idle streams never stop a client from calling. A place must be released exactly once.
func (x *Exchange) TakeStream() (Place, *TooMany) {
	if !x.edge.streams.take(x.client, x.edge.maxStreams) {
		return Place{}, x.note(atOnce)
	}
	x.End()
	return Place{x, &x.edge.streams}, nil
}

func (x *Exchange) note(refused *TooMany) *TooMany {
	x.limited = x.limited || refused != nil
	return refused
}

// Limited tells whether a limit of the client's refused anything of this exchange.
func (x *Exchange) Limited() bool { return x.limited }

// Place is one of a client's budget that was taken.
type Place struct {
	x  *Exchange
	of *budget // nil: the exchange's own
}

// Release gives the place back.
func (p Place) Release() {
	if p.of == nil {
		p.x.used = false
		return
	}
	p.of.give(p.x.client)
}

// Enter takes a place and counts one request of a client that calls by another way than an exchange, as through the operator's
// socket, under the same limits. leave gives the place back, and is called exactly once; anything but nil beside it is the answer.
func (e *Edge) Enter(p auth.Principal) (leave func(), refused *TooMany) {
	x := &Exchange{Principal: p, edge: e, client: p.Client}
	if refused = x.Begin(); refused != nil {
		return nil, refused
	}
	return x.End, nil
}
