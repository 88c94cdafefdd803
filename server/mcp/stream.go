package mcp

import (
	"errors"
	"net/http"
	"sync"
	"time"
)

// stream is an answer of server-sent events. It begins with its first event, or with its first
// keep-alive: until then the answer may still be plain JSON. Events come from the goroutine of the
// request and from that of a tool, comments from a timer; one lock orders them.
//
// There are no event ids and nothing to resume (MCP 2026-07-28, transports).
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	every   time.Duration
	broken  func() // told once when a write fails; nil: nobody

	mu    sync.Mutex
	begun bool
	ended bool
	buf   []byte
	timer *time.Timer // nil: no keep-alive
}

var errEnded = errors.New("the stream has ended")

func (q *request) newStream(broken func()) *stream {
	return &stream{
		w: q.w, control: http.NewResponseController(q.w), broken: broken,
		timeout: q.s.config.WriteTimeout, every: q.s.config.KeepAlive,
	}
}

// keepAlive has a comment sent whenever nothing else was for a while, so that nobody in between
// takes the stream for dead. Whoever calls it calls end.
func (st *stream) keepAlive() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.timer = time.AfterFunc(st.every, st.beat)
}

func (st *stream) beat() {
	st.mu.Lock()
	defer st.mu.Unlock()
	if !st.ended {
		_ = st.put([]byte(":\n\n"))
	}
}

// send sends one message as an event.
func (st *stream) send(message []byte) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.event(message)
}

// finish sends the last message and ends the stream; false when the stream has not begun, and now
// never will.
func (st *stream) finish(message []byte) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.begun && !st.ended {
		_ = st.event(message) // a caller that is gone needs no last message
	}
	st.stop()
	return st.begun
}

// end ends the stream without a further word.
func (st *stream) end() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.stop()
}

func (st *stream) stop() {
	st.ended = true
	if st.timer != nil {
		st.timer.Stop()
	}
}

// event frames a message. Line ends can only stand between the tokens of valid JSON, where a blank
// is as good; within data they would break the frame.
func (st *stream) event(message []byte) error {
	if st.ended {
		return errEnded
	}
	st.buf = append(st.buf[:0], "event: message\ndata: "...)
	for _, c := range message {
		if c == '\n' || c == '\r' {
			c = ' '
		}
		st.buf = append(st.buf, c)
	}
	return st.put(append(st.buf, "\n\n"...))
}

func (st *stream) put(frame []byte) error {
	st.begin()
	// A writer that knows no deadlines or flushing, as in tests, is no reason to fail.
	_ = st.control.SetWriteDeadline(time.Now().Add(st.timeout))
	_, err := st.w.Write(frame)
	if err == nil {
		err = st.control.Flush()
	}
	if errors.Is(err, http.ErrNotSupported) {
		err = nil
	}
	if err != nil {
		st.stop()
		if st.broken != nil {
			st.broken()
		}
		return err
	}
	if st.timer != nil {
		st.timer.Reset(st.every)
	}
	return nil
}

func (st *stream) begin() {
	if st.begun {
		return
	}
	st.begun = true
	h := st.w.Header()
	h["Content-Type"] = contentStream
	h["Cache-Control"] = noCache
	h["X-Accel-Buffering"] = noBuffering
	st.w.WriteHeader(http.StatusOK)
}
