package auth

import "math"

// The bounds of a [Rate]. A slower one would be a client that is out, which `disabled` says better; a faster one is none.
const (
	LeastPerSecond = 0.001
	MostPerSecond  = 1_000_000
	MostBurst      = 1_000_000
	MostInFlight   = 1_000_000
)

// Rate is how much one client may ask for. What is zero is not said: the server's own stands.
type Rate struct {
	PerSecond float64 `json:"per_second,omitzero"` // requests a second, over time; each element of a batch is one
	Burst     int     `json:"burst,omitzero"`      // requests that may come at once; said wherever PerSecond is
	InFlight  int     `json:"in_flight,omitzero"`  // requests worked on at a time
}

// UsualBurst is the burst of a rate that names none: what comes in a second, and one at least.
func UsualBurst(perSecond float64) int { return max(1, int(math.Ceil(perSecond))) }
