package digest_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"prax/store/digest"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	// The examples of RFC 8785, 3.2.2 and 3.2.3, and what the form leaves open.
	tests := map[string]string{
		`{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001], "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`: `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
		`{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`:                                                                                                    "{\"\\r\":2,\"1\":4,\"\u0080\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\ufb33\":3}",
		` [ -0 , 1.0 , 10e-1 ] `:     `[0,1,1]`,
		`[1e20, 1.5E20, 1e21]`:       `[100000000000000000000,150000000000000000000,1e+21]`,
		`-100000000000000000000`:     `-100000000000000000000`,
		`9007199254740992`:           `9007199254740992`,
		`-9007199254740992`:          `-9007199254740992`,
		`"x"`:                        `"x"`,
		`{"b":{"d":1,"c":2},"a":[]}`: `{"a":[],"b":{"c":2,"d":1}}`,
		strings.Repeat("[", 64) + strings.Repeat("]", 64): strings.Repeat("[", 64) + strings.Repeat("]", 64),
	}
	for raw, want := range tests {
		got, err := digest.Canonical([]byte(raw))
		if err != nil || string(got) != want {
			t.Errorf("%s\n got %s, %v\nwant %s", raw, got, err, want)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	tests := []string{
		``, ` `, `{`, `{"a":1} x`, `1 2`, `nul`, `{"a":1,}`, `[01]`, `"` + "\n" + `"`, "\"\xff\"", `"\ud800"`,
		`{"a":1,"a":2}`, `{"x":[{"deep":{"a":1,"b":2,"\u0061":3}}]}`,
		`9007199254740993`, `-9007199254740993`, `{"a":[1,12345678901234567890]}`, `9007199254740993.0`, `9007199254740992.5`,
		`100000000000000000001`, `100000000000000000000.0`, `1000000000000000000000`,
		`1e400`, `-1e400`, `NaN`, `Infinity`,
		strings.Repeat("[", 65) + strings.Repeat("]", 65), strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65), strings.Repeat("[", 1<<20),
	}
	for _, raw := range tests {
		if _, err := digest.Canonical([]byte(raw)); !errors.Is(err, digest.ErrJSON) {
			t.Errorf("%.80q: %v, want ErrJSON", raw, err)
		}
		if _, err := digest.Sum([]byte(raw)); err == nil {
			t.Errorf("%.80q has a sum", raw)
		}
	}
}

func TestSum(t *testing.T) {
	t.Parallel()
	a, errA := digest.Sum([]byte(`{"a":1, "b":[2.0]}`))
	b, errB := digest.Sum([]byte("{\"b\":[2],\n\"a\":1e0}"))
	if a != b || errA != nil || errB != nil || a != digest.Hex([]byte(`{"a":1,"b":[2]}`)) {
		t.Errorf("%s, %v and %s, %v", a, errA, b, errB)
	}
	if got := digest.Hex(nil); got != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" {
		t.Errorf("sum of nothing is %s", got)
	}
}

func FuzzCanonical(f *testing.F) {
	for _, raw := range []string{`{"b":1,"a":[1.5e3,"\u00e9"]}`, `{"a":{"a":{}}}`, `-0.0`, `"\ud83d\ude00"`, `[9007199254740993]`, `1E20`} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		got, err := digest.Canonical(raw)
		if !bytes.Equal(before, raw) {
			t.Fatalf("%q was changed", before)
		}
		if err != nil {
			if !errors.Is(err, digest.ErrJSON) {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		again, err := digest.Canonical(got)
		if err != nil || !bytes.Equal(again, got) {
			t.Fatalf("%q gives %q, and that %q, %v", raw, got, again, err)
		}
	})
}

func TestKey(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "keys")
	path := filepath.Join(dir, "audit.key")
	if _, err := digest.LoadKey(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no key yet: %v", err)
	}
	made, err := digest.LoadOrCreateKey(path)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := digest.LoadKey(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := digest.LoadOrCreateKey(path)
	if err != nil {
		t.Fatal(err)
	}
	message := []byte("message")
	for _, k := range []*digest.Key{loaded, again} {
		if k.MAC(message) != made.MAC(message) || k.Mark(message) != made.Mark(message) || k.Sign(message) != made.Sign(message) || k.Public() != made.Public() {
			t.Error("the key that is read is another")
		}
	}
	for name, want := range map[string]fs.FileMode{".": 0o700, "audit.key": 0o600, "audit.pub": 0o600} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want mode %v", name, info, err, want)
		}
	}
	if public, err := os.ReadFile(filepath.Join(dir, "audit.pub")); err != nil || strings.TrimSpace(string(public)) != made.Public() {
		t.Errorf("audit.pub holds %q, %v", public, err)
	}
	other, err := digest.LoadOrCreateKey(filepath.Join(t.TempDir(), "audit.key"))
	if err != nil {
		t.Fatal(err)
	}
	if other.MAC(message) == made.MAC(message) || other.Mark(message) == made.Mark(message) || made.Mark(message) == made.MAC(message)[:32] || other.Public() == made.Public() {
		t.Error("two installations have one key")
	}
	signature := made.Sign(message)
	if !digest.Verify(made.Public(), message, signature) || digest.Verify(other.Public(), message, signature) ||
		digest.Verify(made.Public(), []byte("massage"), signature) || digest.Verify(made.Public(), message, "") || digest.Verify("zz", message, signature) {
		t.Error("a signature is not good for exactly its key and message")
	}
}

// TestKeyIsHidden: no verb prints it.
func TestKeyIsHidden(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.key")
	k, err := digest.LoadOrCreateKey(path)
	if err != nil {
		t.Fatal(err)
	}
	seed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := hex.DecodeString(strings.TrimSpace(string(seed)))
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%q", "%d"} {
		if got := fmt.Sprintf(verb, k); got != "[installation key]" {
			t.Errorf("%s prints %q", verb, got)
		}
	}
	if strings.Contains(fmt.Sprint(k), string(raw)) {
		t.Error("the seed is printed")
	}
}

func TestBadKeys(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "zz", strings.Repeat("ab", 31), strings.Repeat("ab", 33), strings.Repeat("ab", 5000)} {
		path := filepath.Join(t.TempDir(), "audit.key")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := digest.LoadOrCreateKey(path); err == nil {
			t.Errorf("a key of %d bytes was taken", len(text))
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != text {
			t.Error("a key that cannot be read was replaced")
		}
	}
	if _, err := digest.NewKey(make([]byte, 31)); err == nil {
		t.Error("31 bytes are a key")
	}
}

// TestReplace: the old content or the new one, and nothing else in the folder.
func TestReplace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, content := range []string{"one", "two", ""} {
		if err := digest.Replace(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("got %q, %v, want %q", got, err, content)
		}
	}
	if err := digest.Replace(filepath.Join(dir, "missing", "file"), nil); err == nil {
		t.Error("a missing folder is no error")
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := digest.Replace(filepath.Join(dir, "folder"), []byte("x")); err == nil {
		t.Error("a folder was replaced")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// TestRead: whatever stands at the name of a small file, reading it ends at once.
func TestRead(t *testing.T) {
	t.Parallel()
	makes := map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"huge": func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40))
		},
	}
	for name, make := range makes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "audit.key")
			if err := make(path); err != nil {
				t.Fatal(err)
			}
			before, _ := os.Lstat(path)
			if _, err := digest.Read(path); err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("read: %v", err)
			}
			if _, err := digest.LoadOrCreateKey(path); err == nil || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("load: %v", err)
			}
			if after, err := os.Lstat(path); err != nil || after.Mode() != before.Mode() || !after.ModTime().Equal(before.ModTime()) {
				t.Errorf("it was touched: %v, %v", after, err)
			}
		})
	}
}

// TestPublicKeyIsMadeAnew: a pipe where the public half should be neither waits nor stays.
func TestPublicKeyIsMadeAnew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "audit.pub"), 0o600); err != nil {
		t.Fatal(err)
	}
	k, err := digest.LoadOrCreateKey(filepath.Join(dir, "audit.key"))
	if err != nil {
		t.Fatal(err)
	}
	if public, err := digest.Read(filepath.Join(dir, "audit.pub")); err != nil || strings.TrimSpace(string(public)) != k.Public() {
		t.Errorf("audit.pub holds %q, %v", public, err)
	}
}

// TestRemoveLeftovers: what a kill left goes, and nothing else.
func TestRemoveLeftovers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "keys", "audit.key")
	if err := digest.RemoveKeyLeftovers(path); err != nil {
		t.Errorf("without the folder: %v", err)
	}
	if _, err := digest.LoadOrCreateKey(path); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"audit.key.1234.new", "audit.pub.5.new", "audit.key.old.new", "audit.key..new", "audit.key.1.new.bak", "other.1.new"} {
		if err := os.WriteFile(filepath.Join(dir, "keys", name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := digest.RemoveKeyLeftovers(path); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "keys"))
	var left []string
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	want := []string{"audit.key", "audit.key..new", "audit.key.1.new.bak", "audit.key.old.new", "audit.pub", "other.1.new"}
	if err != nil || !slices.Equal(left, want) {
		t.Errorf("left are %q, %v, want %q", left, err, want)
	}
}

// TestChecks: many at once do not mix, and what one was refused for says nothing of the next.
func TestChecks(t *testing.T) {
	t.Parallel()
	texts := map[string]bool{
		`{"a":1,"b":[2]}`: true, `{"b":1}`: true, `"a"`: true, strings.Repeat(" ", 80<<10) + `{"a":1}`: true,
		`{"a":1,"a":2}`: false, `{"b":{"a":[1,`: false, `[9007199254740993]`: false, `1 2`: false,
	}
	var all sync.WaitGroup
	for text, fine := range texts {
		raw := []byte(text)
		for range 2 { // of one text, too
			all.Go(func() {
				for range 200 {
					if err := digest.Check(raw); (err == nil) != fine {
						t.Errorf("%.20q: %v", strings.TrimSpace(text), err)
						return
					}
				}
			})
		}
	}
	all.Wait()
}

// TestMACs: many at once do not mix.
func TestMACs(t *testing.T) {
	t.Parallel()
	k, err := digest.NewKey(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"": k.MAC(nil), "a": k.MAC([]byte("a")), "aa": k.MAC([]byte("aa"))}
	var all sync.WaitGroup
	for text, mac := range want {
		all.Go(func() {
			for range 200 {
				if got := k.MAC([]byte(text)); got != mac {
					t.Errorf("MAC of %q = %s, then %s", text, mac, got)
					return
				}
			}
		})
	}
	all.Wait()
}

// TestIsCanonical: what this program writes is known to be canonical at once, and nothing is that is not.
func TestIsCanonical(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 64) + strings.Repeat("]", 64)
	for _, text := range []string{
		`{}`, `[]`, `""`, `0`, `-7`, `999999999999999`, `true`, `false`, `null`, `{"":1,"A":[],"a":{},"a b":"ä €"}`, `[1,"x",null,[2]]`, deep,
		`{"correlation_id":"cor_1","events":[{"event_type":"transition.accepted","payload":{"actor":"agent","toState":"far"}}],"workflow_id":"wf_1"}`,
	} {
		if got, err := digest.Spell([]byte(text)); !digest.IsCanonical([]byte(text)) || err != nil || string(got) != text {
			t.Errorf("%.80s is not seen to be canonical: %.80s, %v", text, got, err)
		}
	}
	for _, text := range []string{
		``, ` 1`, `1 `, `-`, `-0`, `01`, `1.0`, `1e3`, `9999999999999999`, `+1`, `tru`, `nul`, `"`, "\"\n\"", `"\u0061"`, "\"\xff\"", "\"\xed\xa0\x80\"",
		`{"b":1,"a":2}`, `{"a":1,"a":2}`, `{"a": 1}`, `{"a":1,}`, `{a:1}`, `{"a"}`, `{"ä":1}`, `[1,]`, `[1 ]`, `[`, `{`, `{}{}`, "[" + deep + "]",
	} {
		if digest.IsCanonical([]byte(text)) {
			t.Errorf("%.80q passes for canonical", text)
		}
	}
}

// TestVerbatim: each character that is said to stand in JSON as it is does, and every other of ASCII but DEL is written otherwise.
func TestVerbatim(t *testing.T) {
	t.Parallel()
	for c := range rune(0x180) {
		text := "a" + string(c)
		got, err := digest.Spell([]byte(strconv.Quote(text)))
		is := err == nil && string(got) == `"`+text+`"`
		if verbatim := digest.Verbatim(text); verbatim != (is && c < 0x7f) {
			t.Errorf("%q: verbatim %v, written %s, %v", text, verbatim, got, err)
		}
	}
}

func FuzzIsCanonical(f *testing.F) {
	for _, text := range []string{`{"a":[1,-2,"é"],"b":{"c":null}}`, `{"a":0,"aa":true}`, `[-0]`, `"\u007f"`, `1e0`, `[[]]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		known := digest.IsCanonical(text)
		got, err := digest.Spell(text)
		if known && (err != nil || !bytes.Equal(got, text)) {
			t.Fatalf("%q passes for canonical: %q, %v", text, got, err)
		}
		if err := digest.CheckSlowly(text); known && err != nil {
			t.Fatalf("%q passes for acceptable: %v", text, err)
		}
	})
}

// TestOrder: what differs from the canonical form in blanks and order alone is put in order without the library.
func TestOrder(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{}`: `{}`, " [ ] ": `[]`, `{"b":1,"a":2}`: `{"a":2,"b":1}`, "{\"b\" : [ 1 , {\"z\":{},\"y\":\"é\"} ],\n\t\"a\":\r null}": `{"a":null,"b":[1,{"y":"é","z":{}}]}`,
		`{"workflowId":"wf_1","expectedVersion":7,"transition":"hit","arguments":{"text":"x"}}`: `{"arguments":{"text":"x"},"expectedVersion":7,"transition":"hit","workflowId":"wf_1"}`,
		`{"c":{"f":1,"d":2,"e":3},"b":{"a":1},"a":{}}`:                                          `{"a":{},"b":{"a":1},"c":{"d":2,"e":3,"f":1}}`,
	} {
		if got, plain := digest.Order([]byte(raw)); !plain || string(got) != want {
			t.Errorf("%s\n got %s, %v\nwant %s", raw, got, plain, want)
		}
	}
	for _, raw := range []string{``, ` `, `{"a":1,"b":2,"a":3}`, `{"b":1,"b":1}`, `{"é":1}`, `{"a":1.0}`, `{"a":"\\n"}`, `{"b":1,"a":2,}`, `{"a":1}}`, `{"a" 1}`} {
		if got, plain := digest.Order([]byte(raw)); plain {
			t.Errorf("%s is taken for plain: %s", raw, got)
		}
	}
}

func FuzzOrder(f *testing.F) {
	for _, text := range []string{`{"b":[1, -2,"é"],"a":{"d":null,"c":{}}}`, ` {"aa":0 ,"a":true}`, `[{"b":1,"a":1},[ ]]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		got, plain := digest.Order(text)
		want, err := digest.Spell(text)
		if !bytes.Equal(before, text) || plain && (err != nil || !bytes.Equal(got, want)) {
			t.Fatalf("%q is put in order as %q: the library has %q, %v", before, got, want, err)
		}
	})
}

func BenchmarkMAC(b *testing.B) {
	k, err := digest.NewKey(make([]byte, 32))
	if err != nil {
		b.Fatal(err)
	}
	text := []byte(`{"text":"the quick brown fox jumps over the lazy dog"}`)
	b.ReportAllocs()
	for b.Loop() {
		k.MAC(text)
	}
}

func BenchmarkCanonical(b *testing.B) {
	text := []byte(`{"workflowId":"wf_nfgma51gkmsad2q8qma6sa22k8","expectedVersion":1234,"transition":"hit","arguments":{"text":"the quick brown fox"}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := digest.Canonical(text); err != nil {
			b.Fatal(err)
		}
	}
}
