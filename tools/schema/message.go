package schema

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

const maxShown = 200 // bytes of a path, of a list of choices, of a pattern

// walk calls report for every leaf of the tree of errors.
func walk(e *jsonschema.ValidationError, report func(path, message string)) {
	at := Pointer(e.InstanceLocation...)
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		for _, cause := range e.Causes {
			walk(cause, report)
		}
	case *kind.Required:
		missing(at, k.Missing, "is required", report)
	case *kind.DependentRequired:
		missing(at, k.Missing, "is required when "+clip(strconv.Quote(k.Prop))+" is given", report)
	case *kind.Dependency:
		missing(at, k.Missing, "is required when "+clip(strconv.Quote(k.Prop))+" is given", report)
	case *kind.AdditionalProperties:
		missing(at, k.Properties, "is not known here", report)
	case *kind.PropertyNames:
		report(at+"/"+Escape(k.Property), "is not an allowed name")
	default:
		report(at, message(e.ErrorKind))
	}
}

func missing(at string, names []string, message string, report func(path, message string)) {
	for _, name := range names {
		report(at+"/"+Escape(name), message)
	}
}

func message(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return "must be " + types(k.Want) + ", is " + article(k.Got)
	case *kind.Enum:
		return "must be one of " + choices(k.Want)
	case *kind.Const:
		return "must be " + choices([]any{k.Want})
	case *kind.FalseSchema:
		return "is not known here"
	case *kind.Not:
		return "has a form that is excluded"
	case *kind.AnyOf:
		return "fits none of the allowed forms"
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			return "fits more than one of the allowed forms: it must fit exactly one"
		}
		return "fits none of the allowed forms"
	case *kind.Pattern:
		return "must match the pattern " + clip(k.Want)
	case *kind.UniqueItems:
		return fmt.Sprintf("must not repeat items: %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *kind.AdditionalItems:
		return fmt.Sprintf("has %d items too many", k.Count)
	}
	return limit(k)
}

// limit words the violations of a number or a count.
func limit(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Minimum:
		return "must be at least " + number(k.Want)
	case *kind.Maximum:
		return "must be at most " + number(k.Want)
	case *kind.ExclusiveMinimum:
		return "must be more than " + number(k.Want)
	case *kind.ExclusiveMaximum:
		return "must be less than " + number(k.Want)
	case *kind.MultipleOf:
		return "must be a multiple of " + number(k.Want)
	case *kind.MinLength:
		return "must have at least " + count(k.Want, "character") + ", has " + strconv.Itoa(k.Got)
	case *kind.MaxLength:
		return "must have at most " + count(k.Want, "character") + ", has " + strconv.Itoa(k.Got)
	case *kind.MinItems:
		return "must have at least " + count(k.Want, "item") + ", has " + strconv.Itoa(k.Got)
	case *kind.MaxItems:
		return "must have at most " + count(k.Want, "item") + ", has " + strconv.Itoa(k.Got)
	case *kind.MinProperties:
		return "must have at least " + count(k.Want, "member") + ", has " + strconv.Itoa(k.Got)
	case *kind.MaxProperties:
		return "must have at most " + count(k.Want, "member") + ", has " + strconv.Itoa(k.Got)
	case *kind.Contains:
		return "has no item of the required form"
	case *kind.MinContains:
		return "must have at least " + count(k.Want, "item") + " of the required form, has " + strconv.Itoa(len(k.Got))
	case *kind.MaxContains:
		return "must have at most " + count(k.Want, "item") + " of the required form, has " + strconv.Itoa(len(k.Got))
	}
	return "is not valid"
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func types(want []string) string {
	named := make([]string, len(want))
	for i, t := range want {
		named[i] = article(t)
	}
	return strings.Join(named, " or ")
}

func article(t string) string {
	switch t {
	case "null":
		return t
	case "integer", "object", "array":
		return "an " + t
	}
	return "a " + t
}

func choices(values []any) string {
	var b strings.Builder
	for i, value := range values {
		text, err := json.Marshal(value, json.Deterministic(true))
		if err != nil {
			continue
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.Write(text)
		if b.Len() > maxShown {
			break
		}
	}
	return clip(b.String())
}

func number(r *big.Rat) string {
	if r.IsInt() {
		return clip(r.Num().String())
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// clip keeps what comes from a caller or a peer short.
func clip(s string) string {
	if len(s) <= maxShown {
		return s
	}
	cut := maxShown
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
