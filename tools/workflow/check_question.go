package workflow

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"prax/tools/workflow/expr"
)

// question asks what comes of guards for all that could be: it tries every combination of what can be told apart.
type question struct {
	c         *checker
	s         *State
	t         *Transition          // whose arguments are read; nil: nobody's
	can       func(slot int) mask  // what the slots can be
	callers   []Caller             // those who may take it; nil: anybody
	numbers   map[string][]float64 // more numbers that matter, by path
	seen      map[string]*seenPath // what the guards read
	order     []*seenPath
	leaves    map[string]bool // what the guards ask beside expressions
	leafOrder []string
	axes      []*axis
	usual     bool // only what is to be reckoned with
	inexact   bool // what is tried does not stand for all that can be

	env    *expr.Env
	truths map[string]bool
	held   map[string]*held // objects that are put together from several axes
}

// seenPath is how guards read a path.
type seenPath struct {
	path     expr.Path
	compared []expr.Comparison
	only     bool // exists is all that is asked
	tangled  bool // it may be compared with another path
}

// axis is one thing that can be in several ways.
type axis struct {
	name    string // for a sentence; "": it is not told
	slot    int    // -1: none
	choices []choice
	now     int
	hidden  func() bool // the choice says nothing now; nil: it always does
}

type choice struct {
	bit   mask
	value any
	says  says
	set   func()
}

// says is what a choice tells of its axis.
type says byte

const (
	nothing   says = iota
	isValue        // it is the value
	isNotSet       // there is none
	isMissing      // the same, of evidence
)

func (c choice) words() string {
	switch c.says {
	case isValue:
		return "is " + word(c.value)
	case isNotSet:
		return "is not set"
	case isMissing:
		return "is missing"
	}
	return ""
}

// held is an object with members that are chosen apart from each other.
type held struct {
	open  bool
	parts []*heldPart
	whole any // in place of parts
}

type heldPart struct {
	steps []string
	value any
	there bool
}

func (c *checker) ask(s *State, t *Transition, can func(slot int) mask) *question {
	return &question{
		c: c, s: s, t: t, can: can, seen: map[string]*seenPath{}, leaves: map[string]bool{},
		env: &expr.Env{
			Context: map[string]any{}, Arguments: map[string]any{}, Input: map[string]any{}, State: s.Name, Version: 1, ID: "wf",
		},
		truths: map[string]bool{}, held: map[string]*held{},
	}
}

// within makes a question that is asked for each answer of this one.
func (q *question) within(t *Transition, callers []Caller) *question {
	inner := q.c.ask(q.s, t, q.can)
	inner.callers = callers
	inner.env, inner.truths = q.env, q.truths
	return inner
}

// tangles finds two paths in one comparison, in the canonical form of a guard: what it does not find is none, what it
// finds may be one.
var tangles = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:==|!=|<=|>=|<|>|starts_with|contains|in) (?:\$|len\(\$)`)
})

// about takes in what guards read.
func (q *question) about(guards ...*Guard) *question {
	leaf(guards, func(g *Guard) {
		switch g.Kind {
		case GuardExpr:
			q.aboutExpr(g.Expr)
		case GuardPermission, GuardRole, GuardGuidance, GuardScript:
			q.leaf(leafKey(g))
		case GuardEvidence:
			for _, r := range g.Requires {
				if q.leaf("have " + r.Kind); !r.sure() {
					q.leaf(r.key())
				}
			}
		}
	})
	return q
}

func (q *question) leaf(key string) {
	if !q.leaves[key] {
		q.leaves[key] = true
		q.leafOrder = append(q.leafOrder, key)
	}
}

func leafKey(g *Guard) string { return string(g.Kind) + " " + g.Name }

func (q *question) aboutExpr(g expr.Guard) {
	paths, tested := g.Paths(), g.Tested()
	tangled := len(paths) > 1 && q.c.tangled(g.String())
	for _, p := range paths {
		s := q.see(p)
		s.tangled = s.tangled || tangled
		s.only = s.only && slices.ContainsFunc(tested, func(t expr.Path) bool { return t.String() == p.String() })
	}
	for _, one := range g.Compared() {
		s := q.see(one.Path)
		s.compared, s.only = append(s.compared, one), false
	}
}

func (c *checker) tangled(text string) bool {
	is, known := c.ties[text]
	if !known {
		is = tangles().MatchString(text)
		c.ties[text] = is
	}
	return is
}

func (q *question) see(p expr.Path) *seenPath {
	s, known := q.seen[p.String()]
	if !known {
		s = &seenPath{path: p, only: true}
		q.seen[p.String()] = s
		q.order = append(q.order, s)
	}
	return s
}

// maxCombinations bounds what one question tries.
const maxCombinations = 4096

// each visits every combination until the visitor has enough, and tells whether it could.
func (q *question) each(visit func() (more bool)) bool {
	total := 1
	for _, a := range q.axes {
		if total *= len(a.choices); total > maxCombinations {
			return false
		}
	}
	if total == 0 {
		return true
	}
	for _, a := range q.axes {
		a.take(0)
	}
	for visit() {
		n := 0
		for n < len(q.axes) && !q.axes[n].next() {
			n++
		}
		if n == len(q.axes) {
			break
		}
	}
	return true
}

func (a *axis) take(n int) {
	a.now = n
	a.choices[n].set()
}

// next takes the next choice, or the first again, and tells which.
func (a *axis) next() bool {
	n := a.now + 1
	if n == len(a.choices) {
		n = 0
	}
	a.take(n)
	return n > 0
}

// told words what holds now.
func (q *question) told() string {
	var words []string
	for _, a := range q.axes {
		if a.hidden != nil && a.hidden() {
			continue
		}
		if w := a.choices[a.now].words(); a.name != "" && w != "" {
			words = append(words, a.name+" "+w)
		}
	}
	return strings.Join(words, " and ")
}
