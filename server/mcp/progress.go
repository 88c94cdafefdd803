package mcp

import (
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/server/jsonrpc"
	"prax/tools"
)

// How often progress goes out: the first reports at once, further ones with a pause between them.
// What a tool reports faster is dropped, the next one says more anyway.
const (
	progressFree  = 32
	progressPause = 20 * time.Millisecond
)

// progress sends a running call's reports on its stream (MCP, utilities: progress). tools lets
// through only numbers that grow, one at a time, until the call has its result.
type progress struct {
	stream *stream
	token  jsontext.Value
	sent   int
	last   time.Time
	buf    []byte
}

func (p *progress) report(r tools.Progress) {
	now := time.Now()
	if p.sent >= progressFree && now.Sub(p.last) < progressPause {
		return
	}
	p.sent++
	p.last = now
	p.buf = p.appendParams(p.buf[:0], r)
	// A stream that is broken has told whom it concerns.
	_ = p.stream.send(jsonrpc.AppendNotification(nil, "notifications/progress", p.buf))
}

func (p *progress) appendParams(dst []byte, r tools.Progress) []byte {
	dst = append(dst, `{"progressToken":`...)
	dst = append(dst, p.token...)
	dst = append(dst, `,"progress":`...)
	dst = appendNumber(dst, r.Done)
	if r.Total > 0 && !math.IsInf(r.Total, 1) {
		dst = append(dst, `,"total":`...)
		dst = appendNumber(dst, r.Total)
	}
	if r.Message != "" {
		dst = append(dst, `,"message":`...)
		dst = jsonrpc.AppendString(dst, r.Message)
	}
	return append(dst, '}')
}

func appendNumber(dst []byte, f float64) []byte {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return strconv.AppendInt(dst, int64(f), 10)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}
