package bench

import (
	"math/bits"
	"time"
)

// A bucket spans 1/128 of its lower bound, so that a quantile is wrong by less than 0.8 percent.
const (
	fine    = 7                       // log2 of the buckets in each power of two
	buckets = (40 - fine + 1) << fine // up to 2^40 ns, 18 minutes; what is longer counts as that
)

// histogram counts durations in logarithmic buckets. The zero value is empty.
type histogram struct {
	count  int64
	max    time.Duration
	counts [buckets]uint32
}

func (h *histogram) add(d time.Duration) {
	h.count++
	h.max = max(h.max, d)
	h.counts[bucketOf(d)]++
}

func (h *histogram) merge(other *histogram) {
	h.count += other.count
	h.max = max(h.max, other.max)
	for i, n := range other.counts {
		h.counts[i] += n
	}
}

// quantile is the time within which a share q of all was over, never less than it was: the upper end of its bucket.
func (h *histogram) quantile(q float64) time.Duration {
	rank := int64(q * float64(h.count))
	for i, n := range h.counts {
		if rank -= int64(n); rank < 0 {
			return min(bucketEnd(i), h.max)
		}
	}
	return h.max
}

// bucketOf numbers the nanoseconds one by one up to 2^fine, then 2^fine buckets for each power of two.
func bucketOf(d time.Duration) int {
	n := uint64(max(d, 0))
	shift := max(bits.Len64(n)-1-fine, 0)
	return min(shift<<fine+int(n>>shift), buckets-1)
}

// bucketEnd is the longest duration of a bucket.
func bucketEnd(i int) time.Duration {
	if i < 2<<fine {
		return time.Duration(i)
	}
	shift := i>>fine - 1
	return time.Duration(i-shift<<fine+1)<<shift - 1
}
