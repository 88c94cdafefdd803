package runner_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"prax/store/sqlite"
	"prax/tools/runner"
)

// TestTimerWhenTheClockIsSet: a timeout goes by the clock, not by how long somebody slept. Set back, it comes later;
// set forward, within a minute.
func TestTimerWhenTheClockIsSet(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		by     time.Duration // that the clock is set forward, half a timeout after the start
		before time.Duration // after which nothing has come yet
	}{
		"back":    {-time.Hour, time.Hour + timeout/2 - time.Second},
		"forward": {time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var ahead atomic.Int64
				now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
				h := open(t, func(c *runner.Config, db *sqlite.Config) { c.Now, db.Now = now, now })
				h.catalog.set(load(t, "testdata/flows.yaml")...)
				defer h.tend()()
				id := h.begin(agent, "late").Stored.ID
				time.Sleep(timeout / 2)
				ahead.Store(int64(tt.by))
				time.Sleep(tt.before)
				synctest.Wait()
				equal(t, "before it is due", h.state(id), "s 1")
				time.Sleep(time.Minute + time.Second) // a clock is looked at each minute
				synctest.Wait()
				equal(t, "once it is due", h.state(id), "expired 2")
			})
		})
	}
}
