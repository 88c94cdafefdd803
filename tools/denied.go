package tools

import (
	"fmt"
	"sync"
	"time"

	"prax/store"
)

// DenialsAMinute is how many denied calls of one client are recorded one by one in a minute; the others
// are one event with their count. Apart from reads, where the operator wants none of them
// ([Config].AuditReads), nothing else is left out of the audit.
const DenialsAMinute = 60

// denials samples the events of denied calls, client by client.
type denials struct {
	record func(store.Event)
	now    func() time.Time

	mu      sync.Mutex
	clients map[string]*denied // whom a call was denied in the last minute
	closed  bool
}

// denied is one client's minute.
type denied struct {
	user  string
	calls int
	timer *time.Timer // ends the minute
}

// add records the event, or counts it.
func (d *denials) add(e store.Event) {
	if d.admit(e) {
		d.record(e)
	}
}

func (d *denials) admit(e store.Event) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return true
	}
	of := d.clients[e.Client]
	if of == nil {
		of = &denied{user: e.User}
		of.timer = time.AfterFunc(time.Minute, func() { d.turn(e.Client) })
		d.clients[e.Client] = of
	}
	of.calls++
	return of.calls <= DenialsAMinute
}

// turn ends a client's minute, and records what it left out.
func (d *denials) turn(client string) {
	d.mu.Lock()
	of := d.clients[client]
	delete(d.clients, client)
	d.mu.Unlock()
	if of != nil {
		d.tell(client, of)
	}
}

// close ends every minute.
func (d *denials) close() {
	d.mu.Lock()
	all := d.clients
	d.clients, d.closed = nil, true
	d.mu.Unlock()
	for client, of := range all {
		of.timer.Stop()
		d.tell(client, of)
	}
}

func (d *denials) tell(client string, of *denied) {
	more := of.calls - DenialsAMinute
	if more <= 0 {
		return
	}
	d.record(store.Event{
		At: d.now().Truncate(time.Millisecond), Kind: store.EventDenied, Client: client, User: of.user,
		Decision: "more denied calls", Outcome: OutcomeDenied, Detail: fmt.Sprintf(`{"count":%d}`, more),
	})
}
