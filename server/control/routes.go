package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"prax/store"
)

// act answers one request of an operator with a value to be sent.
type act func(ctx context.Context, o *Operator, body []byte) (any, error)

// routes are the acts. When stop ends, streams do, and requests whose body has not come in.
func (s *Server) routes(stop context.Context) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /call", s.act(stop, call))
	mux.Handle("POST /access", s.act(stop, access))
	mux.Handle("POST /verify", s.act(stop, ending(stop, func(ctx context.Context, o *Operator, _ []byte) (any, error) { return o.Verify(ctx) })))
	mux.Handle("POST /reload", s.act(stop, func(ctx context.Context, o *Operator, _ []byte) (any, error) { return o.Reload(ctx) }))
	mux.Handle("POST /archive", s.act(stop, ending(stop, archive)))
	mux.Handle("POST /backup", s.act(stop, backedUp))
	mux.Handle("GET /status", s.act(stop, func(ctx context.Context, o *Operator, _ []byte) (any, error) { return o.Status(ctx) }))
	mux.Handle("POST /uses", s.act(stop, func(ctx context.Context, o *Operator, _ []byte) (any, error) { return o.Uses(ctx) }))
	mux.Handle("GET /audit", s.audit(stop))
	mux.Handle("POST /lexicon/define", s.act(stop, asked((*Operator).Define)))
	mux.Handle("POST /lexicon/accept", s.act(stop, asked((*Operator).Accept)))
	mux.Handle("POST /lexicon/remove", s.act(stop, asked((*Operator).Remove)))
	mux.Handle("POST /lexicon/list", s.act(stop, func(ctx context.Context, o *Operator, _ []byte) (any, error) { return o.Terms(ctx) }))
	mux.Handle("POST /lexicon/history", s.act(stop, asked((*Operator).TermHistory)))
	mux.Handle("POST /workflow", s.act(stop, asked((*Operator).Drive)))
	mux.Handle("POST /workflow/list", s.act(stop, asked((*Operator).Instances)))
	mux.Handle("POST /workflow/history", s.act(stop, asked((*Operator).History)))
	mux.Handle("POST /workflow/graph", s.act(stop, asked((*Operator).Graph)))
	mux.Handle("POST /approvals/show", s.act(stop, asked((*Operator).Approval)))
	mux.Handle("POST /approvals/resolve", s.act(stop, asked((*Operator).Resolve)))
	mux.Handle("POST /operations/list", s.act(stop, asked((*Operator).Operations)))
	mux.Handle("POST /operations/show", s.act(stop, asked((*Operator).Operation)))
	mux.Handle("POST /operations/reconcile", s.act(stop, asked((*Operator).Reconcile)))
	mux.Handle("POST /token/make", s.act(stop, asked((*Operator).MakeToken)))
	mux.Handle("POST /token/revoke", s.act(stop, asked((*Operator).RevokeToken)))
	return mux
}

func (s *Server) act(stop context.Context, f act) http.Handler {
	return s.admitted(func(w http.ResponseWriter, r *http.Request, o *Operator) {
		body, err := readBody(stop, w, r)
		if err != nil {
			s.fail(w, err)
			return
		}
		v, err := f(r.Context(), o, body)
		if err != nil {
			s.fail(w, err)
			return
		}
		s.send(w, http.StatusOK, v)
	})
}

// ending is an act that ends with the server: one that may take minutes, and can be begun again.
func ending(stop context.Context, f act) act {
	return func(ctx context.Context, o *Operator, body []byte) (any, error) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(stop, func() { cancel(errStopping) })()
		v, err := f(ctx, o, body)
		if err != nil && errors.Is(context.Cause(ctx), errStopping) {
			err = fmt.Errorf("%w: %w", errStopping, err)
		}
		return v, err
	}
}

// admitted lets operators through, and nobody else.
func (s *Server) admitted(f func(http.ResponseWriter, *http.Request, *Operator)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		uid, _ := r.Context().Value(uidKey{}).(uidOf)
		if !mayOperate(uid, s.own) {
			s.cfg.Log.Warn("operator's socket: refused", slog.Int("uid", uid.uid))
			s.fail(w, errForbidden)
			return
		}
		f(w, r, NewOperator(s.cfg, uid.uid))
	})
}

// readBody ends the body's deadline with the body: from then on the connection is watched for a
// hang-up, and a deadline would look like one.
func readBody(stop context.Context, w http.ResponseWriter, r *http.Request) ([]byte, error) {
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Now().Add(bodyTimeout))
	uncut := context.AfterFunc(stop, func() { _ = out.SetReadDeadline(time.Unix(1, 0)) })
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if !uncut() {
		return nil, errStopping // nothing has begun
	}
	if err != nil {
		return nil, &badRequest{err}
	}
	return b, out.SetReadDeadline(time.Time{})
}

// asked is an act on what its body says.
func asked[Request, Answer any](f func(*Operator, context.Context, Request) (Answer, error)) act {
	return func(ctx context.Context, o *Operator, body []byte) (any, error) {
		var r Request
		if err := decode(body, &r); err != nil {
			return nil, err
		}
		return f(o, ctx, r)
	}
}

func call(ctx context.Context, o *Operator, body []byte) (any, error) {
	var asked callRequest
	if err := decode(body, &asked); err != nil {
		return nil, err
	}
	res, err := o.Call(ctx, asked.As, asked.Tool, asked.Arguments)
	if err != nil {
		return nil, err
	}
	return toWire(res), nil
}

func access(ctx context.Context, o *Operator, body []byte) (any, error) {
	var asked accessRequest
	if err := decode(body, &asked); err != nil {
		return nil, err
	}
	return o.Access(ctx, asked.As, asked.Tool)
}

// audit streams events as lines of their canonical form.
func (s *Server) audit(stop context.Context) http.Handler {
	return s.admitted(func(w http.ResponseWriter, r *http.Request, o *Operator) {
		q := r.URL.Query()
		after, err := strconv.ParseInt(q.Get("after"), 10, 64)
		if err != nil {
			s.fail(w, &badRequest{errors.New("after is no number")})
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(stop, cancel)()
		if err := o.Events(ctx, after, q.Get("follow") == "true", eventWriter(w)); err != nil {
			if ctx.Err() == nil && !errors.Is(err, errGone) {
				s.cfg.Log.Error("operator's socket: audit", slog.Any("error", err))
			}
			panic(http.ErrAbortHandler) // half a stream must not look whole
		}
	})
}

// errGone says that the reader of a stream has left.
var errGone = errors.New("the reader has gone")

func eventWriter(w http.ResponseWriter) func([]store.Event) error {
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := http.NewResponseController(w)
	_ = out.Flush() // the headers, also when there is no event yet
	return func(events []store.Event) error {
		for _, e := range events {
			if _, err := w.Write(append(store.EncodeEvent(e), '\n')); err != nil {
				return errGone
			}
		}
		if out.Flush() != nil {
			return errGone
		}
		return nil
	}
}
