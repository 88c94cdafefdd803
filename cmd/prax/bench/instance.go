package bench

import (
	"github.com/go-json-experiment/json/jsontext"
)

// instance is the run of a workflow that one caller owns, as its last answer showed it. Nobody else moves it, so that
// whatever the server says of it later must follow from that.
type instance struct {
	config   *Config
	id       string
	version  int64
	state    string
	link     jsontext.Value    // args of the transition's link: what the next move sends
	unsure   bool              // a move was not answered: it may have been made
	followed map[string]string // where the transition led to, by the state that it was taken in
}

// view is what praxec.query and praxec.command answer.
type view struct {
	Workflow struct {
		ID      string `json:"id"`
		State   string `json:"state"`
		Version int64  `json:"version"`
	} `json:"workflow"`
	Result struct {
		Status string `json:"status"`
	} `json:"result"`
	Links []struct {
		Rel  string         `json:"rel"`
		Args jsontext.Value `json:"args"`
	} `json:"links"`
	Error *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// viewOf reads the answer of a workflow tool that did what was asked.
func viewOf(body, id []byte) (*view, *Fault) {
	r, f := toolAnswer[view](body, id)
	if f != nil {
		return nil, f
	}
	v := &r.Structured
	switch {
	case v.Error != nil:
		return nil, fault(Refused, "%s: %s", v.Error.Code, v.Error.Message)
	case v.Workflow.ID == "":
		return nil, fault(Wrong, "no workflow: %.200q", body)
	}
	return v, nil
}

// take keeps what an answer shows. An instance without the transition cannot be moved any further.
func (in *instance) take(v *view) *Fault {
	in.id, in.version, in.state, in.unsure = v.Workflow.ID, v.Workflow.Version, v.Workflow.State, false
	for _, link := range v.Links {
		if link.Rel == in.config.Asked.Transition {
			in.link = append(in.link[:0], link.Args...)
			return nil
		}
	}
	return fault(Wrong, "no link %s in the state %s of %s", in.config.Asked.Transition, in.state, in.id)
}

// start is the work of starting instances; owner keeps the last, nil: nobody does.
type start struct {
	config *Config
	owner  *instance
	asked  *request
}

func (c *Config) start(owner *instance) *start {
	asked := c.newCall("praxec.command", `{"definitionId":`+quoted(c.Asked.Definition)+`}`)
	return &start{c, owner, asked}
}

func (s *start) request() *request { return s.asked }

func (s *start) check(body, id []byte) *Fault {
	v, f := viewOf(body, id)
	switch {
	case f != nil:
		return f
	case v.Result.Status != "started" || v.Workflow.Version != 1:
		return fault(Wrong, "a start is %s in version %d", v.Result.Status, v.Workflow.Version)
	case s.owner != nil:
		return s.owner.take(v)
	}
	return nil
}

// get is the work of reading the instance.
type get struct {
	*instance
	repeated
	at int64 // the version that the proven answer is of
}

func (in *instance) get() *get {
	g := &get{instance: in}
	g.judge = g.read
	return g
}

func (g *get) request() *request {
	if g.asked == nil {
		g.asked = g.config.newCall("praxec.query", `{"workflowId":`+quoted(g.id)+`}`)
	}
	return g.asked
}

func (g *get) check(body, id []byte) *Fault {
	if g.at != g.version { // an answer like the last one would be out of date
		g.proven, g.at = proven{}, g.version
	}
	return g.repeated.check(body, id)
}

// read compares the answer with what is known. After a move without an answer there are two possibilities.
func (g *get) read(body, id []byte) *Fault {
	v, f := viewOf(body, id)
	if f != nil {
		return f
	}
	if now := v.Workflow; now.ID != g.id {
		return fault(Wrong, "asked for %s, answered %s", g.id, now.ID)
	}
	f = g.compare(v)
	if taken := g.take(v); f == nil { // also when it is wrong: from here on it is what the next answers must follow from
		f = taken
	}
	return f
}

func (in *instance) compare(v *view) *Fault {
	now := v.Workflow
	switch {
	case now.Version < in.version:
		return fault(Lost, "%s was in version %d, and is in version %d", in.id, in.version, now.Version)
	case now.Version == in.version && now.State == in.state, in.unsure && now.Version == in.version+1:
		return nil
	}
	return fault(Wrong, "%s was in %s, version %d, and is in %s, version %d, without a move",
		in.id, in.state, in.version, now.State, now.Version)
}

// reread is a get that is read in full whatever it looks like: after it, a move may have been made or not.
type reread struct{ *get }

func (r reread) check(body, id []byte) *Fault { return r.read(body, id) }

// move is the work of taking the transition by the link of the last answer.
type move struct {
	*instance
	asked *request
	tail  string // the arguments that every move has
	of    int64  // the version that asked is about
}

func (in *instance) move() work {
	return &move{instance: in, tail: `"arguments":` + in.config.Asked.Arguments}
}

func (m *move) request() *request {
	if m.of != m.version {
		m.asked, m.of = m.config.newCall("praxec.command", joinMembers(string(m.link), m.tail)), m.version
	}
	return m.asked
}

func (m *move) check(body, id []byte) *Fault {
	v, f := viewOf(body, id)
	if f != nil {
		return f
	}
	now := v.Workflow
	if now.ID != m.id || now.Version != m.version+1 {
		return fault(Wrong, "moved %s from version %d, answered %s in version %d", m.id, m.version, now.ID, now.Version)
	}
	if led, known := m.followed[m.state]; known && led != now.State {
		return fault(Wrong, "%s led from %s to %s before, now to %s", m.config.Asked.Transition, m.state, led, now.State)
	} else if !known {
		m.followed[m.state] = now.State
	}
	return m.take(v)
}
