package tools

import "time"

// Observer is told of calls, for metrics.
type Observer interface {
	// Tool gives whom to tell of each call of a tool of the catalogue, and for "" of calls of what is no tool: with one of
	// the outcomes, and how long the call took. It is told from many goroutines, and must not wait. It is asked whenever a
	// tool comes into force, for the same name again and again.
	Tool(name string) func(outcome string, took time.Duration)
}

// told is told of the calls of one tool; nil: nobody is.
type told func(outcome string, took time.Duration)

func (c *Config) tell(name string) told {
	if c.Observe == nil {
		return nil
	}
	return c.Observe.Tool(name)
}

// tell tells of a call that has ended.
func (r *Registry) tell(e *entry, outcome string, start time.Time) {
	to := r.unknown
	if e != nil {
		to = e.told
	}
	if to != nil {
		to(outcome, r.config.Now().Sub(start))
	}
}
