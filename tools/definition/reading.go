package definition

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
)

// The bounds of a configuration: all files of it together.
const (
	maxFiles = 1000
	maxBytes = 16 << 20
)

// reading is one reading of all files of a configuration.
type reading struct {
	findings
	path     string
	folder   string // with its links resolved: nothing that is read lies outside
	budget   budget
	bytes    int
	visits   map[string]*visit // by path with the links resolved
	tried    []string          // every path that a later reading may find other things at
	names    []string          // of the files that were read, in the order of reading
	digests  []string
	root     *value            // all of them, merged; nil: nothing
	attached map[string]string // texts of scripts in files of their own, by the path of the script
}

// visit is a file that has been read, or is being read.
type visit struct {
	digest string
	done   bool // with all that it includes
}

// readAll reads a configuration. What is wrong with its files is among the findings.
func readAll(path string) *reading {
	r := &reading{path: path, visits: map[string]*visit{}, tried: []string{path}, attached: map[string]string{}}
	if isFolder(path) {
		r.readFolder(path)
	} else {
		r.readMain(path)
	}
	if r.root != nil {
		r.attach()
	}
	return r
}

// readMain reads the one file that everything begins with. A link may lead to it from anywhere; what it includes
// lies in the folder of the link.
func (r *reading) readMain(path string) {
	src, p := readSource(path)
	if p != nil {
		r.fail(*p)
		return
	}
	resolved, err := unlinked(path)
	if err == nil {
		r.folder, err = unlinked(filepath.Dir(path))
	}
	if err != nil { // it was there a moment ago
		r.fail(*src.problem(FileUnreadable, "cannot resolve: "+cause(err)))
		return
	}
	r.take(src, resolved)
}

// unlinked is the absolute path without links.
func unlinked(path string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// take reads what a file includes, and then what stands in it.
func (r *reading) take(src source, resolved string) {
	here := &visit{digest: src.digest}
	r.visits[resolved] = here
	if p := r.account(src); p != nil {
		r.fail(*p)
		return
	}
	if root := r.parse(src); root != nil {
		r.include(root, src.path)
		r.root = merge(r.root, root.without("include"))
	}
	here.done = true
}

// parse reads the values of one file; nil when there are none.
func (r *reading) parse(src source) *value {
	text, p := src.plain()
	if p != nil {
		r.fail(*p)
		return nil
	}
	parse := parseYAML
	if strings.HasSuffix(strings.ToLower(src.path), ".json") {
		parse = parseJSON
	}
	r.budget.text = 0
	root, f := parse(text, &r.budget)
	if f == nil && root.kind != '{' {
		f = &fault{root.place, WrongType, "the file must be an object, is " + named(root.kind)}
	}
	if f != nil {
		r.fail(Problem{Code: f.code, File: src.path, Line: f.line, Column: f.column, Text: f.text})
		return nil
	}
	root.stamp(&src.path)
	return root
}

// digest is that of everything that was read.
func (r *reading) digest() string {
	if len(r.digests) == 1 {
		return r.digests[0]
	}
	sum := sha256.Sum256([]byte(strings.Join(r.digests, "\n")))
	return hex.EncodeToString(sum[:])
}

// seal changes whenever the files, or what is wrong with them, do.
func (r *reading) seal() string {
	var b strings.Builder
	for i, name := range r.names {
		b.WriteString(name + "\x00" + r.digests[i] + "\n")
	}
	for _, p := range r.errors {
		b.WriteString(p.String() + "\n")
	}
	return b.String()
}

// merge lays b over a: objects member by member, lists one after the other, anything else as it is in b. Neither
// is used any more.
func merge(a, b *value) *value {
	switch {
	case a == nil || a.kind != b.kind:
		return b
	case a.kind == '[':
		a.items = append(a.items, b.items...)
		return a
	case a.kind != '{':
		return b
	}
	where := make(map[string]int, len(a.members))
	for i, m := range a.members {
		where[m.name] = i
	}
	for _, m := range b.members {
		i, known := where[m.name]
		if !known {
			a.members = append(a.members, m)
			continue
		}
		m.value = merge(a.members[i].value, m.value)
		a.members[i] = m
	}
	return a
}
