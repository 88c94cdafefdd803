package executor

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// path leads into the caller's arguments: $.arguments.a.b[0]. An index may stand after a dot too.
type path struct {
	text  string
	steps []string
}

// maxSteps bounds a path.
const maxSteps = 32

const arguments = "$.arguments"

// parsePath reads a path. The error says what is wrong with it.
func parsePath(text string) (path, error) {
	if strings.HasPrefix(text, "$.answers") {
		return path{}, fmt.Errorf("%q reads answers, which this version does not ask for", text)
	}
	rest, ok := strings.CutPrefix(text, arguments)
	if !ok || rest != "" && rest[0] != '.' && rest[0] != '[' {
		return path{}, fmt.Errorf("%q must begin with %s", text, arguments)
	}
	p := path{text: text}
	for rest != "" {
		step, after, err := cutStep(rest)
		if err != nil {
			return path{}, fmt.Errorf("%q %w", text, err)
		}
		p.steps, rest = append(p.steps, step), after
	}
	if len(p.steps) > maxSteps {
		return path{}, fmt.Errorf("%q has more than %d steps", text, maxSteps)
	}
	return p, nil
}

// cutStep takes the first step off: .name, .0 or [0].
func cutStep(text string) (step, rest string, err error) {
	if text[0] == '[' {
		step, rest, found := strings.Cut(text[1:], "]")
		if n, err := strconv.Atoi(step); !found || err != nil || n < 0 || strconv.Itoa(n) != step {
			return "", "", errors.New("must have a number between its brackets")
		}
		return step, rest, nil
	}
	end := strings.IndexFunc(text[1:], func(r rune) bool { return !isStep(r) })
	if end < 0 {
		end = len(text) - 1
	}
	if text[0] != '.' || end == 0 {
		return "", "", errors.New("must be names of letters, digits, _ and - with dots between, or numbers in brackets")
	}
	return text[1 : 1+end], text[1+end:], nil
}

func isStep(r rune) bool {
	return r == '_' || r == '-' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// last is the step that a path ends in.
func (p path) last() string {
	if len(p.steps) == 0 {
		return "arguments"
	}
	return p.steps[len(p.steps)-1]
}

// of is what the path leads to in arguments, decoded; false when it leads nowhere.
func (p path) of(arguments any) (any, bool) {
	v := arguments
	for _, step := range p.steps {
		switch inner := v.(type) {
		case map[string]any:
			next, ok := inner[step]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(inner) || strconv.Itoa(i) != step {
				return nil, false
			}
			v = inner[i]
		default:
			return nil, false
		}
	}
	return v, true
}
