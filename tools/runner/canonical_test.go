package runner

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"prax/store"
	"prax/store/digest"
	"prax/tools/workflow"
)

// values are what the engine works with, and what executors may hand it.
func values(deep int) *rapid.Generator[any] {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "\x00\n\"\\", "</&\u2028", "ﬃ", "😀", "€", "ö\u0080"}))
	plain := rapid.OneOf(
		rapid.Just[any](nil), rapid.Bool().AsAny(), text.AsAny(), rapid.Float64().AsAny(), rapid.Int().AsAny(), rapid.Int64().AsAny(),
		rapid.Int32Range(-5, 5).AsAny(), rapid.Map(rapid.IntRange(-100, 100), func(n int) any { return float64(n) / 4 }),
		rapid.SampledFrom([]any{math.Copysign(0, -1), 1e21, 1e-7, float64(1 << 53), float64(1<<53 - 1), -float64(1 << 53), 1<<53 - 1, 1 << 53, []string{"a"}, time.Duration(3).Nanoseconds()}),
	)
	if deep == 0 {
		return plain
	}
	within := values(deep - 1)
	return rapid.OneOf(plain, rapid.SliceOfN(within, 0, 4).AsAny(), rapid.MapOfN(text, within, 0, 20).AsAny())
}

// TestCanonical: what is written is what the library would write, made canonical; what that refuses is refused.
func TestCanonical(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := values(3).Draw(t, "value")
		got, err := encode(value)
		want, refused := json.Marshal(value)
		if refused == nil {
			want, refused = digest.Canonical(want)
		}
		if (err == nil) != (refused == nil) || err == nil && string(got) != string(want) {
			t.Errorf("%#v:\n got %s, %v\nwant %s, %v", value, got, err, want, refused)
		}
	})
}

// TestCanonicalRefuses what nests too deeply, and what is no text.
func TestCanonicalRefuses(t *testing.T) {
	t.Parallel()
	nested := func(deep int) (value any) {
		for range deep {
			value = []any{value}
		}
		return map[string]any{"x": value}
	}
	if raw, err := encode(nested(digest.MaxDepth - 1)); err != nil {
		t.Errorf("%s: %v", raw, err)
	}
	if raw, err := encode(nested(digest.MaxDepth)); !errors.Is(err, digest.ErrJSON) {
		t.Errorf("too deep: %s, %v", raw, err)
	}
	for _, value := range []any{"\xff", map[string]any{"\xff": 1}, func() {}, []any{1 << 60}} {
		if raw, err := encode(value); err == nil {
			t.Errorf("%#v: %s", value, raw)
		}
	}
}

// TestDetail: the record of an event is canonical, and fit for the audit at any depth.
func TestDetail(t *testing.T) {
	t.Parallel()
	wild := "a\u202eb" + strings.Repeat("x", 2*store.MaxSafeBytes)
	trail := []workflow.Fact{{Type: "one", Payload: map[string]any{
		"größe": []any{wild, map[string]any{"n": 1.5, "w": wild}}, "b": int64(7), "a": nil, "c": true, "zoë": wild,
	}}, {Type: "two"}}
	safe := store.SafeString(wild)
	for _, i := range []store.Instance{{}, {ID: "wf_1", DefinitionID: "d", TraceID: "t", RunID: "r"}} {
		c := &call{correlation: "cor_1"}
		got, err := c.detail(i, trail)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(Detail{i.ID, i.DefinitionID, "cor_1", i.TraceID, i.RunID, []workflow.Fact{{Type: "one", Payload: map[string]any{
			"größe": []any{safe, map[string]any{"n": 1.5, "w": safe}}, "b": 7, "a": nil, "c": true, "zoë": safe,
		}}, {Type: "two"}}})
		if err != nil {
			t.Fatal(err)
		}
		want, err := digest.Canonical(raw)
		if err != nil || got != string(want) {
			t.Errorf("\n got %s\nwant %s, %v", got, want, err)
		}
		if _, err := c.detail(i, []workflow.Fact{{Type: "\xff"}}); err == nil {
			t.Error("what is no text was written")
		}
	}
}

// TestMemo: the bookkeeping of most instances is empty, and written without asking the library; it reads the same.
func TestMemo(t *testing.T) {
	t.Parallel()
	all := []workflow.Memo{
		{}, {Fires: map[string]int{}}, {Whiles: map[string]int{"s": 1}}, {Asked: 1}, {Hops: 2}, {Driven: time.Second}, {Expired: true},
	}
	if members := reflect.TypeFor[workflow.Memo]().NumField(); len(all) != 1+members {
		t.Errorf("%d members, of which not each is alone in a memo here", members)
	}
	for _, m := range all {
		got, err := encodeMemo(m)
		raw, refused := json.Marshal(memo(m), nanoseconds)
		if want, _ := digest.Canonical(raw); err != nil || refused != nil || string(got) != string(want) {
			t.Errorf("%+v: %s, %v, want %s", m, got, err, want)
		}
	}
	if got, _ := encode(map[string]any(nil)); string(got) != string(jsontext.Value("{}")) {
		t.Errorf("no object: %s", got)
	}
}
