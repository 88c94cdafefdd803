package bench

import "time"

// Report is what was measured.
type Report struct {
	Seconds   float64 `json:"seconds"`  // measured
	Requests  int64   `json:"requests"` // answered rightly in that time
	PerSecond float64 `json:"requests_per_second"`

	Latency Latency               `json:"latency_us"`
	Longest float64               `json:"longest_wait_us"` // of any answer, also wrong ones and those in flight at the end
	Works   map[Work]*WorkReport  `json:"works"`
	Errors  int64                 `json:"errors"` // in all the time, warm-up included
	ByKind  map[Kind]*FaultReport `json:"errors_by_kind,omitzero"`

	LoadCPU float64       `json:"load_cpu_seconds"` // of the load itself, while measuring
	Server  *ServerReport `json:"server,omitzero"`  // nil: it was not asked for
}

// Latency is how long right answers took, in microseconds: each quantile at most 1/128 above the exact one.
type Latency struct {
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p99_9"`
	Max  float64 `json:"max"`
}

// WorkReport is about one of several works.
type WorkReport struct {
	Requests int64   `json:"requests"`
	Latency  Latency `json:"latency_us"`
}

// FaultReport is about the errors of one kind.
type FaultReport struct {
	Count int64  `json:"count"`
	First string `json:"first"` // what came, of the first one that some caller met
}

// ServerReport is what the server's process used.
type ServerReport struct {
	CPU     float64 `json:"cpu_seconds"`          // while measuring
	CPUPer  float64 `json:"cpu_seconds_per_100k"` // for 100,000 right answers
	RSS     float64 `json:"resident_mb"`          // at the end
	PeakRSS float64 `json:"peak_resident_mb"`     // since its start
}

// fill adds up what the callers counted, and what the process used in between.
func (r *Report) fill(run *run, before, after process) {
	var all histogram
	r.Works = map[Work]*WorkReport{}
	for i, share := range run.Works {
		var h histogram
		for _, c := range run.callers {
			h.merge(&c.counts[i])
		}
		r.Works[share.Work] = &WorkReport{h.count, latencyOf(&h)}
		all.merge(&h)
	}
	r.Requests, r.Latency = all.count, latencyOf(&all)
	r.PerSecond = float64(all.count) / r.Seconds
	for _, c := range run.callers {
		r.Longest = max(r.Longest, micros(c.longest))
		r.addFaults(c.faults)
	}
	if run.PID == 0 {
		return
	}
	r.Server = &ServerReport{CPU: after.cpu - before.cpu, RSS: after.rss, PeakRSS: after.peak}
	if r.Requests > 0 {
		r.Server.CPUPer = r.Server.CPU / float64(r.Requests) * 100_000
	}
}

func (r *Report) addFaults(of map[Kind]*faults) {
	for kind, f := range of {
		if r.ByKind == nil {
			r.ByKind = map[Kind]*FaultReport{}
		}
		if r.ByKind[kind] == nil {
			r.ByKind[kind] = &FaultReport{First: f.first}
		}
		r.ByKind[kind].Count += f.count
		r.Errors += f.count
	}
}

func latencyOf(h *histogram) Latency {
	at := func(q float64) float64 { return micros(h.quantile(q)) }
	return Latency{at(0.5), at(0.9), at(0.99), at(0.999), micros(h.max)}
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
