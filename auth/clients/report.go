package clients

import (
	"cmp"
	"slices"
)

// Report is what one reading of the file found. It holds no secret.
type Report struct {
	Path      string    `json:"path,omitzero"`
	Digest    string    `json:"digest,omitzero"` // SHA-256 of a file that reads, in hex
	OK        bool      `json:"ok"`              // the file could be read as a registry, or there is none to read
	Unchanged bool      `json:"unchanged"`       // it is what was in force already
	Clients   int       `json:"clients"`         // admitted now, the single-token client included
	Refused   int       `json:"refused"`         // entries that are out for an error
	Expired   int       `json:"expired"`         // entries that are out by their expiry
	Disabled  int       `json:"disabled"`        // entries switched off
	Plain     int       `json:"plain,omitzero"`  // entries whose token stands in the file itself
	Waiting   int       `json:"waiting"`         // entries none of whose tokens is good yet
	Errors    int       `json:"errors"`
	Warnings  int       `json:"warnings"`
	Fails     bool      `json:"fails"`    // whether a check should end as failed
	Problems  []Problem `json:"problems"` // at most 1,000 errors and 1,000 warnings, in the order of the file
}

// problemCap bounds the problems of one severity that a report keeps: a file of 64 MiB could have
// millions. All are counted.
const problemCap = 1000

// note adds a problem.
func (r *Report) note(p Problem) {
	count := &r.Warnings
	if p.IsError() {
		count = &r.Errors
	}
	*count++
	r.Fails = r.Fails || p.FailsCheck()
	if *count <= problemCap {
		r.Problems = append(r.Problems, p)
	}
}

// Omitted is how many problems were counted and not kept.
func (r *Report) Omitted() int { return r.Errors + r.Warnings - len(r.Problems) }

// read tells whether the file could be read at all, whatever stands in it. For want of descriptors or
// memory it cannot, and may be read later though nobody changes it.
func (r *Report) read() bool {
	return !slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.Code == FileUnreadable })
}

func (r *Report) sort() {
	slices.SortStableFunc(r.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
