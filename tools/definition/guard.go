package definition

import (
	"errors"
	"strconv"
	"strings"

	"prax/tools"
	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// condition is a guard in its stored form.
type condition struct {
	Kind       string   `json:"kind"`
	Permission string   `json:"permission"`
	Role       string   `json:"role"`
	Expr       string   `json:"expr"`
	Requires   []*value `json:"requires"`
	Guards     []*value `json:"guards"`
	Guard      *value   `json:"guard"`
	Subject    string   `json:"subject"`
}

// guardKeys are the kinds, and the key that each has.
var guardKeys = map[string]string{
	string(workflow.GuardPermission): "permission",
	string(workflow.GuardRole):       "role",
	string(workflow.GuardExpr):       "expr",
	"jsonpath":                       "expr", // as praxec spelled it once
	string(workflow.GuardEvidence):   "requires",
	string(workflow.GuardAllOf):      "guards",
	string(workflow.GuardAnyOf):      "guards",
	string(workflow.GuardNot):        "guard",
	string(workflow.GuardGuidance):   "subject",
	string(workflow.GuardScript):     "subject",
}

var guardKinds = []string{
	string(workflow.GuardAllOf), string(workflow.GuardAnyOf), string(workflow.GuardEvidence), string(workflow.GuardExpr),
	string(workflow.GuardGuidance), string(workflow.GuardNot), string(workflow.GuardPermission), string(workflow.GuardRole),
	string(workflow.GuardScript),
}

// guards compiles those of a list. What comes of one that is wrong never holds.
func (b *builder) guards(list []*value, at string, roots expr.Roots) []*workflow.Guard {
	var made []*workflow.Guard
	for i, one := range list {
		made = append(made, b.guard(one, item(at, i), roots))
	}
	return made
}

// condition compiles a guard that may also be written as its expression alone.
func (b *builder) condition(v *value, at string, roots expr.Roots) *workflow.Guard {
	if v.kind == '"' {
		return &workflow.Guard{Kind: workflow.GuardExpr, Expr: b.expression(v.text, at, roots)}
	}
	return b.guard(v, at, roots)
}

func (b *builder) guard(v *value, at string, roots expr.Roots) *workflow.Guard {
	never := &workflow.Guard{Kind: workflow.GuardAnyOf}
	kind := v.find("kind")
	switch {
	case !b.is(v, at, '{'):
		return never
	case kind == nil:
		b.about(InvalidGuardKind, at, "has no kind: known are "+strings.Join(guardKinds, ", "))
		return never
	case !b.is(kind, at+"/kind", '"'):
		return never
	}
	key, known := guardKeys[kind.text]
	if !known {
		b.about(InvalidGuardKind, at+"/kind", "is "+strconv.Quote(shown(kind.text))+nearKind(kind.text)+": known are "+strings.Join(guardKinds, ", "))
		return never
	}
	var read condition
	if !b.only(v, at, "kind", key) || !b.read(v, at, &read) {
		return never
	}
	if v.find(key) == nil {
		b.missing(at, key, "a guard of kind "+kind.text+" is nothing without")
		return never
	}
	return b.guardOf(&read, at, roots)
}

func nearKind(text string) string {
	if near := tools.Nearest(text, guardKinds); near != "" {
		return ", perhaps for " + strconv.Quote(near)
	}
	return ""
}

// guardOf compiles one whose keys fit its kind.
func (b *builder) guardOf(read *condition, at string, roots expr.Roots) *workflow.Guard {
	g := &workflow.Guard{Kind: workflow.GuardKind(read.Kind)}
	switch g.Kind {
	case workflow.GuardPermission, workflow.GuardRole:
		if g.Name = read.Permission + read.Role; strings.TrimSpace(g.Name) == "" {
			b.about(BadValue, at+"/"+read.Kind, "is empty")
		}
	case workflow.GuardGuidance, workflow.GuardScript:
		g.Name = read.Subject
		b.acknowledged(g, at+"/subject")
	case workflow.GuardEvidence:
		g.Requires = b.requirements(read.Requires, at+"/requires")
	case workflow.GuardNot:
		g.Guards = []*workflow.Guard{b.guard(read.Guard, at+"/guard", roots)}
	case workflow.GuardAllOf, workflow.GuardAnyOf:
		if len(read.Guards) == 0 {
			b.about(BadValue, at+"/guards", "is empty")
		}
		g.Guards = b.guards(read.Guards, at+"/guards", roots)
	default:
		g.Kind = workflow.GuardExpr
		g.Expr = b.expression(read.Expr, at+"/expr", roots)
	}
	return g
}

// acknowledged checks that the subject can be described.
func (b *builder) acknowledged(g *workflow.Guard, at string) {
	if b.library == nil {
		return // a capability by itself: its workflows are asked
	}
	found := b.library[g.Name]
	switch {
	case found == nil:
		b.about(UnknownName, at, "is no skill and no script: "+strconv.Quote(shown(g.Name)))
	case found.Script != (g.Kind == workflow.GuardScript):
		b.about(BadValue, at, "is of the other kind: guidance_acknowledged is for skills, script_acknowledged for scripts")
	}
}

// requirement is what an evidence guard counts, in its stored form.
type requirement struct {
	Kind          string   `json:"kind"`
	Count         *int     `json:"count"`
	MinConfidence *float64 `json:"min_confidence"`
	RequireDigest bool     `json:"require_digest"`
	Distinct      string   `json:"distinct"`
	Exclude       string   `json:"exclude"`
}

// maxEvidence bounds the count of a requirement.
const maxEvidence = 10_000

func (b *builder) requirements(list []*value, at string) (made []workflow.Requirement) {
	if len(list) == 0 {
		b.about(BadValue, at, "is empty: say which kinds of evidence there must be")
	}
	for i, one := range list {
		made = append(made, b.requirement(one, item(at, i)))
	}
	return made
}

func (b *builder) requirement(v *value, at string) workflow.Requirement {
	if v.kind == '"' {
		v = objectValue(v.place, member{v.place, "kind", v})
	}
	var read requirement
	b.read(v, at, &read)
	if read.Kind == "" {
		b.missing(at, "kind", "say which kind of evidence")
	}
	if c := read.MinConfidence; c != nil && !(*c >= 0 && *c <= 1) {
		b.about(BadValue, at+"/min_confidence", "must be 0 to 1")
	}
	b.oneOf(at+"/distinct", read.Distinct, "principal")
	b.oneOf(at+"/exclude", read.Exclude, "starter")
	return workflow.Requirement{
		Kind: read.Kind, Count: b.number(read.Count, at+"/count", 1, maxEvidence, 1), MinConfidence: read.MinConfidence,
		Digest: read.RequireDigest, Distinct: read.Distinct != "", ExcludeStarter: read.Exclude != "",
	}
}

// expression parses one. What comes of one that is wrong never holds.
func (b *builder) expression(text, at string, roots expr.Roots) expr.Guard {
	g, err := expr.ParseGuard(text, roots)
	if err == nil {
		return g
	}
	code := InvalidGuardExpr
	if syntax := (*expr.Error)(nil); errors.As(err, &syntax) && syntax.Scope {
		code = UnresolvableGuard
	}
	b.about(code, at, "cannot be read "+err.Error())
	return expr.Guard{}
}

// template parses one.
func (b *builder) template(text, at string) expr.Template {
	t, err := expr.ParseTemplate(text, inInstance)
	if err != nil {
		b.about(BadTemplate, at, "cannot be read "+err.Error())
	}
	return t
}
