package workflow

import (
	"slices"
	"strings"
)

// arrowed words a path.
func arrowed(path []string) string {
	if len(path) > maxNamed {
		rest := path[len(path)-maxNamed+1:]
		return "… → " + strings.Join(rest, " → ")
	}
	return strings.Join(path, " → ")
}

// by words how a node is reached.
func (c *checker) by(node int) string {
	if path := c.path(node); len(path) > 0 {
		return ", which is reached by " + arrowed(path) + ","
	}
	return ""
}

// unreachable finds the states that nothing leads to.
func (c *checker) unreachable() {
	in := c.leadingTo()
	for i, s := range c.d.States {
		if c.reached[i] {
			continue
		}
		text := "the state " + s.Name + " cannot be reached: nothing leads there"
		if from := c.leading(in[i]); from != "" {
			text = "the state " + s.Name + " cannot be reached: " + from
		}
		c.add(Finding{Code: UnreachableState, State: s.Name, Text: text, Pointer: s.pointer()})
	}
}

// leadingTo are the transitions that should lead to each state from others.
func (c *checker) leadingTo() [][]*edge {
	in := make([][]*edge, len(c.d.States))
	for _, e := range c.edges {
		if e.t != nil && c.leaves(e) {
			in[c.nodes[e.to]] = append(in[c.nodes[e.to]], e)
		}
	}
	return in
}

// leading says why what leads to a state does not.
func (c *checker) leading(in []*edge) string {
	if len(in) == 0 {
		return ""
	}
	n := max(slices.IndexFunc(in, func(e *edge) bool { return c.reached[e.from] }), 0)
	from := c.state(in[n].from).Name
	if !c.reached[in[n].from] {
		return "what leads there begins in the state " + from + ", which cannot be reached either"
	}
	text := "the transition " + in[n].t.Name + " of the state " + from + " can never lead there"
	if c.keeps(c.nodes[in[n].from]) {
		text += ", for the while of that state always holds"
	}
	return text
}

// keeps tells whether the while of a state holds whatever happens.
func (c *checker) keeps(i int) bool {
	s := c.d.States[i]
	if s.While == nil {
		return false
	}
	q := c.ask(s, nil, c.anywhere).about(s.While).build()
	found := q.answer(func() judged { return q.judge(s.While) })
	return found.complete && !found.fails
}

// unfinished finds the states that no way leads on from to the end.
func (c *checker) unfinished() {
	ends := c.endings()
	if len(ends) == 0 {
		c.endless = true
		c.add(Finding{Code: NoTerminal, Pointer: pointer("states"), Text: "no state is terminal: an instance ends only by being cancelled"})
		return
	}
	c.finishes = c.backwards(ends)
	c.patient = c.waits()
	for i, s := range c.d.States {
		if !c.reached[i] || c.finishes[i] || c.patient[i] {
			continue
		}
		f := Finding{Code: CannotFinish, State: s.Name, Path: c.path(i), Pointer: s.pointer()}
		f.Text = "the state " + s.Name + c.by(i) + " cannot finish: nothing that is possible there leads to a terminal state"
		if c.keeps(i) {
			f.Text += ", for its while always holds"
		}
		if len(s.Transitions) == 0 {
			f.Code, f.Text = DeadEnd, "the state "+s.Name+c.by(i)+" is a dead end: it is not terminal and has no transitions"
		}
		c.add(f)
	}
}

func (c *checker) endings() []int {
	var ends []int
	for i, s := range c.d.States {
		if s.Terminal {
			ends = append(ends, i)
		}
	}
	return ends
}

// backwards are the nodes from which transitions lead to some others.
func (c *checker) backwards(to []int) []bool {
	in := make([][]int, len(c.nodes))
	for _, e := range c.edges {
		if !e.off && e.kind != late && !c.hidden(e) {
			in[e.to] = append(in[e.to], e.from)
		}
	}
	found := make([]bool, len(c.nodes))
	for _, node := range to {
		found[node] = true
	}
	for queue := to; len(queue) > 0; queue = queue[1:] {
		for _, from := range in[queue[0]] {
			if !found[from] {
				found[from] = true
				queue = append(queue, from)
			}
		}
	}
	return found
}

// hidden tells whether nobody is offered the edge: it is the server's, and the server never comes to take it.
func (c *checker) hidden(e *edge) bool {
	return e.t != nil && e.t.Actor == Deterministic && len(c.auto[c.nodes[e.from]]) == 0
}

// waits are the nodes that the timeout leads on from. It comes once: what can be reached behind it has to do without.
func (c *checker) waits() []bool {
	found := make([]bool, len(c.nodes))
	if !c.timed() {
		return found
	}
	target := c.entry[c.index[c.d.OnTimeout]]
	if !c.finishes[target] {
		return found
	}
	behind := make([]bool, len(c.nodes))
	behind[target] = true
	for queue := []int{target}; len(queue) > 0; queue = queue[1:] {
		for _, e := range c.out[queue[0]] {
			if !e.off && e.kind != late && !behind[e.to] {
				behind[e.to] = true
				queue = append(queue, e.to)
			}
		}
	}
	for node := range found {
		found[node] = !behind[node]
	}
	return found
}
