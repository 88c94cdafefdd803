package server

import (
	"maps"
	"slices"
	"time"
)

// RegistryFacts are those of clients.json.
type RegistryFacts struct {
	Generation uint64
	Clients    int       // admitted now
	Expiring   int       // of them, who will be out within a week
	FileOK     bool      // the file reads
	Loaded     time.Time // when one last came into force; zero: none did
}

// StoreFacts are those of the store's queue and files.
type StoreFacts struct {
	Queue    int    // changes that wait
	Busy     uint64 // changes that were refused
	Database int64  // bytes
	WAL      int64  // bytes
}

// WaitingFacts are what waits for somebody, of everybody.
type WaitingFacts struct {
	Attempts  map[string]int // by status
	Approvals int
	Oldest    time.Time // when the oldest approval was opened; zero: there is none
}

// DefinitionsFact is whether the file of definitions can be used.
type DefinitionsFact bool

// WritableFact is whether the store takes a write.
type WritableFact bool

func (f DefinitionsFact) write(t *text) { t.only(&definitionsFileOK, truth(bool(f))) }

func (f WritableFact) write(t *text) { t.only(&writable, truth(bool(f))) }

func (f RegistryFacts) write(t *text) {
	t.only(&registryGeneration, float64(f.Generation))
	t.only(&registryClients, float64(f.Clients))
	t.only(&registryExpiring, float64(f.Expiring))
	t.only(&registryFileOK, truth(f.FileOK))
	loaded := 0.0
	if !f.Loaded.IsZero() {
		loaded = float64(f.Loaded.UnixMilli()) / 1000
	}
	t.only(&registryLoaded, loaded)
}

func (f StoreFacts) write(t *text) {
	t.only(&queueLength, float64(f.Queue))
	t.only(&busyTotal, float64(f.Busy))
	t.only(&databaseBytes, float64(f.Database))
	t.only(&walBytes, float64(f.WAL))
}

func (f WaitingFacts) write(t *text) {
	t.open(&attempts)
	for _, status := range slices.Sorted(maps.Keys(f.Attempts)) {
		t.sample(attempts.name, float64(f.Attempts[status]), "status", status)
	}
	t.only(&approvalsOpen, float64(f.Approvals))
	age := 0.0
	if !f.Oldest.IsZero() {
		age = max(time.Since(f.Oldest).Seconds(), 0)
	}
	t.only(&approvalsOldest, age)
}
