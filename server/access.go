package server

import (
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// How long a record may wait in memory, when it is written early, and how much may wait for a writer
// that does not take any: past that, records are counted instead of kept.
const (
	flushEvery = time.Second
	flushAt    = 64 << 10
	bufferMax  = 1 << 20
	fieldMax   = 128 // bytes of a string that a caller had a say in
)

// Requests of nobody known that were refused, apart from them those that were answered, and those of clients beyond their limits,
// recorded one by one in each minute. A flood of them costs the log a count a minute, not the disk.
const (
	refusalsAMinute = 60
	refusalsARemote = 30 // or of a client that is known
)

// accessLog is the one record a request: written by many, flushed by one.
type accessLog struct {
	w    io.Writer
	text bool
	full chan struct{} // something is due to be flushed early

	refusals *sample // of callers that are not known
	strays   *sample // of what they were answered otherwise, as a probe is
	overruns *sample // of clients

	flushing sync.Mutex // held around w.Write, never together with waiting callers
	spare    []byte

	mu      sync.Mutex
	buf     []byte
	stamp   stamp
	dropped int64
}

func newAccessLog(w io.Writer, text bool) *accessLog {
	return &accessLog{
		w: w, text: text, full: make(chan struct{}, 1),
		refusals: newSample(refusalsAMinute, refusalsARemote), strays: newSample(refusalsAMinute, refusalsARemote),
		overruns: newSample(refusalsAMinute, refusalsARemote),
	}
}

func (a *accessLog) add(x *exchange, r *http.Request) {
	if a.w == nil {
		return
	}
	took := time.Since(x.start)
	if !a.admits(x) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.buf) >= bufferMax {
		a.dropped++
		return
	}
	l := a.line()
	l.request(x, r, took)
	a.buf = l.buf
	if len(a.buf) >= flushAt {
		select {
		case a.full <- struct{}{}:
		default:
		}
	}
}

// admits tells whether the request has a record of its own.
func (a *accessLog) admits(x *exchange) bool {
	switch {
	case x.edge == nil && x.status != http.StatusInternalServerError:
		a.turn(x.start, false)
		return a.unknown(x.status).admit(network(x.remote))
	case x.edge != nil && x.status == http.StatusTooManyRequests:
		a.turn(x.start, false)
		return a.overruns.admit(x.edge.Principal.Client)
	}
	return true
}

// unknown counts requests of nobody known: a flood of probes hides no refusal.
func (a *accessLog) unknown(status int) *sample {
	if 400 <= status && status < 500 {
		return a.refusals
	}
	return a.strays
}

// turn writes how many a minute that is over left out; see sample.
func (a *accessLog) turn(now time.Time, early bool) {
	if a.w == nil {
		return
	}
	a.more(now, "more refusals", a.refusals.turn(now, early)+a.overruns.turn(now, early))
	a.more(now, "more requests without a token", a.strays.turn(now, early))
}

func (a *accessLog) more(now time.Time, what string, n int) {
	if n == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.line()
	l.begin(now, "INFO", what)
	l.int("count", int64(n))
	l.end()
	a.buf = l.buf
}

// flush writes outside the lock that requests take, so that a slow disk delays no caller.
func (a *accessLog) flush() error {
	if a.w == nil {
		return nil
	}
	a.flushing.Lock()
	defer a.flushing.Unlock()
	out := a.swap()
	if len(out) == 0 {
		return nil
	}
	_, err := a.w.Write(out)
	if cap(out) <= 2*flushAt { // a burst's buffer is not kept for ever
		a.spare = out[:0]
	}
	return err
}

func (a *accessLog) swap() []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dropped > 0 {
		l := a.line()
		l.begin(time.Now(), "WARN", "access records dropped")
		l.int("count", a.dropped)
		l.end()
		a.buf, a.dropped = l.buf, 0
	}
	out := a.buf
	a.buf, a.spare = a.spare, nil
	return out
}

// line appends one record in the two forms of log/slog's handlers, without their allocations.
type line struct {
	buf   []byte
	text  bool
	stamp *stamp
}

// line continues the buffer; whoever asks has the lock.
func (a *accessLog) line() line { return line{buf: a.buf, text: a.text, stamp: &a.stamp} }

func (l *line) request(x *exchange, r *http.Request, took time.Duration) {
	l.begin(x.start, "INFO", "request")
	l.str("id", x.id[0])
	l.str("remote", x.remote)
	l.str("http", r.Method)
	l.str("route", x.route)
	l.int("status", int64(x.status))
	l.milliseconds("duration_ms", took)
	l.int("bytes", x.bytes)
	l.str("denied", string(x.denied))
	if e := x.edge; e != nil {
		l.str("client", e.Principal.Client)
		l.str("user", e.Principal.User)
		if g := e.Principal.Grant; g != nil {
			l.str("jti", g.ID)
		}
		l.str("method", e.Access.Method)
		l.str("tool", e.Access.Tool)
		l.str("outcome", e.Access.Outcome)
		l.str("code", e.Access.Code)
		l.int("registry", int64(e.Principal.Generation))
	}
	l.end()
}

func (l *line) begin(at time.Time, level, message string) {
	if l.text {
		l.buf = append(l.buf, "time="...)
		l.buf = l.stamp.append(l.buf, at)
		l.buf = append(append(l.buf, " level="...), level...)
	} else {
		l.buf = append(l.buf, `{"time":"`...)
		l.buf = l.stamp.append(l.buf, at)
		l.buf = append(append(append(l.buf, `","level":"`...), level...), '"')
	}
	l.str("msg", message)
}

func (l *line) end() {
	if !l.text {
		l.buf = append(l.buf, '}')
	}
	l.buf = append(l.buf, '\n')
}

func (l *line) key(k string) {
	if l.text {
		l.buf = append(append(append(l.buf, ' '), k...), '=')
		return
	}
	l.buf = append(append(append(l.buf, ',', '"'), k...), '"', ':')
}

// str leaves empty members out, cuts long ones, and escapes whatever a terminal would act on.
func (l *line) str(k, v string) {
	if v == "" {
		return
	}
	l.key(k)
	switch {
	case plain(v) && len(v) <= fieldMax:
		if l.text {
			l.buf = append(l.buf, v...)
		} else {
			l.buf = append(append(append(l.buf, '"'), v...), '"')
		}
	case l.text:
		l.buf = strconv.AppendQuoteToASCII(l.buf, cut(v))
	default:
		l.buf = appendASCII(l.buf, cut(v))
	}
}

func (l *line) int(k string, v int64) {
	l.key(k)
	l.buf = strconv.AppendInt(l.buf, v, 10)
}

func (l *line) milliseconds(k string, d time.Duration) {
	l.key(k)
	l.buf = strconv.AppendInt(l.buf, d.Milliseconds(), 10)
	l.buf = appendThousandths(append(l.buf, '.'), int(d.Microseconds()%1000))
}

// plain strings need no quoting in either form.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= utf8.RuneSelf-1 || c == '"' || c == '\\' || c == '=' {
			return false
		}
	}
	return true
}

func cut(s string) string {
	if len(s) <= fieldMax {
		return s
	}
	n := fieldMax
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// appendASCII is a JSON string with nothing but printable ASCII in it: bidi and control characters
// come out as escapes.
func appendASCII(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s { // invalid UTF-8 becomes U+FFFD
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case ' ' <= r && r < 0x7f:
			dst = append(dst, byte(r))
		case r <= 0xffff:
			dst = appendEscape(dst, r)
		default:
			high, low := utf16.EncodeRune(r)
			dst = appendEscape(appendEscape(dst, high), low)
		}
	}
	return append(dst, '"')
}

func appendEscape(dst []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
