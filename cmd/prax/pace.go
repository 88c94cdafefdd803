package main

import (
	"os"
	"runtime/debug"
	"sync/atomic"
)

// aside is what a server may keep beside its clients, in bytes, before memory is dearer than collections.
// With half of it 100,000 clients take 3 MB less under load, and a list 10 % more of the processor.
const aside = 16 << 20

// least is what a server counts as keeping at least, in bytes. The 3 MB of a small one would be collected each hundred
// moves, which takes a tenth of their time; so it is 9 MB under load.
const least = 6 << 20

// unused is what is missing to least: counted by the collector, and never written, so that it is no memory.
var unused atomic.Pointer[[]byte]

// pace has garbage collected as if a registry of clients of so many bytes were not there, once a server
// keeps that much beside it. The registry holds no pointers and costs a collection nothing, so that Go's
// rule, to wait until the heap has doubled, would make every client count twice in memory for nothing.
// GOGC in the environment stands.
func pace(registry int) {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(percentFor(registry))
	missing := missingTo(registry)
	if was := unused.Load(); was == nil || len(*was) != missing { // one that is made anew may be written before
		room := make([]byte, missing)
		unused.Store(&room)
	}
}

func percentFor(registry int) int { return 100 * aside / (aside + registry) }

// missingTo is what is missing to least, in whole MB: a change of clients seldom changes it.
func missingTo(registry int) int { return max(0, least-registry) >> 20 << 20 }
