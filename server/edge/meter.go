package edge

import (
	"math"
	"strings"
	"sync"
	"time"

	"prax/auth"
)

// meter counts how fast clients ask, each by a bucket of its own: Burst requests may come at once, and one more each
// 1/PerSecond of a second. A bucket that is full again says nothing and is dropped, so that its memory is bounded by the clients
// that asked lately.
type meter struct {
	begun time.Time // what times are counted from: a wall clock that is set moves nothing

	mu      sync.Mutex
	buckets map[string]bucket
	sweepAt int           // how many buckets there may be before the full ones are looked for
	swept   time.Duration // when they last were
}

// bucket is what one client has taken: by perSecond it is full again at full.
type bucket struct {
	full      time.Duration
	perSecond float64
}

const (
	fewBuckets = 256 // which nobody needs to look through
	sweepEvery = time.Minute
)

func (m *meter) init(begun time.Time) {
	m.begun, m.buckets, m.sweepAt = begun, make(map[string]bucket), fewBuckets
}

// take takes one request of the client, which has this rate now. Else it gives how long to wait for one; what is refused takes
// nothing, so that asking again and again delays nobody.
func (m *meter) take(client string, r auth.Rate, at time.Time) (wait time.Duration) {
	now := at.Sub(m.begun)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep(now)
	b, known := m.buckets[client]
	if !known {
		client = strings.Clone(client) // it is a part of all that the registry has in memory, which it would keep
	}
	m.buckets[client], wait = b.take(r, now)
	return wait
}

// slack keeps the rounding of times from refusing who has waited as long as it was told.
const slack = 1e-6

// take is the bucket after one request, by the rate of now, and how long there is to wait when there is none for it. What was
// taken by another rate counts as requests, not as time, and a clock that went back costs a burst at most.
func (b bucket) take(r auth.Rate, now time.Duration) (bucket, time.Duration) {
	taken, burst := max(0, (b.full-now).Seconds()*b.perSecond), float64(r.Burst)
	if taken+1 <= burst+slack {
		return bucketOf(taken+1, r, now), 0
	}
	if taken > burst || b.perSecond != r.PerSecond {
		taken = min(taken, burst)
		b = bucketOf(taken, r, now)
	}
	return b, max(1, seconds((taken+1-burst)/r.PerSecond))
}

func bucketOf(taken float64, r auth.Rate, now time.Duration) bucket {
	return bucket{now + seconds(taken/r.PerSecond), r.PerSecond}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// sweep drops full buckets when there are twice as many as the last time, or many and a while has passed: it costs each request
// little, and what was many clients at once is no burden for long.
func (m *meter) sweep(now time.Duration) {
	n := len(m.buckets)
	if n < m.sweepAt && (n < fewBuckets || now-m.swept < sweepEvery) {
		return
	}
	left := make(map[string]bucket) // another one, since a map never shrinks
	for client, b := range m.buckets {
		if b.full > now {
			left[client] = b
		}
	}
	m.buckets, m.sweepAt, m.swept = left, max(fewBuckets, 2*len(left)), now
}

// whole is a wait as Retry-After has it: whole seconds, at least one (RFC 9110, section 10.2.3).
func whole(wait time.Duration) int { return max(1, int(math.Ceil(wait.Seconds()))) }
