package secret

import (
	"bytes"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
)

// CutValue is a decoded JSON value with each secret replaced, in its strings and in the names of its members; a number
// that has one in it becomes [secret]. The value itself stays as it is. Names that are the same by then are numbered.
// A value that does not come from JSON is taken as what it is in JSON, if there is a secret in that.
func (v *Values) CutValue(value any) any {
	if v == nil || len(v.plain) == 0 {
		return value
	}
	switch x := value.(type) {
	case nil, bool:
		return value
	case string:
		return v.CutString(x)
	case []any:
		all := make([]any, len(x))
		for i, e := range x {
			all[i] = v.CutValue(e)
		}
		return all
	case map[string]any:
		return v.cutMembers(x)
	}
	return v.cutOther(value)
}

func (v *Values) cutMembers(members map[string]any) map[string]any {
	out := make(map[string]any, len(members))
	count := map[string]int{}
	for _, written := range slices.Sorted(maps.Keys(members)) {
		cut := v.CutString(written)
		name := cut
		for _, taken := out[name]; taken; _, taken = out[name] {
			count[cut]++
			name = cut + " " + strconv.Itoa(count[cut]+1)
		}
		out[name] = v.CutValue(members[written])
	}
	return out
}

// cutOther cuts a number, or what is no JSON value yet.
func (v *Values) cutOther(value any) any {
	text, err := json.Marshal(value)
	if err != nil {
		return mark
	}
	if bytes.Equal(text, v.Cut(text)) {
		return value
	}
	var decoded any
	if err := json.Unmarshal(text, &decoded); err != nil {
		return mark
	}
	if _, number := decoded.(float64); number {
		return mark
	}
	return v.CutValue(decoded)
}
