package workflow

import (
	"strconv"

	"prax/tools/workflow/expr"
)

// checker is one check of a definition.
//
// Its nodes are the states by their position, and behind them one more for each state with an onEnter: the moment in
// which that is entered.
type checker struct {
	d     *Definition
	w     World
	index map[string]int // states by name
	entry []int          // the node that leads into each state: its own, or that of its onEnter
	nodes []int          // the state of each node
	edges []*edge
	out   [][]*edge // by node
	start int
	auto  [][]*Transition // of each state: what the server takes by itself

	slots    []*slot
	slotIDs  map[string]int
	puts     []*put
	byAction map[*Action][]*put
	schemas  map[*Schema]any // decoded
	foreign  bool            // something runs whose evidence is not known beforehand
	ties     map[string]bool // texts of guards, and whether paths may be compared in them with each other

	visible  []map[int]mask               // what slots can be at a node, for those that are read there
	reached  []bool                       // nodes
	parent   []*edge                      // by which a node was reached first
	never    map[*Transition]int          // which guard never holds; -1: all of them together
	needed   map[*Transition]map[int]mask // what slots must be for the guards to hold
	offs     int                          // edges that are off
	changed  map[int][]int                // slots, by the edge that writes or removes them
	readings []reading

	endless   bool                  // no state is terminal
	finishes  []bool                // nodes from which transitions lead to the end
	patient   []bool                // nodes from which the timeout does
	awaited   map[int][]*Transition // of the state awaitedIn: by slot, whose guards read it
	awaitedIn int
	flagged   []bool // states of which it was said that the server may find nothing to choose

	errors, warnings []Finding
}

// edge is one way in which an instance can come from a node to another.
type edge struct {
	id       int
	from, to int
	kind     edgeKind
	t        *Transition // nil for late and enters
	branch   int         // of t; len(t.Branches) for its target
	off      bool        // it can never be taken
}

type edgeKind byte

const (
	moves  edgeKind = iota // a transition does what it is for
	stays                  // the state's while keeps the state
	asking                 // a person is asked, and the state stays
	late                   // the timeout
	enters                 // an onEnter
)

func newChecker(d *Definition, w World) *checker {
	c := &checker{
		d: d, w: w, index: make(map[string]int, len(d.States)), slotIDs: map[string]int{},
		schemas: map[*Schema]any{}, ties: map[string]bool{}, never: map[*Transition]int{},
		byAction: map[*Action][]*put{}, needed: map[*Transition]map[int]mask{}, changed: map[int][]int{},
		flagged: make([]bool, len(d.States)),
	}
	for i, s := range d.States {
		if _, twice := c.index[s.Name]; !twice {
			c.index[s.Name] = i
		}
	}
	return c
}

// closed tells whether everything leads to a state that exists.
func (c *checker) closed() bool {
	known := len(c.errors)
	c.leads("", "", "the definition begins in", c.d.Initial, pointer("initialState"))
	if c.d.OnTimeout != "" {
		c.leads("", "", "the timeout leads to", c.d.OnTimeout, pointer("onTimeout", "target"))
	}
	for _, s := range c.d.States {
		for _, t := range s.Transitions {
			says := "the transition " + t.Name + " of the state " + s.Name + " leads to"
			c.leads(s.Name, t.Name, says, t.Target, t.pointer(s, "target"))
			for n, b := range t.Branches {
				c.leads(s.Name, t.Name, says, b.Target, t.pointer(s, "branches", strconv.Itoa(n), "target"))
			}
		}
	}
	for _, f := range c.errors[known:] {
		if f.Code == UnknownState {
			return false
		}
	}
	return true
}

func (c *checker) leads(state, transition, says, target, at string) {
	if _, known := c.index[target]; known {
		return
	}
	c.add(Finding{
		Code: UnknownState, Severity: SeverityError, State: state, Transition: transition, Pointer: at,
		Text: says + " " + strconv.Quote(clip(target)) + ", which is no state",
	})
}

// connect lays the nodes and the edges.
func (c *checker) connect() {
	n := len(c.d.States)
	c.entry, c.nodes = make([]int, n), make([]int, n, 2*n)
	for i, s := range c.d.States {
		c.nodes[i], c.entry[i] = i, i
		if s.OnEnter != nil {
			c.entry[i] = len(c.nodes)
			c.nodes = append(c.nodes, i)
		}
	}
	c.out, c.auto = make([][]*edge, len(c.nodes)), make([][]*Transition, n)
	for i, s := range c.d.States {
		if c.entry[i] != i {
			c.edge(edge{from: c.entry[i], to: i, kind: enters})
		}
		if s.Terminal {
			continue
		}
		c.auto[i] = c.d.automatic(s)
		for _, t := range s.Transitions {
			c.connectTransition(i, t)
		}
		c.connectRest(i)
	}
	c.start = c.entry[c.index[c.d.Initial]]
}

func (c *checker) edge(e edge) {
	e.id = len(c.edges)
	c.edges = append(c.edges, &e)
	c.out[e.from] = append(c.out[e.from], &e)
}

func (c *checker) connectTransition(i int, t *Transition) {
	leaves := false
	for n, target := range t.leads() {
		to := c.index[target]
		if to != i {
			leaves, to = true, c.entry[to]
		}
		c.edge(edge{from: i, to: to, kind: moves, t: t, branch: n})
	}
	if leaves && c.d.States[i].While != nil {
		c.edge(edge{from: i, to: i, kind: stays, t: t})
	}
	if t.answerable() {
		c.edge(edge{from: i, to: i, kind: asking, t: t})
	}
}

// connectRest adds what no transition of the state is: ask_human, and the timeout.
func (c *checker) connectRest(i int) {
	if c.d.AskHuman {
		c.edge(edge{from: i, to: i, kind: asking, t: askHuman(c.d.States[i])})
	}
	if c.timed() {
		if to := c.index[c.d.OnTimeout]; to != i {
			c.edge(edge{from: i, to: c.entry[to], kind: late})
		}
	}
}

// timed tells whether time leads somewhere.
func (c *checker) timed() bool { return c.d.Timeout > 0 && c.d.OnTimeout != "" }

// state is that of a node.
func (c *checker) state(node int) *State { return c.d.States[c.nodes[node]] }

// leaves tells whether the edge ends a visit of a state.
func (c *checker) leaves(e *edge) bool { return c.nodes[e.from] != c.nodes[e.to] }

// label is what a path says of an edge; "" where there is nothing to say.
func (e *edge) label() string {
	switch {
	case e.t != nil:
		return e.t.Name
	case e.kind == late:
		return "(timeout)"
	}
	return ""
}

// flat are guards without the all_of around them.
func flat(guards []*Guard) []*Guard {
	var list []*Guard
	for _, g := range guards {
		if g.Kind == GuardAllOf {
			list = append(list, flat(g.Guards)...)
		} else {
			list = append(list, g)
		}
	}
	return list
}

// leaf visits what guards are made of.
func leaf(guards []*Guard, visit func(*Guard)) {
	for _, g := range guards {
		visit(g)
		leaf(g.Guards, visit)
	}
}

// slotsRead are the members of the context that guards read, and the paths to them.
func slotsRead(guards []*Guard) []expr.Path {
	var paths []expr.Path
	leaf(guards, func(g *Guard) {
		for _, p := range g.Expr.Paths() {
			if p.Slot() != "" {
				paths = append(paths, p)
			}
		}
	})
	return paths
}
