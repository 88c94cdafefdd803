package definition

import (
	"strconv"
	"strings"

	"prax/store/digest"
	"prax/tools/workflow"
)

// The bounds of definitions once everything that they refer to is written out.
const (
	maxDefinition  = 8 << 20  // bytes of one
	maxDefinitions = 64 << 20 // of all
)

// flows compiles the workflows, in the order of the files. What they come to together is known before the first is
// compiled.
func (c *compiler) flows(set *Set, v *value, indexed bool) {
	if v == nil || !c.is(v, "/workflows", '{') {
		return
	}
	var list []*stored
	for _, m := range v.members {
		path := below("/workflows", m.name)
		if c.flowName(m, path) && c.is(m.value, path, '{') {
			list = append(list, c.stored(c.resolve(m, path), path, nil))
		}
	}
	for _, one := range list {
		d := c.define(one)
		if d == nil {
			continue
		}
		set.add(d, one)
		if indexed {
			set.Items = append(set.Items, flowItem(d, v.find(d.ID)))
		}
	}
}

func (s *Set) add(d *workflow.Definition, form *stored) {
	if s.forms == nil {
		s.forms = map[string]*stored{}
	}
	s.Definitions, s.forms[d.ID] = append(s.Definitions, d), form
}

func (c *compiler) flowName(m member, path string) bool {
	switch {
	case m.name == ProxyID:
		c.note(NameTaken, m.place, path, c.shown(path)+" is made of proxy.expose: take another name")
	case !isID(m.name):
		c.note(BadValue, m.place, path, "the name "+strconv.Quote(shown(m.name))+" of a workflow must be 1 to 128 letters, digits, _ . - or /")
	default:
		return true
	}
	return false
}

// expose compiles what is exposed to one definition.
func (c *compiler) expose(set *Set, list []*proxied, indexed bool) {
	where := map[string]string{}
	for _, x := range list {
		where[below("/states/"+proxyState+"/transitions", x.name)] = x.path
	}
	form := c.stored(c.proxyForm(list), "/proxy/expose", func(path string) string {
		for prefix, own := range where {
			if rest, found := strings.CutPrefix(path, prefix); found && (rest == "" || rest[0] == '/') {
				return own + rest
			}
		}
		return "/proxy/expose"
	})
	d := c.define(form)
	if d == nil {
		return
	}
	set.add(d, form)
	if !indexed {
		return
	}
	for _, x := range list {
		set.Items = append(set.Items, capabilityItem(x, d))
	}
}

// stored is the stored form of a definition, and where it came from.
type stored struct {
	reader
	fits bool
}

// stored measures a stored form.
func (c *compiler) stored(root *value, base string, name func(string) string) *stored {
	f := &stored{reader: reader{findings: c.findings, file: c.file, root: root, base: base, name: name}}
	var s size
	f.fits = s.measure(root, 1, size{maxValues, maxDefinition, maxDepth})
	if c.bytes += s.bytes; !f.fits || c.bytes > maxDefinitions {
		f.about(TooLarge, "", "is too large with everything that it refers to written out: at most "+strconv.Itoa(maxValues)+
			" values, "+strconv.Itoa(maxDefinition>>20)+" MiB (of all definitions "+strconv.Itoa(maxDefinitions>>20)+" MiB), and "+strconv.Itoa(maxDepth)+" deep")
	}
	return f
}

// builder is one that knows what the configuration has.
func (c *compiler) builder(r reader) *builder {
	b := newBuilder(r, c.kinds)
	b.schemas, b.around = c.schemas, c.around
	b.links, b.reachable, b.builtin = c.links, c.reachable, c.builtin
	return b
}

// define compiles the stored form of a definition; nil when there is a problem.
func (c *compiler) define(f *stored) *workflow.Definition {
	if !f.fits || c.bytes > maxDefinitions {
		return nil // told already
	}
	before, at := len(c.errors), f.reader
	at.root = f.root.canonical("", func(path string) {
		at.about(BadValue, path, "is no number that every reader keeps exactly: put it in quotes, or round it")
	})
	b := c.builder(at)
	d := b.build()
	if len(c.errors) > before {
		return nil
	}
	text, err := digest.Canonical(at.root.appendJSON(nil))
	if err != nil {
		at.about(BadValue, "", "cannot be stored: "+err.Error())
		return nil
	}
	d.Text, d.Hash = text, digest.Hex(text)
	return d
}
