package definition

import (
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/tools"
)

// reader fills Go values strictly and collects what does not fit, all of it.
type reader struct {
	file     string
	root     *value
	problems Problems
}

func (r *reader) note(code Code, at place, path, text string) {
	if len(r.problems) < MaxProblems {
		r.problems = append(r.problems, Problem{Code: code, File: r.file, Line: at.line, Column: at.column, Path: path, Text: cut(text, maxSentence)})
	}
}

// about notes a problem of the thing that a path leads to. The text has no subject: the path is it.
func (r *reader) about(code Code, path, text string) {
	r.note(code, r.root.at(path), path, shownPath(path)+" "+text)
}

// shownPath is a JSON Pointer for a sentence.
func shownPath(path string) string {
	if path == "" {
		return "the file"
	}
	return cut(path, 200)
}

// tokens are what prax mints. Somebody names the wrong file, and what was quoted from it is in the log.
var tokens = regexp.MustCompile(auth.TokenPrefix + `[0-9A-Za-z]*`)

func withoutTokens(text string) string { return tokens.ReplaceAllLiteralString(text, "(a token)") }

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

// fill sets out, of the types that configurations are made of: strings, bools, ints, floats, pointers,
// slices, structs whose `json` tags name all the members there may be, and jsontext.Value for what is read
// later. It tells whether everything fitted.
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
		var n int64
		n, err = strconv.ParseInt(v.text, 10, 32)
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

func (r *reader) fillStruct(v *value, path string, out reflect.Value) bool {
	known := make([]string, out.NumField())
	for i := range known {
		known[i] = out.Type().Field(i).Tag.Get("json")
	}
	fits := true
	for _, m := range v.members {
		at := below(path, m.name)
		i := index(known, m.name)
		if i < 0 {
			fits = false
			r.note(UnknownKey, m.place, at, unknown(m.name, path, known))
			continue
		}
		fits = r.fill(m.value, at, out.Field(i)) && fits
	}
	return fits
}

func index(known []string, name string) int {
	for i, k := range known {
		if k == name {
			return i
		}
	}
	return -1
}

// unknown is the sentence about a key that does not exist.
func unknown(name, path string, known []string) string {
	text := strconv.Quote(shown(name)) + " is not known in " + shownPath(path)
	if near := tools.Nearest(name, known); near != "" {
		return text + ": did you mean " + strconv.Quote(near) + "?"
	}
	return text + ": known are " + strings.Join(known, ", ")
}
