package clients

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"prax/auth"
)

// FuzzEdit: whatever the file is, an edit changes nothing but what it is about. A client that is added is admitted, and
// every other byte stays; its hash is replaced in its place; and once it is revoked again all others are what they were.
func FuzzEdit(f *testing.F) {
	bob := `{"name": "bob", "user_id": "b", "token": "bob-token-0123456789"}`
	for _, text := range []string{`{"clients": []}`, `{}`, `{"clients":[` + bob + `]}`, "\ufeff{\"x\":[1],\r\n\"clients\"\t:[ " + bob + " ] }\n", `{"clients": [5, {"name": "carol"}, null]}`, `{"clients": [{"name":"\u0063arol"}], "y":{}}`, "{\"clients\": [\n    {\n        \"name\": \"a\"\n    }\n]}", `{"clients":[{},{"token":""},` + bob + `]}`} {
		f.Add([]byte(text))
	}
	carol := Entry{Name: "carol", UserID: "c", Hash: auth.HashToken("new-token-0123456789"), Allow: []string{"memory_recall"}}
	f.Fuzz(func(t *testing.T, text []byte) {
		before, ok := snapshotOf(text)
		if !ok {
			return // no edit begins
		}
		added := layoutOf(t, text).add(carol.members())
		now, ok := snapshotOf(added)
		if !ok {
			t.Fatalf("%q became %q, which does not read", text, added)
		}
		if now.stands("carol") != nil {
			return // the edit is refused
		}
		if got, want := standing(now), append(standing(before), carol.Hash.Hex()); !slices.Equal(got, want) {
			t.Fatalf("%q became %q: %q, want %q", text, added, got, want)
		}
		if old := solid(text); subtract(solid(added), old) != len(old) {
			t.Fatalf("%q became %q: that is more than an insertion", text, added)
		}
		m := layoutOf(t, added)
		at := m.named("carol")
		if len(at) != 1 {
			t.Fatalf("%q has carol %d times", added, len(at))
		}
		next := auth.HashToken("another-token-0123456789")
		rotated, ok := m.rehash(&m.entries[at[0]], next)
		if want := bytes.Replace(added, []byte(carol.Hash.Hex()), []byte(next.Hex()), 1); !ok || !bytes.Equal(rotated, want) {
			t.Fatalf("%q: rotated, %q", added, rotated)
		}
		left, ok := snapshotOf(m.remove(at[0]))
		if !ok || !slices.Equal(standing(left), standing(before)) {
			t.Fatalf("%q: revoked, %q, want %q", m.remove(at[0]), standing(left), standing(before))
		}
	})
}

func layoutOf(t *testing.T, text []byte) *layout {
	m, err := measure(text)
	if err != nil {
		t.Fatalf("%q reads, and cannot be edited: %v", text, err)
	}
	return m
}

func snapshotOf(text []byte) (*snapshot, bool) {
	s, _, f := assemble(&Config{}, nil, time.Now(), &source{text: text})
	return s, f == nil
}

// standing are the clients of a snapshot in the order of the file, by the hashes of their tokens: "" for one that
// admits nobody.
func standing(s *snapshot) []string {
	list := []string{}
	for i := range s.rows {
		one := ""
		if !s.rows[i].flags.has(out) {
			one = s.rows[i].credential.Hex()
		}
		list = append(list, one)
	}
	return list
}

// solid is a text without its blanks: those around an insertion may change.
func solid(text []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n", r) {
			return -1
		}
		return r
	}, text)
}

// subtract is how many bytes of the old text the new one has, before and behind what differs.
func subtract(with, old []byte) int {
	head := 0
	for head < len(old) && with[head] == old[head] {
		head++
	}
	tail := 0
	for tail < len(old)-head && with[len(with)-1-tail] == old[len(old)-1-tail] {
		tail++
	}
	return head + tail
}
