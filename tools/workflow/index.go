package workflow

// index finds the states of a definition that has many.
type index struct {
	states map[string]*State
	count  int // of the states that it was made of
}

// few is how many states are found as fast by looking at each.
const few = 32

// State finds one by name; nil when there is none.
func (d *Definition) State(name string) *State {
	if len(d.States) > few {
		return d.indexed().states[name]
	}
	for _, s := range d.States {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// indexed makes the index when it is asked for first: a definition is not changed once instances use it, but while
// it is compiled its states become more.
func (d *Definition) indexed() *index {
	if known := d.index.Load(); known != nil && known.count == len(d.States) {
		return known
	}
	made := &index{states: make(map[string]*State, len(d.States)), count: len(d.States)}
	for _, s := range d.States {
		if made.states[s.Name] == nil {
			made.states[s.Name] = s
		}
	}
	d.index.Store(made)
	return made
}
