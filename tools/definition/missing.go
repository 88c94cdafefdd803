package definition

import "time"

// grace is how long a file may be missing before its tools are withdrawn: some save by removing first. A
// start without the file would not have them either.
const grace = time.Second

// gone tells whether the file has been missing for long enough, with tools of it still in force.
func (s *Source) gone(p *Problem) bool {
	if p == nil || p.Code != FileMissing {
		s.missing = time.Time{}
		return false
	}
	now := s.config.Now()
	if s.missing.IsZero() {
		s.missing = now
	}
	return now.Sub(s.missing) >= grace && s.Status().Digest != ""
}

// withdraw makes no tools the next ones.
func (s *Source) withdraw(next *state, why Problem) {
	next.status.OK, next.status.Problems = false, Problems{why}
	if err := s.config.Apply(nil); err != nil {
		next.status.Problems = append(next.status.Problems, Problem{Code: Refused, File: why.File, Text: err.Error()})
		return
	}
	next.tools = nil
	next.status.Tools, next.status.Digest, next.status.Loaded = 0, "", time.Time{}
}
