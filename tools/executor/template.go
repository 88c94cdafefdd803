package executor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/tools"
	"prax/tools/workflow/expr"
)

// roots are what a static tool may read by now.
const roots = expr.Arguments

// parseTemplate reads a template. The error has no subject.
func parseTemplate(text string) (expr.Template, error) {
	t, err := expr.ParseTemplate(text, roots)
	if err != nil {
		return t, fmt.Errorf("has a place that cannot be filled: %w", explained(text, err))
	}
	return t, nil
}

// parsePath reads a path. The error says what is wrong with it.
func parsePath(text string) (expr.Path, error) {
	p, err := expr.ParsePath(text, roots)
	if err != nil {
		return p, fmt.Errorf("is no path: %w", explained(text, err))
	}
	return p, nil
}

// explained tells a path that this version has no use for from one that is wrong.
func explained(text string, err error) error {
	var at *expr.Error
	if errors.As(err, &at) && at.Scope && strings.HasPrefix(text[at.Offset:], expr.Answers.String()) {
		return fmt.Errorf("at %d: $.answers are what a caller was asked, which this version does not ask for", at.Offset)
	}
	return err
}

// filling puts one caller's arguments into templates, within a budget: a template may name one argument many
// times.
type filling struct {
	env  expr.Env
	left int // bytes that may still be written
}

// maxFilled bounds what one answer grows to, in bytes.
const maxFilled = 4 << 20

func newFilling(arguments map[string]any) *filling {
	return &filling{env: expr.Env{Arguments: arguments}, left: maxFilled}
}

// take counts what is written, which is already more than the budget if it does not fit.
func (f *filling) take(size int, fits bool) error {
	if f.left -= size; !fits || f.left < 0 {
		return tools.Errorf(tools.CodeInvalidArguments, "the answer to these arguments would have more than %d MiB: send less", maxFilled>>20)
	}
	return nil
}

// text fills a template. What is not there shows as (name: unset), and null as (null).
func (f *filling) text(t expr.Template) (string, error) {
	text, fits := t.RenderWithin(f.env, f.left)
	return text, f.take(len(text), fits)
}

func marshal(v any) (jsontext.Value, error) { return json.Marshal(v, json.Deterministic(true)) }
