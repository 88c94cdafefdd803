package sqlite

import (
	"log/slog"
	"time"

	"prax/store"
)

// Config says where a store is and how it behaves. Only Dir is needed.
type Config struct {
	Dir string // the data directory: made when its parent exists

	Log      *slog.Logger     // nil: nothing is logged
	Now      func() time.Time // nil: time.Now
	Quota    store.Quota      // zero members: store.DefaultQuota
	MaxPages int              // of 4 KiB, for the whole database; 0: as many as the disk has

	BlockEvery time.Duration // how long Record's events may wait; 0: 200 ms
	HeadEvery  time.Duration // how often the head is signed at most, after a pause within a second; 0: a minute
	ReadLimit  time.Duration // how long a search or a list may take; 0: 10 s
	WALLimit   int64         // bytes of log beyond which it is folded back; 0: 16 MiB
	Memory     int64         // bytes of instances that are kept to be read; 0: 16 MiB, negative: none

	Observe Observer // nil: nobody
}

// Observer is told what the writer does, for metrics. The writer itself tells it: it must not wait.
type Observer interface {
	// Committed: functions of so many callers are on the disk by one commit, which took so long by itself.
	Committed(functions int, took time.Duration)

	// Failed: a transaction died, and nothing of it was kept.
	Failed()
}

// unobserved is told for nobody.
type unobserved struct{}

func (unobserved) Committed(int, time.Duration) {}
func (unobserved) Failed()                      {}

const (
	maxQueue = 4 * maxBatch // of all clients together
	maxBatch = 256
	maxYield = 4 // looks at the queue before a commit

	blockCalls     = 512
	blockBytes     = 256 << 10 // recorded events that are flushed at once
	maxRecordBytes = 64 << 20  // recorded events that may wait while the store cannot write
	idleAfter      = 5 * time.Second
)

func (c Config) withDefaults() Config {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Quota = c.Quota.WithDefaults()
	if c.BlockEvery == 0 {
		c.BlockEvery = 200 * time.Millisecond
	}
	if c.HeadEvery == 0 {
		c.HeadEvery = time.Minute
	}
	if c.ReadLimit == 0 {
		c.ReadLimit = 10 * time.Second
	}
	if c.WALLimit == 0 {
		c.WALLimit = 16 << 20
	}
	if c.Memory == 0 {
		c.Memory = 16 << 20
	}
	if c.Observe == nil {
		c.Observe = unobserved{}
	}
	return c
}
