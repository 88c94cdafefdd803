package definition

import (
	"fmt"
	"path/filepath"
	"strconv"
)

// attach reads the scripts that stand in files of their own. What is wrong with one is told where it is named.
func (r *reading) attach() {
	scripts := r.root.find("scripts")
	if scripts == nil {
		return
	}
	at := &reader{findings: &r.findings, file: r.path, root: r.root}
	for _, m := range scripts.members {
		path := below("/scripts", m.name)
		uri := m.find("uri")
		if uri == nil || uri.kind != '"' || uri.text == "" || m.find("body") != nil || m.find("hash") == nil {
			continue
		}
		name, ok := at.local(uri.text, path+"/uri")
		if !ok {
			continue
		}
		if text, p := r.readAttached(name, *uri.file); p != nil {
			at.about(p.Code, path+"/uri", strconv.Quote(cut(name, 200))+": "+p.Text)
		} else {
			r.attached[path] = text
		}
	}
}

func (r *reading) readAttached(name, from string) (string, *Problem) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(from), name)
	}
	r.tried = append(r.tried, name)
	resolved, p := r.resolve(name)
	if p != nil {
		return "", p
	}
	src, p := readSource(resolved)
	if p != nil {
		return "", p
	}
	src.path = name
	if p := r.account(src); p != nil {
		return "", p
	}
	text, p := src.plain()
	return string(text), p
}

// account adds a file to what was read, unless that is too much.
func (r *reading) account(src source) *Problem {
	r.names, r.digests = append(r.names, src.path), append(r.digests, src.digest)
	if r.bytes += len(src.text); r.bytes > maxBytes || len(r.names) > maxFiles {
		return src.problem(TooManyFiles, fmt.Sprintf("more than %d files, or %d MiB, with everything that is included", maxFiles, maxBytes>>20))
	}
	return nil
}
