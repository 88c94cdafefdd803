package bench

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestBuckets: each duration is in one bucket, whose end is at most 1/128 above it; buckets are in order and leave
// nothing out.
func TestBuckets(t *testing.T) {
	t.Parallel()
	last := time.Duration(-1)
	for i := range buckets {
		end := bucketEnd(i)
		if end <= last {
			t.Fatalf("bucket %d ends at %d, the one before at %d", i, end, last)
		}
		if first := last + 1; bucketOf(first) != i || bucketOf(end) != i {
			t.Fatalf("bucket %d is [%d, %d], which are in %d and %d", i, first, end, bucketOf(first), bucketOf(end))
		} else if (end - first) > first/128 {
			t.Fatalf("bucket %d is [%d, %d]: too wide", i, first, end)
		}
		last = end
	}
	if bucketOf(1<<62) != buckets-1 || bucketOf(-1) != 0 {
		t.Error("what is out of range has no bucket")
	}
}

// TestQuantiles: never below the exact one, and less than 1/128 above it; two histograms merged are one.
func TestQuantiles(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var all []time.Duration
	var halves [2]histogram
	for i := range 10_000 {
		d := time.Duration(random.ExpFloat64() * float64(time.Millisecond))
		all = append(all, d)
		halves[i%2].add(d)
	}
	slices.Sort(all)
	h := &halves[0]
	h.merge(&halves[1])
	for _, q := range []float64{0, 0.5, 0.9, 0.99, 0.999, 0.9999} {
		exact, got := all[int(q*float64(len(all)))], h.quantile(q)
		if got < exact || got > exact+exact/128+1 {
			t.Errorf("quantile %v is %v, exactly %v", q, got, exact)
		}
	}
	if longest := all[len(all)-1]; h.quantile(1) != longest || h.max != longest || h.count != int64(len(all)) {
		t.Errorf("%d durations up to %v, want %d up to %v", h.count, h.max, len(all), longest)
	}
	if (&histogram{}).quantile(0.5) != 0 {
		t.Error("an empty histogram has a median")
	}
}
