package jwt

import (
	"slices"
	"strings"

	"prax/auth"
)

// narrowTools is what a token leaves of an allowlist. It is made of the allowlist's own names alone, so that
// whatever the token says, nothing is in it that the client has not. A name and the same with underscores for its
// dots are one tool.
func narrowTools(has auth.NameSet, to auth.Narrowing) auth.NameSet {
	if !to.Given || narrowOff {
		return has
	}
	var left []string
	for name := range has.Each() {
		if slices.ContainsFunc(to.Names, func(other string) bool { return sameTool(name, other) }) {
			left = append(left, name)
		}
	}
	return auth.Names(left...)
}

func sameTool(a, b string) bool {
	return a == b || auth.Underscore.Of(a) == b || a == auth.Underscore.Of(b)
}

// narrowWorkflows is what two lists of ids and of patterns x.* have in common: of an id or pattern and one that
// covers it, the narrower.
func narrowWorkflows(has auth.NameSet, to auth.Narrowing) auth.NameSet {
	switch {
	case !to.Given || narrowOff:
		return has
	case has.All():
		return auth.Names(to.Names...)
	}
	var left []string
	for own := range has.Each() {
		for _, other := range to.Names {
			switch {
			case covers(own, other):
				left = append(left, other)
			case covers(other, own):
				left = append(left, own)
			}
		}
	}
	return auth.Names(left...)
}

// covers tells whether every id that the second stands for is one of the first: it is the same, or begins with what
// stands before the star of a pattern. "*" and ".*" are no patterns.
func covers(a, b string) bool {
	before, pattern := strings.CutSuffix(a, ".*")
	return a == b || pattern && before != "" && len(b) > len(before)+1 && strings.HasPrefix(b, before+".")
}
