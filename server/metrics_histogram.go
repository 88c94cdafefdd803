package server

import (
	"strconv"
	"sync/atomic"
	"time"
)

// histogram counts values by size, without a lock: the one of the library that writes those of Go takes one.
type histogram struct {
	*scale
	counts []atomic.Uint64 // of each bound, those beyond the last at the end; not added up
	sum    atomic.Int64
}

// scale is what the values of a histogram are: whole numbers of a unit, told in another.
type scale struct {
	bounds []int64  // inclusive, ascending
	labels []string // the same as they are told
	unit   float64  // how many make one of what is told
}

// seconds is a scale of durations.
func seconds(bounds ...time.Duration) *scale {
	s := &scale{unit: float64(time.Second)}
	for _, d := range bounds {
		s.bounds = append(s.bounds, int64(d))
		s.labels = append(s.labels, strconv.FormatFloat(d.Seconds(), 'f', -1, 64))
	}
	return s
}

// pieces is a scale of counts.
func pieces(bounds ...int64) *scale {
	s := &scale{unit: 1, bounds: bounds}
	for _, n := range bounds {
		s.labels = append(s.labels, strconv.FormatInt(n, 10))
	}
	return s
}

func newHistogram(s *scale) histogram {
	return histogram{scale: s, counts: make([]atomic.Uint64, len(s.bounds)+1)}
}

func (h *histogram) add(v int64) {
	n := 0
	for n < len(h.bounds) && v > h.bounds[n] {
		n++
	}
	h.counts[n].Add(1)
	h.sum.Add(v)
}

func (h *histogram) empty() bool {
	for n := range h.counts {
		if h.counts[n].Load() > 0 {
			return false
		}
	}
	return true
}

// write writes the samples. The count is that of the buckets, whatever is added meanwhile.
func (h *histogram) write(t *text, name string, labels ...string) {
	sum, all := h.sum.Load(), uint64(0)
	bucket := append(labels[:len(labels):len(labels)], "le", "+Inf")
	for n := range h.counts {
		all += h.counts[n].Load()
		bucket[len(bucket)-1] = "+Inf"
		if n < len(h.labels) {
			bucket[len(bucket)-1] = h.labels[n]
		}
		t.sample(name+"_bucket", float64(all), bucket...)
	}
	t.sample(name+"_sum", float64(sum)/h.unit, labels...)
	t.sample(name+"_count", float64(all), labels...)
}
