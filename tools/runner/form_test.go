package runner_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools/runner"
)

// altered is a Changer whose instances have another context than what is stored, at the same version.
type altered struct {
	store.Store
	context string
}

func (a altered) Instance(ctx context.Context, s auth.Scope, id string) (store.Instance, error) {
	i, err := a.Store.Instance(ctx, s, id)
	i.Context = []byte(a.context)
	return i, err
}

// TestForm: what an instance says is read anew when it is anything else than what was read last, whatever its version.
func TestForm(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.begin(agent, "ticket")
	h.get(agent, a.Stored.ID)
	for _, want := range []string{"x", "y", "x"} {
		w := work(agent)
		w.On = altered{h.db, fmt.Sprintf(`{"who":%q}`, want)}
		b, err := h.Get(context.Background(), w, a.Stored.ID)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "context", b.Instance.Context, map[string]any{"who": want})
	}
	w := work(agent)
	w.On = altered{h.db, `{"who":`}
	if b, err := h.Get(context.Background(), w, a.Stored.ID); err == nil {
		t.Errorf("a broken context was read: %+v", b.Instance)
	}
	equal(t, "as it is stored", h.get(agent, a.Stored.ID).Instance.Context, a.Instance.Context)
}

// TestSame: rows that differ in whatever it be are not the same.
func TestSame(t *testing.T) {
	t.Parallel()
	fields := reflect.TypeFor[store.Instance]().NumField()
	for n := range fields {
		var a, b store.Instance
		if !runner.Same(&a, &b) {
			t.Fatal("two rows with nothing in them are not the same")
		}
		switch f := reflect.ValueOf(&b).Elem().Field(n); f.Interface().(type) {
		case time.Time:
			f.Set(reflect.ValueOf(morning))
		case jsontext.Value:
			f.SetBytes([]byte("{}"))
		case bool:
			f.SetBool(true)
		case int64:
			f.SetInt(1)
		default:
			f.SetString("x")
		}
		if runner.Same(&a, &b) {
			t.Errorf("rows that differ in %s are the same", reflect.TypeFor[store.Instance]().Field(n).Name)
		}
	}
}

// TestFormsAreBounded: of many large instances only the last are kept.
func TestFormsAreBounded(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.begin(agent, "ticket")
	large := fmt.Sprintf(`{"who":%q}`, strings.Repeat("x", 100<<10))
	for n := range 20 {
		w := work(agent)
		w.On = renamed{altered{h.db, large}, fmt.Sprintf("%s-%d", a.Stored.ID, n)}
		if _, err := h.Get(context.Background(), w, a.Stored.ID); err != nil {
			t.Fatal(err)
		}
	}
	if count, bytes := h.Kept(); count < 2 || count > 10 || bytes > 4<<20 {
		t.Errorf("%d forms of %d bytes are kept", count, bytes)
	}
}

// renamed is a Changer whose instances have another id.
type renamed struct {
	runner.Changer
	id string
}

func (r renamed) Instance(ctx context.Context, s auth.Scope, id string) (store.Instance, error) {
	i, err := r.Changer.Instance(ctx, s, id)
	i.ID = r.id
	return i, err
}
