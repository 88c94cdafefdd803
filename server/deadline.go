package server

import (
	"context"
	"net"
	"net/http"
	"time"
)

// connection is what is known of an HTTP/1 connection from one answer to the next. Its answers follow each
// other, so that it needs no lock.
type connection struct {
	writeBy time.Time // the deadline of writing that is set; zero: not known
}

type connectionKey struct{}

// remember is an http.Server's ConnContext.
func remember(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, &connection{})
}

// connectionOf is nil in HTTP/2, where each request has deadlines of its own.
func connectionOf(r *http.Request) *connection {
	if r.ProtoMajor != 1 {
		return nil
	}
	c, _ := r.Context().Value(connectionKey{}).(*connection)
	return c
}

// boundWrite sees to it that the answer which begins now has its time, or a little less: most answers come
// so soon after another that its deadline serves, and setting one costs more than writing a short answer
// into a buffer.
func (x *exchange) boundWrite(now time.Time) {
	if c := x.conn; c != nil && c.writeBy.Sub(now) > x.timeout-x.timeout/8 {
		return
	}
	_ = x.SetWriteDeadline(now.Add(x.timeout))
	if x.conn != nil {
		x.conn.writeBy = now.Add(x.timeout)
	}
}

// SetWriteDeadline is for http.ResponseController: what a handler sets for itself serves no later answer.
func (x *exchange) SetWriteDeadline(at time.Time) error {
	if x.conn != nil {
		x.conn.writeBy = time.Time{}
	}
	d, ok := x.ResponseWriter.(writeDeadliner)
	if !ok {
		return http.ErrNotSupported
	}
	return d.SetWriteDeadline(at)
}
