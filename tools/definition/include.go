package definition

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// reading is one reading of all files of a configuration.
type reading struct {
	findings
	path    string
	budget  budget
	names   []string // of the files that were read, in the order of reading
	digests []string
	root    *value // all of them, merged
}

// readAll reads a configuration. What is wrong with its files is among the findings.
func readAll(path string) *reading {
	r := &reading{path: path}
	src, p := readSource(path)
	if p != nil {
		r.errors = append(r.errors, *p)
		return r
	}
	r.names, r.digests = append(r.names, path), append(r.digests, src.digest)
	r.root = r.parse(src)
	return r
}

// parse reads the values of one file; nil when it cannot.
func (r *reading) parse(src source) *value {
	text, p := src.plain()
	if p != nil {
		r.errors = append(r.errors, *p)
		return nil
	}
	parse := parseYAML
	if strings.HasSuffix(strings.ToLower(src.path), ".json") {
		parse = parseJSON
	}
	r.budget.text = 0
	root, f := parse(text, &r.budget)
	if f != nil {
		r.errors = append(r.errors, Problem{Code: f.code, File: src.path, Line: f.line, Column: f.column, Text: f.text})
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
