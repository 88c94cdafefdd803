package server

import (
	"context"
	"net/http"
	"testing"
	"time"
)

// bounded notes the last deadline of writing that was set, and how often one was.
type bounded struct {
	nothing
	writeBy time.Time
	times   int
}

func (w *bounded) SetWriteDeadline(at time.Time) error {
	w.writeBy, w.times = at, w.times+1
	return nil
}

// An answer has its time or an eighth less, whatever happened on its connection before, and answers that
// follow each other closely share a deadline.
func TestWriteDeadlineIsShared(t *testing.T) {
	t.Parallel()
	const timeout = 80 * time.Second
	w, c := &bounded{}, &connection{}
	at := time.Now()
	answer := func(later time.Duration, conn *connection, want int) {
		t.Helper()
		at = at.Add(later)
		x := &exchange{ResponseWriter: w, timeout: timeout, conn: conn}
		x.boundWrite(at)
		if left := w.writeBy.Sub(at); w.times != want || left <= timeout-timeout/8 || left > timeout {
			t.Errorf("after %v: set %d times, want %d; %v left", later, w.times, want, left)
		}
	}
	answer(0, c, 1)
	answer(9*time.Second, c, 1)
	answer(2*time.Second, c, 2)
	answer(time.Hour, c, 3)
	answer(0, &connection{}, 4) // another connection
	answer(0, nil, 5)           // HTTP/2
	answer(0, nil, 6)
	answer(0, c, 6)
	stream := &exchange{ResponseWriter: w, timeout: timeout, conn: c}
	if err := http.NewResponseController(stream).SetWriteDeadline(at.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	answer(0, c, 8)
}

// A connection is remembered in HTTP/1 only, where its requests follow each other.
func TestConnectionOf(t *testing.T) {
	t.Parallel()
	r := (&http.Request{ProtoMajor: 1}).WithContext(remember(context.Background(), nil))
	c := connectionOf(r)
	if c == nil || connectionOf(r) != c {
		t.Error("a connection is not remembered")
	}
	r.ProtoMajor = 2
	if connectionOf(r) != nil {
		t.Error("requests at once share deadlines")
	}
	if connectionOf(&http.Request{ProtoMajor: 1}) != nil {
		t.Error("a request of no server has a connection")
	}
}
