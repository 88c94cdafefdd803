package egress

import (
	"errors"
	"io"
	"net/http"
	"sync"
)

// sending is the body of a request. Both net/http and whoever gives up on the exchange close it; the caller's is closed
// once.
type sending struct {
	io.ReadCloser
	once sync.Once
	err  error
}

// Close closes the caller's body, the first time.
func (s *sending) Close() error {
	s.once.Do(func() { s.err = s.ReadCloser.Close() })
	return s.err
}

// answering is the body of an answer, and what ends with it.
type answering struct {
	io.ReadCloser
	request io.Closer
	conn    *http.ClientConn
}

// Close ends the exchange, whether or not there is more to come of the answer, or to be sent.
func (a *answering) Close() error {
	return errors.Join(a.ReadCloser.Close(), a.conn.Close(), a.request.Close())
}
