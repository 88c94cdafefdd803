package workflow

import "slices"

// solve finds which edges can be taken, which nodes can be reached, and what the slots can be where they are read. What
// it excludes can never be; each round excludes with what the one before has found.
func (c *checker) solve() {
	c.collect()
	c.sites()
	c.touch()
	const rounds = 6
	for range rounds {
		before := c.offs
		c.reach()
		c.flow()
		c.exclude()
		if c.offs == before {
			break
		}
	}
	c.reach()
}

// reach finds the nodes that edges lead to, each by the fewest of them.
func (c *checker) reach() {
	c.reached, c.parent = make([]bool, len(c.nodes)), make([]*edge, len(c.nodes))
	c.reached[c.start] = true
	for queue := []int{c.start}; len(queue) > 0; queue = queue[1:] {
		for _, e := range c.out[queue[0]] {
			if !e.off && !c.reached[e.to] {
				c.reached[e.to], c.parent[e.to] = true, e
				queue = append(queue, e.to)
			}
		}
	}
}

// path is how a node is reached.
func (c *checker) path(node int) []string {
	var path []string
	for e := c.parent[node]; e != nil; e = c.parent[e.from] {
		if label := e.label(); label != "" {
			path = append(path, label)
		}
	}
	slices.Reverse(path)
	return path
}

// flow follows every slot through the graph, one after the other, and keeps what it can be at the nodes that read it.
// It turns off the edges that need of a slot what it never is there.
func (c *checker) flow() {
	c.visible = make([]map[int]mask, len(c.nodes))
	f := newFlow(c)
	for id, s := range c.slots {
		if len(s.readers) == 0 {
			continue
		}
		f.follow(c.start, c.atStart(id), s.touches)
		for node := range s.readers {
			if c.visible[node] == nil {
				c.visible[node] = map[int]mask{}
			}
			c.visible[node][id] = f.at[node]
		}
		for i := range s.touches {
			e := c.edges[s.touches[i].edge]
			if m := f.at[e.from]; m != 0 && s.touches[i].apply(m) == 0 {
				c.turnOff(e)
			}
		}
	}
}

// flow is the graph without the edges that are off, laid out so that it is fast to follow a slot through it.
type flow struct {
	first    []int32 // of each node, among the next two; one more at the end
	to       []int32
	edge     []int32
	at       []mask // what the slot can be at each node: 0 where nothing leads
	touching []*touch
	waiting  []bool
	queue    []int32 // a ring: each node waits once
}

func newFlow(c *checker) *flow {
	n := len(c.nodes)
	f := &flow{
		first: make([]int32, 1, n+1), at: make([]mask, n), touching: make([]*touch, len(c.edges)),
		waiting: make([]bool, n), queue: make([]int32, n+1),
	}
	for node := range n {
		for _, e := range c.out[node] {
			if !e.off {
				f.to, f.edge = append(f.to, int32(e.to)), append(f.edge, int32(e.id))
			}
		}
		f.first = append(f.first, int32(len(f.to)))
	}
	return f
}

// follow fills at for one slot.
func (f *flow) follow(start int, begins mask, touches []touch) {
	for i := range touches {
		f.touching[touches[i].edge] = &touches[i]
	}
	clear(f.at)
	f.at[start] = begins
	f.queue[0] = int32(start)
	for head, tail := 0, 1; head != tail; head = (head + 1) % len(f.queue) {
		node := f.queue[head]
		f.waiting[node] = false
		for i := f.first[node]; i < f.first[node+1]; i++ {
			m, to := f.at[node], f.to[i]
			if t := f.touching[f.edge[i]]; t != nil {
				m = t.apply(m)
			}
			if m|f.at[to] == f.at[to] {
				continue
			}
			f.at[to] |= m
			if !f.waiting[to] {
				f.waiting[to], f.queue[tail] = true, to
				tail = (tail + 1) % len(f.queue)
			}
		}
	}
	for i := range touches {
		f.touching[touches[i].edge] = nil
	}
}

func (c *checker) atStart(id int) mask {
	s := c.slots[id]
	if value, there := c.d.InitialContext[s.name]; there && !s.evidence {
		return s.bit(value)
	}
	return unset
}

// at is what a slot can be at a node.
func (c *checker) at(node int) func(slot int) mask {
	return func(slot int) mask { return c.visible[node][slot] }
}

// anywhere is what a slot can be at all.
func (c *checker) anywhere(slot int) mask { return c.slots[slot].all() | unset }

// behind is what a slot can be once a transition has been taken and its output put, before anything else.
func (c *checker) behind(node int, t *Transition) func(slot int) mask {
	puts, needs := map[int]mask{}, c.needs(c.state(node), t)
	for _, p := range c.byAction[&t.Action] {
		puts[p.slot] |= c.written(p)
	}
	return func(slot int) mask {
		if m := puts[slot]; m != 0 {
			return m
		}
		m := c.visible[node][slot]
		if need, known := needs[slot]; known {
			m &= need
		}
		if !c.slots[slot].evidence {
			return m
		}
		switch kind := c.slots[slot].name[1:]; {
		case t.asks() && (kind == humanRequest || kind == humanApproval):
			return 1
		case t.Executor != nil && !t.Executor.known():
			return m | 1
		}
		return m
	}
}
