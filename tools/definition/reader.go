package definition

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
)

// reader fills Go values strictly and collects what does not fit, all of it. Its paths begin at root.
type reader struct {
	*findings
	file string              // of what has no place
	root *value              // where places are looked up
	base string              // the path of root in the configuration
	name func(string) string // how a path is shown; nil: as it is
	as   Code                // of every error, in place of its own; "": none
}

func (r *reader) note(code Code, at place, path, text string) { r.problem(code, false, at, path, text) }

func (r *reader) problem(code Code, warning bool, at place, path, text string) {
	r.keep(Problem{Code: code, Warning: warning, Path: r.full(path), Text: text}, finding{code, at, text})
}

// about notes a problem of the thing that a path leads to. The text has no subject: the path is it.
func (r *reader) about(code Code, path, text string) { r.judge(code, false, path, text) }

// warn is about what keeps nothing from working.
func (r *reader) warn(code Code, path, text string) { r.judge(code, true, path, text) }

func (r *reader) judge(code Code, warning bool, path, text string) {
	if !r.sated() {
		r.keep(Problem{Code: code, Warning: warning, Path: r.full(path), Text: r.shown(path) + " " + text}, finding{code, r.root.at(path), text})
	}
}

// keep adds a problem with the place of a finding.
func (r *reader) keep(p Problem, f finding) {
	if r.as != "" && !p.Warning {
		p.Code = r.as
	}
	p.File, p.Line, p.Column, p.Text = r.file, f.at.line, f.at.column, cut(p.Text, maxSentence)
	if f.at.file != nil {
		p.File = *f.at.file
	}
	r.add(p, f)
}

// full is a path from the root of the configuration.
func (r *reader) full(path string) string {
	if r.name != nil {
		return r.name(path)
	}
	return r.base + path
}

// shown is a path for a sentence.
func (r *reader) shown(path string) string {
	if path = r.full(path); path == "" {
		return "the file"
	}
	return cut(path, 200)
}

// tokens are what prax mints. Somebody names the wrong file, and what was quoted from it is in the log.
var tokens = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(auth.TokenPrefix + `[0-9A-Za-z]*`) })

func withoutTokens(text string) string { return tokens().ReplaceAllLiteralString(text, "(a token)") }

// maxSentence bounds the text of a problem, in characters.
const maxSentence = 500

// cut keeps what comes from a file short.
func cut(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i] + "…"
		}
	}
	return text
}

var (
	rawType   = reflect.TypeFor[jsontext.Value]()
	valueType = reflect.TypeFor[*value]()
)

// read fills out, a pointer to a struct, and tells whether everything fitted.
func (r *reader) read(v *value, path string, out any) bool {
	return r.fill(v, path, reflect.ValueOf(out).Elem())
}

// fill sets out, of the types that configurations are made of: strings, bools, ints, floats, pointers,
// slices, maps by text, structs whose `json` tags name all the members there may be (one without a tag is none),
// jsontext.Value, any and *value for what is read later. It tells whether everything fitted.
func (r *reader) fill(v *value, path string, out reflect.Value) bool {
	switch out.Type() {
	case rawType:
		out.SetBytes(v.appendJSON(nil))
		return true
	case valueType:
		out.Set(reflect.ValueOf(v))
		return true
	}
	switch out.Kind() {
	case reflect.Pointer:
		out.Set(reflect.New(out.Type().Elem()))
		return r.fill(v, path, out.Elem())
	case reflect.Struct:
		return r.is(v, path, '{') && r.fillStruct(v, path, out)
	case reflect.Slice:
		return r.is(v, path, '[') && r.fillSlice(v, path, out)
	case reflect.Map:
		return r.is(v, path, '{') && r.fillMap(v, path, out)
	case reflect.Interface:
		if v.kind != 'n' {
			out.Set(reflect.ValueOf(v.plain()))
		}
		return true
	case reflect.String:
		out.SetString(v.text)
		return r.is(v, path, '"')
	case reflect.Bool:
		out.SetBool(v.kind == 't')
		return v.kind == 'f' || r.is(v, path, 't')
	}
	return r.is(v, path, '0') && r.fillNumber(v, path, out)
}

func (r *reader) is(v *value, path string, want jsontext.Kind) bool {
	if v.kind == want {
		return true
	}
	r.about(WrongType, path, "must be "+named(want)+", is "+named(v.kind))
	return false
}

func (r *reader) fillNumber(v *value, path string, out reflect.Value) bool {
	var err error
	if out.Kind() == reflect.Float64 {
		var f float64
		f, err = strconv.ParseFloat(v.text, 64)
		out.SetFloat(f)
	} else {
		bits := 32
		if out.Kind() == reflect.Int64 {
			bits = 64
		}
		var n int64
		n, err = strconv.ParseInt(v.text, 10, bits)
		out.SetInt(n)
	}
	if err != nil {
		r.about(WrongType, path, "must be a number in range, and a whole one where it counts")
	}
	return err == nil
}

func (r *reader) fillSlice(v *value, path string, out reflect.Value) bool {
	fits := true
	out.Set(reflect.MakeSlice(out.Type(), len(v.items), len(v.items)))
	for i, one := range v.items {
		fits = r.fill(one, item(path, i), out.Index(i)) && fits
	}
	return fits
}

func (r *reader) fillMap(v *value, path string, out reflect.Value) bool {
	fits := true
	out.Set(reflect.MakeMapWithSize(out.Type(), len(v.members)))
	for _, m := range v.members {
		one := reflect.New(out.Type().Elem()).Elem()
		fits = r.fill(m.value, below(path, m.name), one) && fits
		out.SetMapIndex(reflect.ValueOf(m.name).Convert(out.Type().Key()), one)
	}
	return fits
}

func (r *reader) fillStruct(v *value, path string, out reflect.Value) bool {
	known := keysOf(out.Type())
	fits := true
	for _, m := range v.members {
		at := below(path, m.name)
		i := slices.Index(known, m.name)
		if m.name == "" {
			i = -1
		}
		if i < 0 && r.sated() {
			return false
		}
		if i < 0 {
			fits = false
			r.note(UnknownKey, m.place, at, r.unknown(m.name, path, written(out, known)))
			continue
		}
		fits = r.fill(m.value, at, out.Field(i)) && fits
	}
	return fits
}

// shape is a struct whose members are not quite the keys that a file may have.
type shape interface {
	stored() []string // the members that no file has
	short() []string  // the keys that are written out before the struct is filled
}

// written are the keys of a struct that a file may have.
func written(out reflect.Value, known []string) []string {
	known = slices.DeleteFunc(slices.Clone(known), func(name string) bool { return name == "" })
	s, ok := out.Addr().Interface().(shape)
	if !ok {
		return known
	}
	return append(slices.DeleteFunc(known, func(name string) bool { return slices.Contains(s.stored(), name) }), s.short()...)
}

// keysOf are the names of the members that a struct is filled from; "" for one that it keeps for itself.
func keysOf(t reflect.Type) []string {
	known := make([]string, t.NumField())
	for i := range known {
		known[i] = t.Field(i).Tag.Get("json")
	}
	return known
}

// keys are the members that a struct is filled from.
func keys[T any]() []string { return keysOf(reflect.TypeFor[T]()) }

// unknown is the sentence about a key that does not exist.
func (r *reader) unknown(name, path string, known []string) string {
	return strconv.Quote(shown(name)) + " is not known in " + r.shown(path) + suggest(name, known)
}

// only notes the keys of an object that are none of these.
func (r *reader) only(v *value, at string, keys ...string) bool {
	fits := true
	for _, m := range v.members {
		if !slices.Contains(keys, m.name) {
			here := below(at, m.name)
			r.note(UnknownKey, m.place, here, r.unknown(m.name, at, keys))
			fits = false
		}
	}
	return fits
}
