package definition

import (
	"cmp"
	"slices"
)

// findings collects the problems of one reading. Warnings never crowd out an error.
type findings struct {
	errors, warnings Problems
	seen             map[finding]bool
}

// finding is what makes two problems one: what several definitions refer to is wrong once.
type finding struct {
	code Code
	at   place
	text string
}

// add keeps a problem, unless it is known.
func (f *findings) add(p Problem, known finding) {
	if f.seen[known] {
		return
	}
	list := &f.errors
	if p.Warning {
		list = &f.warnings
	}
	if len(*list) >= MaxProblems {
		return
	}
	if f.seen == nil {
		f.seen = map[finding]bool{}
	}
	f.seen[known] = true
	*list = append(*list, p)
}

// sated tells whether no further error is kept, so that nobody needs to find words for one.
func (f *findings) sated() bool { return len(f.errors) >= MaxProblems }

// all is what is reported, in the order of the files.
func (f *findings) all(files []string) Problems {
	list := slices.Concat(f.errors, f.warnings)
	list = list[:min(len(list), MaxProblems)]
	rank := make(map[string]int, len(files))
	for i, name := range files {
		rank[name] = i
	}
	slices.SortStableFunc(list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(rank[a.File], rank[b.File]), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if len(list) == 0 {
		return nil
	}
	for i := range list {
		list[i].Text, list[i].Path = withoutTokens(list[i].Text), withoutTokens(list[i].Path)
	}
	return list
}
