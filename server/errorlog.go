package server

import (
	"log/slog"
	"strings"
	"time"
)

// errorLog is where net/http says what went wrong with a connection. What a peer can cause without a token, as
// handshakes that fail, is recorded within the limits of a minute, as refusals are.
type errorLog struct {
	log *slog.Logger
	*sample
}

func newErrorLog(log *slog.Logger) *errorLog {
	return &errorLog{log: log, sample: newSample(refusalsAMinute, refusalsARemote)}
}

// Write takes one line.
func (e *errorLog) Write(line []byte) (int, error) {
	text := strings.TrimSuffix(string(line), "\n")
	_, after, caused := strings.Cut(text, " from ") // "http: TLS handshake error from 192.0.2.1:99: EOF"
	if !caused {
		e.log.Warn(text)
		return len(line), nil
	}
	peer, _, _ := strings.Cut(after, ": ")
	e.flush(time.Now(), false)
	if e.admit(network(withoutPort(peer))) {
		e.log.Info(cut(text))
	}
	return len(line), nil
}

// flush says what a minute that is over left out, see turn.
func (e *errorLog) flush(now time.Time, early bool) {
	if more := e.turn(now, early); more > 0 {
		e.log.Info("more connections that failed", slog.Int("count", more))
	}
}
