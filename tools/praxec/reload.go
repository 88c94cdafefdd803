package praxec

import "strconv"

// reloaded is the answer to a reload.
type reloaded struct {
	Status      string `json:"status"`
	Reason      string `json:"reason,omitzero"`
	Error       string `json:"error,omitzero"`
	Definitions int    `json:"definitions"`
	Tools       int    `json:"tools"`
	Digest      string `json:"digest,omitzero"`
	Links       []link `json:"links"`
}

// reload has the configuration read again, for who may. For anybody else there is no such thing.
func (q *request) reload() (any, error) {
	if q.Reload == nil || !q.p.Permissions.Has(Reload) && !q.p.Operates() {
		return q.refuse(codeNoReload, "This runtime has no reload.", "the configuration is read again by itself when its files change", q.homeLink()), nil
	}
	s := q.Reload()
	answer := reloaded{Status: "reloaded", Definitions: s.Definitions, Tools: s.Tools, Links: []link{q.homeLink()}}
	if s.Digest != "" {
		answer.Digest = "sha256:" + s.Digest
	}
	if !s.OK {
		answer.Status, answer.Reason = failed, "load_error"
		answer.Error = "the configuration has " + strconv.Itoa(len(s.Problems)) + " problems, and the last good one stays in force: the log and prax check tell them"
	}
	return answer, nil
}
