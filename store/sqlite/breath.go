package sqlite

import (
	"runtime"
	"time"
)

// With one processor, what the writer does for nobody in particular keeps all requests waiting. Go takes the processor from
// it after ten milliseconds, and to yield is not enough: what came from the network meanwhile is looked for when nothing else
// can run. So such work is done a little at a time, with breaths between.
const (
	breath      = 100 * time.Microsecond // some requests' time
	breathAfter = 32 << 10               // bytes written: about as long
)

var oneProcessor = runtime.GOMAXPROCS(0) == 1

// worked counts what was written while nobody waited for it, and takes a breath when that is due.
func (c *connection) worked(bytes int) {
	if !c.patient || !oneProcessor {
		return
	}
	if c.work += bytes; c.work >= breathAfter {
		c.work = 0
		time.Sleep(breath)
	}
}
