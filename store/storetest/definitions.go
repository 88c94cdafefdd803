package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/store"
	"prax/store/digest"
)

func contentOf(id string, version int64, text string) store.Definition {
	return store.Definition{ID: id, Version: version, Hash: digest.Hex([]byte(text)), Text: []byte(text), Created: dawn}
}

// definitions: a content is kept once, under the number that it declares or that is counted; nothing is ever
// kept under the number of another content.
func definitions(t *testing.T, open Opener) {
	f := start(t, open)
	tests := []struct {
		what string
		put  store.Definition
		want int64 // 0: ErrConflict
	}{
		{"the first counted", contentOf("d", 0, `{"a":1}`), 1},
		{"the same again", contentOf("d", 0, `{"a":1}`), 1},
		{"another content", contentOf("d", 0, `{"a":2}`), 2},
		{"a declared number", contentOf("d", 7, `{"a":3}`), 7},
		{"counted on from it", contentOf("d", 0, `{"a":4}`), 8},
		{"a number between", contentOf("d", 5, `{"a":5}`), 5},
		{"the same declared again", contentOf("d", 7, `{"a":3}`), 7},
		{"another content under a declared number", contentOf("d", 7, `{"a":6}`), 0},
		{"a known content under another's number", contentOf("d", 7, `{"a":1}`), 0},
		{"a known content, counted", contentOf("d", 0, `{"a":3}`), 7},
		{"a known content under a number that is free", contentOf("d", 99, `{"a":1}`), 1},
		{"another id", contentOf("e", 0, `{"a":1}`), 1},
	}
	for _, test := range tests {
		var got store.Definition
		err := f.Update(context.Background(), func(tx store.Tx) (err error) {
			got, err = tx.PutDefinition(test.put)
			return err
		})
		if test.want == 0 {
			if !errors.Is(err, store.ErrConflict) {
				t.Errorf("%s: %v, want ErrConflict", test.what, err)
			}
			continue
		}
		want := test.put
		want.Version = test.want
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", test.what, err, diff)
		}
	}
	f.reopen()
	f.look(func(tx store.Tx) error {
		want := contentOf("d", 5, `{"a":5}`)
		got, err := tx.Definition("d", want.Hash)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("read back (-want +got):\n%s", diff)
		}
		for _, unknown := range [][2]string{{"d", digest.Hex([]byte(`{"a":6}`))}, {"e", want.Hash}, {"", ""}, {"f", want.Hash}} {
			if _, err := tx.Definition(unknown[0], unknown[1]); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%q: %v, want ErrNotFound", unknown, err)
			}
		}
		return err
	})
	refusedDefinitions(t, f)
}

func refusedDefinitions(t *testing.T, f *fixture) {
	large := `{"a":"` + string(make([]byte, store.MaxDefinition)) + `"}`
	other := contentOf("d", 0, `{"a":1}`)
	other.Text = []byte(`{"a":2}`)
	for name, d := range map[string]store.Definition{
		"no id":                   contentOf("", 0, `{}`),
		"no JSON":                 contentOf("d", 0, `{"a":`),
		"no object":               contentOf("d", 0, `[]`),
		"no text":                 {ID: "d", Hash: digest.Hex(nil)},
		"negative version":        contentOf("d", -1, `{}`),
		"the hash of another":     other,
		"too large":               contentOf("d", 0, large),
		"an id that is not UTF-8": contentOf("\xff", 0, `{}`),
		"an id that is too long":  contentOf(large[:store.MaxFieldBytes+1], 0, `{}`),
	} {
		err := f.Update(context.Background(), func(tx store.Tx) error {
			_, err := tx.PutDefinition(d)
			return err
		})
		if err == nil {
			t.Errorf("%s: kept", name)
		}
	}
}
