package definition

import "time"

// grace is how long the path may lead nowhere before what it defined is withdrawn: some save by removing first. A
// start without it would have nothing either.
const grace = time.Second

// gone tells whether there has been nothing at the path for long enough, with a set of it still in force.
func (s *Source) gone(r *reading) bool {
	if !r.missing() {
		s.missing = time.Time{}
		return false
	}
	now := s.config.Now()
	if s.missing.IsZero() {
		s.missing = now
	}
	return now.Sub(s.missing) >= grace && s.Status().Digest != ""
}

// missing tells whether there was nothing at the path itself. A file that another includes is only a mistake of that one.
func (r *reading) missing() bool {
	return len(r.errors) == 1 && r.errors[0].Code == FileMissing && r.errors[0].File == r.path
}

// withdraw makes the empty set the next one.
func (s *Source) withdraw(next *state, r *reading) {
	next.status.OK, next.status.Problems = false, r.all(r.names)
	if err := s.config.Apply(&Set{}); err != nil {
		next.status.Problems = append(next.status.Problems, Problem{Code: Refused, File: r.path, Text: err.Error()})
		return
	}
	next.set = nil
	next.status.Tools, next.status.Definitions, next.status.Digest, next.status.Loaded = 0, 0, "", time.Time{}
}
