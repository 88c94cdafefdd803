package main

import (
	"os"
	"runtime/debug"
)

// aside is what a server may keep beside its clients, in bytes, before memory is dearer than collections.
// With half of it 100,000 clients take 3 MB less under load, and a list 10 % more of the processor.
const aside = 16 << 20

// pace has garbage collected as if a registry of clients of so many bytes were not there, once a server
// keeps that much beside it. The registry holds no pointers and costs a collection nothing, so that Go's
// rule, to wait until the heap has doubled, would make every client count twice in memory for nothing.
// GOGC in the environment stands.
func pace(registry int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percentFor(registry))
	}
}

func percentFor(registry int) int { return 100 * aside / (aside + registry) }
