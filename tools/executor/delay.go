package executor

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/tools"
	"prax/tools/workflow/expr"
)

// delay is how long a round takes: a number of milliseconds, or an argument times a factor. The deadline of
// the call bounds it either way.
type delay struct {
	fixed  float64 // milliseconds
	path   expr.Path
	factor float64
}

// maxDelay bounds a delay, in milliseconds.
const maxDelay = float64(24 * time.Hour / time.Millisecond)

func (c *compiling) delay(raw jsontext.Value, at string) (d delay) {
	if raw == nil {
		return d
	}
	if raw.Kind() == '0' {
		if err := json.Unmarshal(raw, &d.fixed); err != nil || !isDelay(d.fixed) {
			c.refuse(at, "must be milliseconds, at least 0 and at most a day")
		}
		return d
	}
	given := struct {
		Path   string  `json:"path"`
		Factor float64 `json:"factor"`
	}{Factor: 1}
	if raw.Kind() != '{' || json.Unmarshal(raw, &given, json.RejectUnknownMembers(true)) != nil {
		c.refuse(at, "must be a number of milliseconds, or {path, factor} with a path as $.arguments.seconds and a number that it is multiplied by")
		return d
	}
	p, err := parsePath(given.Path)
	if err != nil {
		c.refuse(at+"/path", err.Error())
	}
	if given.Factor <= 0 || given.Factor > maxDelay {
		c.refuse(at+"/factor", "must be more than 0, and at most a day in milliseconds")
	}
	return delay{path: p, factor: given.Factor}
}

func isDelay(ms float64) bool { return ms >= 0 && ms <= maxDelay }

// delay is the time that a round takes for these arguments. An argument that is not there asks for none.
func (f *filling) delay(d delay) (time.Duration, error) {
	ms := d.fixed
	if !d.path.IsZero() {
		v, _ := d.path.Of(f.env)
		if v == nil {
			return 0, nil
		}
		n, ok := v.(float64)
		if ms = n * d.factor; !ok || !isDelay(ms) {
			return 0, tools.Errorf(tools.CodeInvalidArguments, "%s must be a number from 0 to %g", d.path, maxDelay/d.factor)
		}
	}
	return time.Duration(ms * float64(time.Millisecond)), nil
}

// step is one report of progress: done, and of how much.
type step = [2]float64

func (c *compiling) progress(list [][]float64, at string) (steps []step) {
	last := math.Inf(-1)
	for i, one := range list {
		here := fmt.Sprintf("%s/%d", at, i)
		switch {
		case len(one) != 2:
			c.refuse(here, "must be two numbers: done, and of how much")
			continue
		case one[0] <= last:
			c.refuse(here, "must be further than the report before")
		case one[1] < 0:
			c.refuse(here, "must be of 0 (not known) or more")
		}
		last = one[0]
		steps = append(steps, step(one))
	}
	return steps
}

// pace reports steps of progress spread evenly over a time, the first at once and the last at its end. It
// returns early with the context's error.
func pace(ctx context.Context, steps []step, over time.Duration, report func(tools.Progress)) error {
	start := time.Now()
	gaps := time.Duration(max(1, len(steps)-1))
	for i, s := range steps {
		if err := until(ctx, start.Add(over/gaps*time.Duration(i))); err != nil {
			return err
		}
		report(tools.Progress{Done: s[0], Total: s[1]})
	}
	return until(ctx, start.Add(over))
}

func until(ctx context.Context, at time.Time) error {
	left := time.Until(at)
	if left <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
