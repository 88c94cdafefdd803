package mcp

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"prax/auth"
	"prax/server/edge"
	"prax/server/jsonrpc"
	"prax/tools"
)

// The defaults of a [Config].
const (
	DefaultKeepAlive    = 15 * time.Second
	DefaultWriteTimeout = 10 * time.Second
	DefaultPageSize     = 250
)

// Info is how the server names itself to its callers.
type Info struct {
	Name    string
	Version string
}

// Config is what a [Server] is made of. Registry is needed, all else may be zero.
type Config struct {
	Registry     *tools.Registry
	Info         Info
	Instructions string           // told to callers when they connect; "": nothing
	Log          *slog.Logger     // nil: none
	Now          func() time.Time // nil: time.Now
	KeepAlive    time.Duration    // between comments on a stream where nothing happens
	WriteTimeout time.Duration    // of one write to a stream; a reader that is stuck longer loses it
	PageSize     int              // tools in one answer to tools/list
}

// Server answers the MCP endpoint. It is safe for concurrent use.
type Server struct {
	config Config
	fixed  fixed
	lists  lists
	hint   sync.Once // about a principal in _meta

	draining context.Context
	drain    context.CancelCauseFunc
}

var errDraining = errors.New("the server is stopping")

// New is a server for these tools. It panics without a registry.
func New(c Config) *Server {
	if c.Registry == nil {
		panic("mcp: a server needs a registry")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.KeepAlive = cmp.Or(c.KeepAlive, DefaultKeepAlive)
	c.WriteTimeout = cmp.Or(c.WriteTimeout, DefaultWriteTimeout)
	c.PageSize = cmp.Or(c.PageSize, DefaultPageSize)
	c.Info.Name = cmp.Or(c.Info.Name, "prax")
	s := &Server{config: c, fixed: newFixed(c)}
	s.lists.init(c)
	s.draining, s.drain = context.WithCancelCause(context.Background())
	return s
}

// Drain ends every open subscription with its result, and those that are opened from now on at once.
// Calls that are running go on.
func (s *Server) Drain() { s.drain(errDraining) }

// Serve answers one POST: an edge.Handler. The caller is known, the method is POST, and the body is
// limited and read by nobody yet. The body is read to its end, so that r.Context ends when the
// caller hangs up. Nothing is written for a caller that is out by then.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, x *edge.Exchange) {
	q := &request{s: s, w: w, r: r, x: x, id: x.RequestID}
	body, err := q.open()
	if !x.Refresh() {
		return
	}
	switch {
	case err != nil:
		q.refuse(err)
	case jsonrpc.IsBatch(body):
		q.serveBatch(body)
	default:
		q.serveOne(body)
	}
}

// follow judges the caller of an open stream at once and again whenever the clients or the tools are
// others, and hands each judgement to f. It returns f's error, edge.ErrOut when the caller is out, or
// the cause of ctx's end.
func (s *Server) follow(ctx context.Context, x *edge.Exchange, f func(auth.Principal) error) error {
	live := x.Live()
	catalogue := s.config.Registry.Changed()
	for {
		p, err := live.Next(ctx, catalogue)
		if err != nil {
			return err
		}
		// Taken before f looks at the tools: what changes in between wakes the next turn.
		catalogue = s.config.Registry.Changed()
		if err := f(p); err != nil {
			return err
		}
	}
}

// buffers are for answers only: bodies are not pooled, since a tool that hangs may hold on to its
// arguments after the answer.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const keepBuffer = 64 << 10

func takeBuffer() *[]byte { return buffers.Get().(*[]byte) }

func giveBuffer(b *[]byte) {
	if cap(*b) <= keepBuffer {
		*b = (*b)[:0]
		buffers.Put(b)
	}
}
