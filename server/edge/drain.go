package edge

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// lull is how long no request must have run before a drain stops waiting for connections that may be
// sending one: more than enough for the last answer to leave.
const lull = time.Second

// Drain shuts a server down politely: it accepts no more, and returns once every connection is idle, no
// request has run for a second, or the grace has ended; whatever is left then is for the caller to close.
// running tells how many requests are within a handler now. Without the second, net/http waits up to
// five for a connection that was opened and says nothing. An error is one of closing the listener.
func Drain(grace context.Context, hs *http.Server, running func() int64) error {
	polite, end := context.WithCancel(grace)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		defer end()
		untilQuiet(polite, running)
	}()
	err := hs.Shutdown(polite)
	if polite.Err() != nil && errors.Is(err, polite.Err()) {
		err = nil
	}
	end()
	<-watched
	return err
}

// untilQuiet returns once there was a lull, or ctx has ended.
func untilQuiet(ctx context.Context, running func() int64) {
	tick := time.NewTicker(lull / 10)
	defer tick.Stop()
	for quiet := 0; quiet < 10; quiet++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if running() > 0 {
			quiet = -1
		}
	}
}
