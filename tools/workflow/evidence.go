package workflow

// evidence judges a guard that counts what happened. When everything would do but for the demand of a digest, or of
// a confidence, it says so.
func (v *view) evidence(g *Guard) verdict {
	for _, r := range g.Requires {
		if v.count(r) >= r.need() {
			continue
		}
		return v.shortage(g, r)
	}
	if len(g.Requires) == 0 {
		return broken(g)
	}
	return passed
}

func (r Requirement) need() int { return max(r.Count, 1) }

func (v *view) shortage(g *Guard, r Requirement) verdict {
	undemanding, unsure := r, r
	undemanding.Digest, unsure.MinConfidence = false, nil
	switch {
	case r.Digest && v.count(undemanding) >= r.need():
		return verdict{code: DigestRequired, reason: "the guard of kind evidence counts only what has a digest"}
	case r.MinConfidence != nil && v.count(unsure) >= r.need():
		return verdict{code: ConfidenceLow, reason: "the guard of kind evidence counts only what is confident enough"}
	}
	return holds(false, g)
}

// byStarter tells whether evidence may be by the one who started the instance: by that client, by another one of its
// user, as an agent and its person are, or by nobody knows whom.
func (v *view) byStarter(e Evidence) bool {
	return e.Client == v.i.Client || e.Client == "" || e.User == v.i.User
}

// count is how many pieces of evidence meet a requirement.
func (v *view) count(r Requirement) int {
	n := 0
	var users map[string]bool
	for _, e := range v.i.Evidence {
		if !v.meets(e, r) {
			continue
		}
		if r.Distinct {
			if e.User == "" || users[e.User] {
				continue
			}
			if users == nil {
				users = map[string]bool{}
			}
			users[e.User] = true
		}
		n++
	}
	return n
}

func (v *view) meets(e Evidence, r Requirement) bool {
	switch {
	case e.Kind != r.Kind, r.Digest && e.Digest == "":
		return false
	case r.MinConfidence != nil && (e.Confidence == nil || *e.Confidence < *r.MinConfidence):
		return false
	case r.ExcludeStarter && v.byStarter(e):
		return false
	}
	return true
}
