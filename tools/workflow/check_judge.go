package workflow

import "fmt"

// judged is what became of a guard in one combination.
type judged byte

const (
	isFalse judged = iota
	isTrue
	isBroken // it cannot be judged: it does not hold, and neither does its opposite
)

// The kinds of evidence that a human executor makes.
const (
	humanRequest  = "human_request"
	humanApproval = "human_approval"
	humanAnswer   = "human_answer" // to ask_human
)

// all judges guards as the engine does: up to the first that does not hold.
func (q *question) all(guards []*Guard) judged {
	for _, g := range guards {
		if one := q.judge(g); one != isTrue {
			return one
		}
	}
	return isTrue
}

func (q *question) judge(g *Guard) judged {
	switch g.Kind {
	case GuardExpr:
		return q.expression(g)
	case GuardPermission, GuardRole, GuardGuidance, GuardScript:
		return judgedAs(q.truths[leafKey(g)])
	case GuardEvidence:
		return q.enough(g)
	case GuardAllOf:
		return q.all(g.Guards)
	case GuardAnyOf:
		return q.any(g)
	case GuardNot:
		return q.not(g)
	}
	return isBroken
}

func judgedAs(is bool) judged {
	if is {
		return isTrue
	}
	return isFalse
}

func (q *question) expression(g *Guard) judged {
	is, err := g.Expr.Eval(*q.env)
	if err != nil {
		return isBroken
	}
	return judgedAs(is)
}

func (q *question) any(g *Guard) judged {
	result := isFalse
	for _, inner := range g.Guards {
		switch q.judge(inner) {
		case isTrue:
			return isTrue
		case isBroken:
			result = isBroken
		}
	}
	return result
}

func (q *question) not(g *Guard) judged {
	if len(g.Guards) != 1 {
		return isBroken
	}
	switch q.judge(g.Guards[0]) {
	case isTrue:
		return isFalse
	case isBroken:
		return isBroken
	}
	return isTrue
}

// enough judges a guard that counts evidence.
func (q *question) enough(g *Guard) judged {
	if len(g.Requires) == 0 {
		return isBroken
	}
	for _, r := range g.Requires {
		if !q.truths["have "+r.Kind] || q.c.impossible(r) {
			return isFalse
		}
		if key := r.key(); !r.sure() && !q.truths[key] {
			return isFalse
		}
	}
	return isTrue
}

// sure tells whether any evidence of the kind is enough.
func (r Requirement) sure() bool {
	digest := !r.Digest || r.Kind == humanApproval || r.Kind == humanAnswer
	return r.need() == 1 && digest && r.MinConfidence == nil && !r.ExcludeStarter
}

// impossible tells whether no evidence of the kind can do: what comes of a person has no confidence, and a request
// has no digest.
func (c *checker) impossible(r Requirement) bool {
	human := r.Kind == humanRequest || r.Kind == humanApproval || r.Kind == humanAnswer
	return human && !c.foreign && (r.MinConfidence != nil || r.Digest && r.Kind == humanRequest)
}

// key names whether a requirement is met, when there is evidence of its kind.
func (r Requirement) key() string {
	confidence := -1.0
	if r.MinConfidence != nil {
		confidence = *r.MinConfidence
	}
	return fmt.Sprintf("enough %s %d %g %t %t %t", r.Kind, r.need(), confidence, r.Digest, r.Distinct, r.ExcludeStarter)
}

// reply is what a question found.
type reply struct {
	holds, fails bool         // in some combination
	unset        map[int]bool // slots that keep the guards from being judged where they are not set
	support      map[int]mask // what slots are where the guards hold
	complete     bool         // what was not found can not be
}

// answer judges guards in every combination. Where that is too much, everything is possible.
func (q *question) answer(judge func() judged) reply {
	r := reply{support: map[int]mask{}, unset: map[int]bool{}}
	tried := q.each(func() bool {
		switch judge() {
		case isTrue:
			r.holds = true
			for _, a := range q.axes {
				if a.slot >= 0 {
					r.support[a.slot] |= a.choices[a.now].bit
				}
			}
			return true
		case isBroken:
			for _, a := range q.axes {
				if a.slot >= 0 && a.choices[a.now].bit == unset && !q.c.slots[a.slot].evidence {
					r.unset[a.slot] = true
				}
			}
		}
		r.fails = true
		return true
	})
	if !tried {
		r.holds, r.fails = true, true
	}
	r.complete = tried && !q.inexact
	return r
}
