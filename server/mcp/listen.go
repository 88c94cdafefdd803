package mcp

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/server/edge"
	"prax/server/jsonrpc"
	"prax/tools"
)

var errBroken = errors.New("the stream cannot be written to")

// listen is subscriptions/listen (MCP 2026-07-28, subscriptions): the accepted subset first, then a
// notification whenever the list of tools that this caller sees is another, and at the end a result
// that is the same whether the server stops, the credential lapses or somebody revoked it.
func (q *request) listen() {
	wanted, err := q.subscribed()
	if err != nil {
		q.refuse(err)
		return
	}
	place, refused := q.x.TakeStream()
	if refused != nil {
		q.refuse(tooMany(refused))
		return
	}
	defer place.Release()
	q.x.Access.Outcome = tools.OutcomeOK
	ctx, cancel := context.WithCancelCause(q.r.Context())
	defer cancel(nil)
	defer context.AfterFunc(q.s.draining, func() { cancel(errDraining) })()

	sub := &subscription{s: q.s, x: q.x, id: bytes.Clone(q.m.ID), toolsChanged: wanted}
	sub.stream = q.newStream(func() { cancel(errBroken) })
	q.m, q.meta = jsonrpc.Message{}, meta{} // a stream stays open for days; the body need not
	sub.stream.keepAlive()
	defer sub.stream.end()
	sub.serve(ctx)
}

// subscribed reads what the caller wants to hear of, as far as it is served here.
func (q *request) subscribed() (toolsChanged bool, err error) {
	if !q.accept.stream {
		return false, refusal(http.StatusNotAcceptable, jsonrpc.CodeInvalidRequest,
			"subscriptions are streams: send the header Accept: application/json, text/event-stream")
	}
	var wanted jsontext.Value
	for key, v := range jsonrpc.Members(q.m.Params) {
		if string(key) == "notifications" {
			wanted = v
		}
	}
	if wanted.Kind() != '{' {
		return false, badParams("params.notifications must be an object")
	}
	for key, v := range jsonrpc.Members(wanted) {
		if string(key) != "toolsListChanged" {
			continue
		}
		if k := v.Kind(); k != 't' && k != 'f' {
			return false, badParams("params.notifications.toolsListChanged must be true or false")
		}
		toolsChanged = v.Kind() == 't'
	}
	return toolsChanged, nil
}

// subscription is one open stream of notifications.
type subscription struct {
	s            *Server
	x            *edge.Exchange
	id           jsontext.Value
	stream       *stream
	toolsChanged bool
}

func (sub *subscription) serve(ctx context.Context) {
	seen := sub.s.lists.of(sub.x.Principal).sum
	if sub.stream.send(sub.acknowledged()) != nil {
		return
	}
	sub.conclude(sub.s.follow(ctx, sub.x, func(p auth.Principal) error {
		p.Expires = time.Time{} // judged just now; a lapse in between is an ending, not a change
		now := sub.s.lists.of(p).sum
		if now == seen {
			return nil
		}
		seen = now
		if !sub.toolsChanged {
			return nil
		}
		return sub.stream.send(sub.changed())
	}))
}

// conclude sends the one ending, unless it is the caller that left.
func (sub *subscription) conclude(why error) {
	if errors.Is(why, edge.ErrOut) || errors.Is(why, errDraining) {
		sub.stream.finish(jsonrpc.AppendResult(nil, sub.id, sub.result()))
	}
}

func (sub *subscription) acknowledged() []byte {
	params := []byte(`{"notifications":{`)
	if sub.toolsChanged {
		params = append(params, `"toolsListChanged":true`...)
	}
	params = append(params, `},"_meta":{`...)
	params = append(sub.appendID(params), `}}`...)
	return jsonrpc.AppendNotification(nil, "notifications/subscriptions/acknowledged", params)
}

func (sub *subscription) changed() []byte {
	params := append(sub.appendID([]byte(`{"_meta":{`)), `}}`...)
	return jsonrpc.AppendNotification(nil, "notifications/tools/list_changed", params)
}

func (sub *subscription) result() []byte {
	dst := sub.appendID([]byte(`{"resultType":"complete","_meta":{`))
	dst = append(dst, ',')
	dst = append(dst, sub.s.fixed.meta...)
	return append(dst, `}}`...)
}

func (sub *subscription) appendID(dst []byte) []byte {
	dst = append(dst, `"`+keySubscription+`":`...)
	return append(dst, sub.id...)
}
