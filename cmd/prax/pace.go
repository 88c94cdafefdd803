package main

import (
	"runtime/debug"
	"runtime/metrics"
)

// aside is about what a server keeps beside its clients, in bytes: as much as it may allocate between two
// collections.
const aside = 6 << 20

// pace has garbage collected as often as a registry of clients of so many bytes were not there. It holds no
// pointers and costs a collection nothing, so that Go's rule, to wait until the heap has doubled, would
// make every client count twice in memory for nothing. GOGC of an operator's own stands.
func pace(registry int) {
	if ownGOGC {
		return
	}
	debug.SetGCPercent(percentFor(registry))
}

func percentFor(registry int) int { return 100 * aside / (aside + registry) }

var ownGOGC = func() bool {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64() != 100
}()
