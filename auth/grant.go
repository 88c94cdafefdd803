package auth

import "time"

// Grant is what a signed token says, once its signature was verified. It stands for its client until it lapses,
// and may narrow what that client has. It is not changed once it was made.
type Grant struct {
	ID        string // of the token: for the log, and to revoke it by
	Client    string
	User      string
	Epoch     int64 // of the client, when the token was made
	Expires   time.Time
	Allow     Narrowing // tool names
	Workflows Narrowing // definition ids and x.* patterns
}

// Narrowing is a list that leaves of what somebody has only what stands in it. The zero value leaves
// everything; an empty list that is given leaves nothing.
type Narrowing struct {
	Given bool
	Names []string
}

// NextEpoch is the number that ends the tokens of one: higher than it, and, by the clock, than whatever has been given
// out until now, also by a process that went on from a copy of what this one knows.
func NextEpoch(number int64, now time.Time) int64 { return max(number+1, now.UnixMilli()) }
