package store_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"prax/store"
	"prax/store/digest"
)

func testKey(t testing.TB, seed byte) *digest.Key {
	t.Helper()
	k, err := digest.NewKey(bytes.Repeat([]byte{seed}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// chainLines are n events of a chain, as lines of an archive; fork makes them differ from that number on.
func chainLines(t testing.TB, n, fork int) (lines []string, hashes []string) {
	t.Helper()
	hash := ""
	hashes = append(hashes, hash)
	for seq := 1; seq <= n; seq++ {
		e := store.Event{Kind: store.EventServer, At: time.UnixMilli(int64(seq)), Detail: fmt.Sprintf(`{"n":%d}`, seq)}
		if fork > 0 && seq >= fork {
			e.Detail = `{"n":0}`
		}
		linked := e.Normal().Link(int64(seq), hash)
		lines, hashes, hash = append(lines, string(store.EncodeEvent(linked))+"\n"), append(hashes, linked.Hash), linked.Hash
	}
	return lines, hashes
}

func archiveOf(k *digest.Key, lines, hashes []string, first, last int) string {
	return strings.Join(lines[first-1:last], "") + string(store.EncodeAnchor(store.SignAnchor(k, int64(last), hashes[last], time.UnixMilli(1))))
}

// TestReadArchive: a whole archive of this installation is read, and nothing else is.
func TestReadArchive(t *testing.T) {
	t.Parallel()
	ours, theirs := testKey(t, 1), testKey(t, 2)
	lines, hashes := chainLines(t, 5, 0)
	good := archiveOf(ours, lines, hashes, 2, 4)
	head := store.EncodeHead(store.SignHead(ours, 4, hashes[4], time.UnixMilli(1)))
	tests := map[string]struct{ text, says string }{
		"whole":              {good, ""},
		"empty":              {"", "no signed end"},
		"no end":             {lines[0] + lines[1], "no signed end"},
		"half a line":        {good[:len(good)-1], "no signed end"},
		"another's":          {archiveOf(theirs, lines, hashes, 2, 4), "not signed by this installation"},
		"a head as the end":  {strings.Join(lines[1:4], "") + string(head), "not signed by this installation"},
		"only an end":        {archiveOf(ours, lines, hashes, 1, 4)[len(strings.Join(lines[:4], "")):], "it ends with event 0"},
		"end of a longer":    {lines[1] + archiveOf(ours, lines, hashes, 4, 4)[len(lines[3]):], "vouches for event 4"},
		"something follows":  {good + "\n", "follows its signed end"},
		"event missing":      {lines[0] + archiveOf(ours, lines, hashes, 3, 4), "event 3 does not follow event 1"},
		"event changed":      {strings.Replace(good, `{"n":3}`, `{"n":7}`, 1), "event 3 was changed"},
		"spelling":           {strings.Replace(good, `"kind":"server"`, `"kind": "server"`, 1), "canonical"},
		"an unknown member":  {strings.Replace(good, `"at":2`, `"as":1,"at":2`, 1), "unknown"},
		"a line of no end":   {strings.Repeat("x", store.MaxLine+2), "more than"},
		"number below one":   {strings.Replace(lines[0], `"seq":1`, `"seq":-1`, 1), "begins with event -1"},
		"anchor, more to it": {strings.Replace(good, `"kind":"anchor"`, `"kind":"anchor","x":1`, 1), "unknown"},
	}
	for name, test := range tests {
		p, err := store.ReadArchive(strings.NewReader(test.text), ours.Public(), func(int64, string) {})
		switch {
		case test.says == "" && (err != nil || p.First != 2 || p.Last != 4 || p.Hash != hashes[4] || p.Prev != hashes[1]):
			t.Errorf("%s: %+v, %v", name, p, err)
		case test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)):
			t.Errorf("%s: %v, want %q", name, err, test.says)
		}
	}
}

// TestJoin: archives and the rest are one chain, or the report says where not.
func TestJoin(t *testing.T) {
	t.Parallel()
	k := testKey(t, 1)
	lines, hashes := chainLines(t, 9, 0)
	forked, forkedHashes := chainLines(t, 9, 3)
	type span struct {
		first, last int
		fork        bool
	}
	tests := map[string]struct {
		spans  []span
		anchor int // 0: none
		fork   bool
		says   string
	}{
		"one":                    {[]span{{1, 9, false}}, 9, false, ""},
		"two":                    {[]span{{5, 9, false}, {1, 4, false}}, 9, false, ""},
		"overlapping":            {[]span{{1, 6, false}, {3, 9, false}}, 9, false, ""},
		"one within another":     {[]span{{1, 9, false}, {3, 4, false}}, 9, false, ""},
		"beyond the anchor":      {[]span{{1, 9, false}}, 4, false, ""},
		"nothing removed yet":    {[]span{{1, 9, false}}, 0, false, ""},
		"first missing":          {[]span{{5, 9, false}}, 9, false, "events 1 to 4 are in none"},
		"between missing":        {[]span{{1, 3, false}, {6, 9, false}}, 9, false, "events 4 to 5 are in none"},
		"last missing":           {[]span{{1, 3, false}}, 9, false, "end with event 3, the chain goes on after event 9"},
		"of another branch":      {[]span{{1, 9, true}}, 9, false, "does not follow event 9"},
		"second of other branch": {[]span{{1, 4, false}, {5, 9, true}}, 9, true, "does not follow the archive before"},
		"two branches":           {[]span{{1, 4, false}, {1, 9, true}}, 4, false, "differ at event 4"},
		"an abandoned branch":    {[]span{{1, 5, true}, {1, 9, false}}, 9, false, "differ at event 5"},
	}
	for name, test := range tests {
		before := []int64{int64(test.anchor)}
		for _, s := range test.spans {
			before = append(before, int64(s.first-1), int64(s.last))
		}
		joints := store.NewJoints(before)
		var pieces []store.Piece
		for _, s := range test.spans {
			text := archiveOf(k, lines, hashes, s.first, s.last)
			if s.fork {
				text = archiveOf(k, forked, forkedHashes, s.first, s.last)
			}
			p, err := store.ReadArchive(strings.NewReader(text), k.Public(), joints.Note)
			if err != nil {
				t.Fatal(err)
			}
			pieces = append(pieces, p)
		}
		var r store.Report
		if test.anchor > 0 {
			a := store.SignAnchor(k, int64(test.anchor), hashes[test.anchor], time.UnixMilli(1))
			if test.fork {
				a = store.SignAnchor(k, int64(test.anchor), forkedHashes[test.anchor], time.UnixMilli(1))
			}
			r.Anchor = &a
		}
		r.Join(pieces, joints)
		if got := strings.Join(r.Problems, "; "); test.says == "" && got != "" || !strings.Contains(got, test.says) {
			t.Errorf("%s: %q, want %q", name, got, test.says)
		}
	}
}

// FuzzReadArchive: whatever stands in a file, it is read or refused, and what is read is signed.
func FuzzReadArchive(f *testing.F) {
	k := testKey(f, 1)
	lines, hashes := chainLines(f, 3, 0)
	good := archiveOf(k, lines, hashes, 1, 3)
	for _, text := range []string{good, good[:len(good)-9], lines[0], "\n", "{}\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := store.ReadArchive(bytes.NewReader(text), k.Public(), func(int64, string) {})
		if err == nil && !(p.Last <= 3 && p.Hash == hashes[p.Last]) {
			t.Fatalf("%+v is not of this installation", p)
		}
	})
}
