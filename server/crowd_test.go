package server

import (
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"prax/server/edge"
)

// crowd is how many connections dawdle together.
const crowd = 1000 / effort

// TestCrowdOfSlowConnections: a thousand connections that send their headers or their body byte by byte, or do not
// read their answer, keep nobody else from an answer; each holds two goroutines at most and little memory, and
// loses its connection when its time is over, though its bytes keep coming. Not parallel: it counts goroutines.
func TestCrowdOfSlowConnections(t *testing.T) {
	if descriptors() < 3*crowd {
		t.Skipf("%d descriptors are not enough for both ends of %d connections: raise ulimit -n", descriptors(), crowd)
	}
	const limit = 3 * time.Second
	g := start(t, func(c *Config) {
		c.HeaderTimeout, c.BodyTimeout, c.WriteTimeout, c.MaxConns = limit, limit, limit, 2*crowd
		c.Edge = edge.New(edge.Config{MaxInFlight: crowd})
		c.MCP = dawdled
	})
	quiet, held := runtime.NumGoroutine(), heap()
	slow := g.dawdle()
	g.until("the slow bodies and answers", func() bool { return g.calls.Load() >= crowd*2/3 })
	if n := runtime.NumGoroutine() - quiet; n > 2*crowd+50 {
		t.Errorf("%d goroutines for %d connections", n, crowd)
	}
	if bytes := (heap() - held) / crowd; bytes > 64<<10 {
		t.Errorf("%d bytes a connection", bytes)
	}
	stop := drip(slow)
	defer stop()
	c := g.dial()
	for i := range 100 {
		c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 2", "", "{}")
		if got := c.reply(); got.status != 200 {
			t.Fatalf("request %d beside the crowd: %+v", i, got)
		}
	}
	_ = c.Close()
	g.until("the end of every slow connection", func() bool { return runtime.NumGoroutine() <= quiet+20 })
}

// dawdled answers a body at once, and where it is asked for much, with more than a connection holds unread.
func dawdled(w http.ResponseWriter, r *http.Request, _ *edge.Exchange) {
	if _, err := io.ReadAll(r.Body); err != nil || r.Header.Get("Much") == "" {
		return
	}
	piece := make([]byte, 4<<10)
	for {
		if _, err := w.Write(piece); err != nil {
			return
		}
	}
}

// dawdle opens the crowd: a third each is slow with its headers, its body and its reading.
func (g *rig) dawdle() (slow []*conn) {
	for i := range crowd {
		c := g.dial()
		head := []string{"POST /mcp HTTP/1.1", "Host: " + g.addr, good}
		switch i % 3 {
		case 0:
			c.send(strings.Join(head, "\r\n"), "X-Slow: ")
		case 1:
			c.send(append(head, "Content-Length: 100000", "", "[")...)
		case 2:
			_ = c.Conn.(*net.TCPConn).SetReadBuffer(4 << 10) // so that it is soon full
			c.send(append(head, "Much: yes", "Content-Length: 2", "", "{}")...)
		}
		slow = append(slow, c)
	}
	return slow
}

// drip sends a byte on every connection again and again, until it is told to stop.
func drip(slow []*conn) (stop func()) {
	quit := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			for _, c := range slow {
				_, _ = c.Write([]byte{'x'}) // the server may have closed it
			}
			select {
			case <-tick.C:
			case <-quit:
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		close(quit)
		group.Wait()
	})
}

// heap is what is held, in bytes.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
