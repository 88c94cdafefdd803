package praxec

import (
	"context"
	"strings"

	"prax/store"
	"prax/tools"
)

// The kinds that a query can be about.
const (
	kindWorkflow   = "workflow"
	kindCapability = "capability"
	kindConnection = "connection"
	kindInstance   = "instance"
	kindLexicon    = "lexicon"
	kindSkill      = "skill"
	kindScript     = "script"
)

// lexiconPrefix is the one namespace of subjects that means something.
const lexiconPrefix = "lexicon:"

// query answers praxec.query: the first shape that matches is meant.
func (q *request) query(ctx context.Context) (any, error) {
	members, err := q.call.Members()
	if err != nil {
		return nil, err
	}
	if id := onlyWorkflow(members); id != nil { // as most queries are
		return q.get(ctx, string(id))
	}
	a, invalid := readQuery(members)
	switch {
	case a.kind != nil && !q.knows(*a.kind):
		return nil, q.unknownKind(*a.kind)
	case invalid != nil:
		return refused{Error: invalid, Links: []link{q.homeLink(), q.searchLink()}}, nil
	}
	if body, done, err := q.byKind(ctx, a); done {
		return body, err
	}
	if a.approvals || a.observe || a.since != nil || a.definitionID != nil {
		return q.queryAlone(ctx, a)
	}
	return q.queryShape(ctx, a)
}

// onlyWorkflow is the id of the workflow that is all that a query says, and says well; nil: it says something else.
func onlyWorkflow(members []tools.Member) []byte {
	if len(members) != 1 || string(members[0].Name) != "workflowId" || members[0].Value.Kind() != '"' {
		return nil
	}
	if id := unquoted(members[0].Value); len(id) <= maxTerm {
		return id
	}
	return nil
}

// knows tells whether a kind exists for callers.
func (q *request) knows(kind string) bool {
	switch kind {
	case kindWorkflow, kindCapability, kindConnection, kindInstance, kindLexicon:
		return true
	case kindSkill:
		return q.settings.SkillsSearch
	case kindScript:
		return q.settings.ScriptsSearch
	}
	return false
}

// byKind answers what a kind alone decides, and lookups in the lexicon.
func (q *request) byKind(ctx context.Context, a *asked) (body any, done bool, err error) {
	switch or(a.kind, "") {
	case kindSkill, kindScript:
		body, err = q.listGuidance(a)
		return body, true, err
	case kindLexicon:
		body, err = q.searchLexicon(ctx, a)
		return body, true, err
	case kindInstance:
		if a.aboutOne() || a.definitionID != nil || a.approvals || a.observe || a.since != nil {
			return q.ambiguousQuery(), true, nil
		}
		body, err = q.listInstances(ctx, a)
		return body, true, err
	}
	term, is := strings.CutPrefix(or(a.subject, ""), lexiconPrefix)
	if !is || a.query != nil || a.workflowID != nil || a.transition != nil {
		return nil, false, nil
	}
	body, err = q.lookup(ctx, term)
	return body, true, err
}

// aboutOne tells whether one thing is named.
func (a *asked) aboutOne() bool {
	return a.subject != nil || a.workflowID != nil || a.transition != nil
}

// queryAlone answers shapes that stand alone.
func (q *request) queryAlone(ctx context.Context, a *asked) (any, error) {
	named := a.aboutOne() || a.query != nil
	switch {
	case named, a.observe && (a.approvals || a.definitionID != nil), a.since != nil && !a.observe, a.approvals && a.definitionID != nil:
		return q.ambiguousQuery(), nil
	case a.observe:
		return q.observe(ctx, a)
	case a.approvals:
		return q.approvals(ctx, a)
	}
	return q.readDefinition(*a.definitionID)
}

// queryShape answers the other shapes.
func (q *request) queryShape(ctx context.Context, a *asked) (any, error) {
	switch {
	case a.query != nil && a.aboutOne():
		return q.ambiguousQuery(), nil
	case a.query != nil:
		return q.search(a)
	case a.transition != nil && (a.subject != nil || a.workflowID == nil):
		return q.ambiguousQuery(), nil
	case a.subject != nil && a.workflowID != nil:
		return q.describeWithin(ctx, *a.subject, *a.workflowID)
	case a.subject != nil:
		return q.describe(ctx, *a.subject)
	case a.transition != nil:
		return q.explain(ctx, *a.workflowID, *a.transition)
	case a.workflowID != nil:
		return q.get(ctx, *a.workflowID)
	}
	return q.home(), nil
}

// page is how many results are asked for, within bounds.
func (a *asked) page(usual, most int) int {
	if a.limit == nil || *a.limit == 0 {
		return usual
	}
	return int(min(*a.limit, int64(most)))
}

// maxHits bounds a search.
const maxHits = store.MaxPage
