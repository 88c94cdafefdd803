package tools

import (
	"context"

	"github.com/go-json-experiment/json"

	"prax/auth"
	"prax/auth/policy"
)

// The reasons for which an admission lets a call through that the caller itself could not make. They stand in the
// audit beside the attempt.
const (
	Granted  policy.Reason = "granted to the definition"
	Approved policy.Reason = "approved by a person"
)

// Dispatch is the pipeline of [Registry.Call] for a call that an attempt makes as the principal whose request caused it.
// What that principal may call itself it may call so too. Beyond that the admission lets through the one tool that it
// is for: a LOW or MEDIUM one when it is granted, any when it is approved. Nobody, an expired principal, a tool that
// is not there and one without a tier are refused whatever was admitted. The event of the call names the attempt.
func (r *Registry) Dispatch(ctx context.Context, asked *Call, a Admission) (*Result, error) {
	return r.call(ctx, asked, a)
}

// decide is the decision about a call with this admission. It turns a no into a yes for two reasons only, which
// policy gives last: by then the principal lives and the tool exists.
func (a Admission) decide(d policy.Decision, e *entry) policy.Decision {
	if d.OK || e == nil || d.Reason != policy.NotAllowed && d.Reason != policy.HighRisk || !a.admits(e) {
		return d
	}
	if a.approved {
		return policy.Decision{OK: true, Reason: Approved}
	}
	return policy.Decision{OK: true, Reason: Granted}
}

// admits tells whether it is for this tool and enough for its tier.
func (a Admission) admits(e *entry) bool {
	if a.attempt == "" || a.tool == "" || a.tool != e.tool.Name && a.tool != e.underscore {
		return false
	}
	switch tier := e.tool.Tier; {
	case tier == auth.High:
		return a.approved || admitHigh
	case tier.Exposable():
		return a.approved || a.granted
	}
	return false
}

// detail names the attempt for the audit.
func (a Admission) detail() string {
	if a.attempt == "" {
		return ""
	}
	raw, err := json.Marshal(map[string]string{"attempt": a.attempt})
	if err != nil {
		return ""
	}
	return string(raw)
}
