package workflow

import "slices"

// hop is an edge that the server takes by itself.
type hop struct {
	*edge
	from, to int   // states
	reads    []int // what decides whether it is taken
	writes   []int
}

// theVersion stands for the version among what hops read and write: each of them changes it.
const theVersion = -1

// loops finds chains that never end: cycles of deterministic transitions on which nothing can change that decides
// whether they go on. max_fires_per_visit bounds only what leads back to its own state.
func (c *checker) loops() {
	var hops []*hop
	for i := range c.d.States {
		if !c.reached[i] || len(c.auto[i]) == 0 {
			continue
		}
		for _, e := range c.out[i] {
			if e.kind != moves || e.off || e.t.Actor != Deterministic {
				continue
			}
			if to := c.nodes[e.to]; to != i || e.t.MaxFires == 0 {
				hops = append(hops, &hop{edge: e, from: i, to: to, reads: c.decides(i, e), writes: c.changes(e)})
			}
		}
	}
	for _, knot := range knots(hops, len(c.d.States)) {
		budget := 64
		if cycle := c.endlessCycle(knot, &budget); cycle != nil {
			c.addLoop(cycle)
		}
	}
}

func (c *checker) addLoop(cycle []*hop) {
	s, names := c.d.States[cycle[0].from], []string{}
	for _, h := range cycle {
		names = append(names, h.t.Name)
	}
	c.add(Finding{
		Code: DeterministicLoop, Severity: SeverityError, State: s.Name, Transition: cycle[0].t.Name,
		Path: append(c.path(cycle[0].edge.from), names...), Pointer: cycle[0].t.pointer(s),
		Text: "the chain " + arrowed(names) + " from the state " + s.Name + " back to it never ends: nothing on it changes what decides whether it goes on",
	})
}

// decides is what an edge depends on: the guards of its transition, or where it has none those of its siblings, which
// come first; and the branches.
func (c *checker) decides(i int, e *edge) []int {
	guards := slices.Clone(e.t.Guards)
	if len(guards) == 0 {
		for _, sibling := range c.auto[i] {
			guards = append(guards, sibling.Guards...)
		}
	} else if c.alwaysHold(i, e.t) {
		guards = nil
	}
	for n, b := range e.t.Branches {
		if n <= e.branch {
			guards = append(guards, b.When)
		}
	}
	var ids []int
	for _, p := range slotsRead(guards) {
		ids = append(ids, c.slotID(p.Slot()))
	}
	leaf(guards, func(g *Guard) {
		for _, r := range g.Requires {
			ids = append(ids, c.evidenceID(r.Kind))
		}
		for _, p := range g.Expr.Paths() {
			if p.String() == "$.workflow.version" {
				ids = append(ids, theVersion)
			}
		}
	})
	return ids
}

func (c *checker) alwaysHold(i int, t *Transition) bool {
	q := c.ask(c.d.States[i], t, c.at(i)).about(t.Guards...).build()
	found := q.answer(func() judged { return q.all(t.Guards) })
	return found.complete && !found.fails
}

// changes is what an edge writes, and what is removed on it.
func (c *checker) changes(e *edge) []int {
	ids := append([]int{theVersion}, c.changed[e.id]...)
	if c.leaves(e) {
		for _, p := range c.byAction[c.state(e.to).OnEnter] {
			ids = append(ids, p.slot)
		}
	}
	return ids
}

// endlessCycle finds a cycle of which nothing can be turned off by what happens on it. Where something is both read and
// written, either what reads it is left out, or what writes it: one of the two is true of each cycle. The budget bounds
// how many ways are tried; behind it, all is taken to be well.
func (c *checker) endlessCycle(hops []*hop, budget *int) []*hop {
	if *budget--; *budget < 0 {
		return nil
	}
	id, found := contested(hops)
	if !found {
		return cycleOf(hops)
	}
	for _, used := range []func(*hop) []int{func(h *hop) []int { return h.reads }, func(h *hop) []int { return h.writes }} {
		rest := slices.DeleteFunc(slices.Clone(hops), func(h *hop) bool { return slices.Contains(used(h), id) })
		for _, knot := range knots(rest, len(c.d.States)) {
			if cycle := c.endlessCycle(knot, budget); cycle != nil {
				return cycle
			}
		}
	}
	return nil
}

// contested is a slot that some hops read and some write.
func contested(hops []*hop) (int, bool) {
	written := map[int]bool{}
	for _, h := range hops {
		for _, id := range h.writes {
			written[id] = true
		}
	}
	for _, h := range hops {
		for _, id := range h.reads {
			if written[id] {
				return id, true
			}
		}
	}
	return 0, false
}

// cycleOf is a shortest cycle through the first state of hops that are all tied together.
func cycleOf(hops []*hop) []*hop {
	if len(hops) == 0 {
		return nil
	}
	start := hops[0].from
	out := map[int][]*hop{}
	for _, h := range hops {
		out[h.from] = append(out[h.from], h)
	}
	came := map[int]*hop{}
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		for _, h := range out[queue[0]] {
			if came[h.to] != nil {
				continue
			}
			if came[h.to] = h; h.to != start {
				queue = append(queue, h.to)
				continue
			}
			var cycle []*hop
			for back := h; ; back = came[back.from] {
				cycle = append(cycle, back)
				if back.from == start {
					slices.Reverse(cycle)
					return cycle
				}
			}
		}
	}
	return nil
}

// knots are the hops that lie on cycles, those together that are tied together: the strongly connected parts, found by
// Tarjan's algorithm with a stack of its own.
func knots(hops []*hop, states int) [][]*hop {
	out := make([][]*hop, states)
	for _, h := range hops {
		out[h.from] = append(out[h.from], h)
	}
	part := components(out)
	grouped := map[int][]*hop{}
	var order []int
	for _, h := range hops {
		if p := part[h.from]; p == part[h.to] {
			if grouped[p] == nil {
				order = append(order, p)
			}
			grouped[p] = append(grouped[p], h)
		}
	}
	list := make([][]*hop, 0, len(order))
	for _, p := range order {
		list = append(list, grouped[p])
	}
	return list
}

// components numbers the strongly connected parts.
func components(out [][]*hop) []int {
	n := len(out)
	part, low, number, next := make([]int, n), make([]int, n), make([]int, n), make([]int, n)
	var path, open []int
	count, parts := 0, 0
	for root := range out {
		if number[root] != 0 || len(out[root]) == 0 {
			continue
		}
		path = append(path, root)
		for len(path) > 0 {
			at := path[len(path)-1]
			if number[at] == 0 {
				count++
				number[at], low[at] = count, count
				open = append(open, at)
			}
			if next[at] < len(out[at]) {
				to := out[at][next[at]].to
				next[at]++
				if number[to] == 0 {
					path = append(path, to)
				} else if part[to] == 0 {
					low[at] = min(low[at], number[to])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				up := path[len(path)-1]
				low[up] = min(low[up], low[at])
			}
			if low[at] == number[at] {
				parts++
				for closed := -1; closed != at; {
					closed = open[len(open)-1]
					open = open[:len(open)-1]
					part[closed] = parts
				}
			}
		}
	}
	for at := range part {
		if part[at] == 0 { // never visited: a part of its own
			parts++
			part[at] = parts
		}
	}
	return part
}
