package clients_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"prax/auth"
	"prax/auth/clients"
)

var newHash = auth.HashToken("new-token-0123456789")

func carol() clients.Entry {
	return clients.Entry{Name: "carol", UserID: "c", Hash: newHash, Allow: []string{"memory_recall"}}
}

// carolText is how carol is written on one line.
var carolText = `{"name": "carol", "user_id": "c", "token_sha256": "` + newHash.Hex() + `", "allow": ["memory_recall"]}`

func put(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clients.json")
	if text != "-" {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// alone says that nothing is left beside the file.
func alone(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), ".tmp") || strings.Contains(e.Name(), "lock") {
			t.Errorf("%s is left behind", e.Name())
		}
	}
}

// TestAddClient: the text before and after, byte for byte; %s is where the entry comes.
func TestAddClient(t *testing.T) {
	t.Parallel()
	multi := "{\n        \"name\": \"carol\",\n        \"user_id\": \"c\",\n        \"token_sha256\": \"" + newHash.Hex() + "\",\n        \"allow\": [\"memory_recall\"]\n    }"
	tests := []struct{ name, before, after string }{
		{"missing", "-", "{\n  \"clients\": [\n    " + carolText + "\n  ]\n}\n"},
		{"empty list", `{"clients": []}`, "{\"clients\": [\n  " + carolText + "\n]}"},
		{"empty list, indented", "{\n\t\"clients\": [ ]\n}", "{\n\t\"clients\": [\n\t  " + carolText + "\n\t]\n}"},
		{"no list", `{}`, "{\n  \"clients\": [\n    " + carolText + "\n  ]\n}"},
		{"no list, other members", "{\"comment\": 1\n}", "{\"comment\": 1,\n  \"clients\": [\n    " + carolText + "\n  ]\n}"},
		{"one line", `{"clients":[` + bystander + `]}`, `{"clients":[` + bystander + `, ` + carolText + `]}`},
		{"an entry a line", file(alice(""), bystander), strings.Replace(file(alice(""), bystander), bystander, bystander+",\n  "+carolText, 1)},
		{"odd blanks stay", "\ufeff{ \"x\" :1,\r\n\"clients\"\t:[ " + bystander + " ] , \"y\": {} }\n\n",
			"\ufeff{ \"x\" :1,\r\n\"clients\"\t:[ " + bystander + ", " + carolText + " ] , \"y\": {} }\n\n"},
		{"a member a line", "{\"clients\": [\n    {\n        \"name\": \"a\",\n        \"user_id\": \"a\",\n        \"token\": \"a-token-0123456789\"\n    }\n]}",
			"{\"clients\": [\n    {\n        \"name\": \"a\",\n        \"user_id\": \"a\",\n        \"token\": \"a-token-0123456789\"\n    },\n    " + multi + "\n]}"},
		{"beside entries that are refused", `{"clients": [5, {"name": "bad"}]}`, `{"clients": [5, {"name": "bad"}, ` + carolText + `]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := put(t, tt.before)
			if err := clients.AddClient(path, carol()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, content(t, path)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			reg, err := clients.Open(clients.Config{Path: path}, nil, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if p, ok := reg.Lookup(newHash); !ok || p.Client != "carol" || p.User != "c" || !p.Allow.Has("memory_recall") || p.Allow.Len() != 1 {
				t.Errorf("admitted %t: %+v", ok, p)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			alone(t, path)
		})
	}
}

// TestAddEverything writes all that an entry can have, so that it reads back.
func TestAddEverything(t *testing.T) {
	t.Parallel()
	path := put(t, "-")
	expires := time.Date(2999, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, e := range []clients.Entry{
		{Name: `quote " and é`, UserID: "u\\v", Hash: newHash, Roles: []string{"human"}, Expires: expires},
		{Name: "none", UserID: "u", Hash: auth.HashToken("2"), Allow: []string{}},
	} {
		if err := clients.AddClient(path, e); err != nil {
			t.Fatal(err)
		}
	}
	got, report := clients.List(clients.Config{Path: path}, nil, noon)
	want := []clients.Listed{
		{Name: `quote " and é`, UserID: "u\\v", State: "live", Allow: auth.Names(clients.DefaultTools()...).Sorted(), Roles: []string{"human"}, Expires: expires, Tokens: []clients.ListedToken{{State: "live", Expires: expires, Credential: newHash}}},
		{Name: "none", UserID: "u", State: "live", Tokens: []clients.ListedToken{{State: "live", Credential: auth.HashToken("2")}}},
	}
	if diff := cmp.Diff(want, got); diff != "" || len(report.Problems) > 0 {
		t.Errorf("list (-want +got):\n%s\n%v", diff, report.Problems)
	}
}

// TestRotateClient: only the secret changes, and a plaintext one becomes a hash.
func TestRotateClient(t *testing.T) {
	t.Parallel()
	hex := newHash.Hex()
	tests := []struct{ name, before, after string }{
		{"a hash", `{"clients": [ {"token_sha256" : "` + hashOf("old") + `", "name":"carol","user_id":"c"} ]}`,
			`{"clients": [ {"token_sha256" : "` + hex + `", "name":"carol","user_id":"c"} ]}`},
		{"a token", `{"clients": [ {"token" : "old-token-0123456789", "name":"carol","user_id":"c"} , 5]}`,
			`{"clients": [ {"token_sha256" : "` + hex + `", "name":"carol","user_id":"c"} , 5]}`},
		{"an escaped name", `{"clients": [{"token": "x", "name":"\u0063arol","user_id":"c"}]}`,
			`{"clients": [{"token_sha256": "` + hex + `", "name":"\u0063arol","user_id":"c"}]}`},
		{"among others", "\ufeff" + file(alice(""), `{"name": "carol", "token": "t", "user_id": "c", "note": [1, 2]}`, bystander),
			"\ufeff" + file(alice(""), `{"name": "carol", "token_sha256": "`+hex+`", "user_id": "c", "note": [1, 2]}`, bystander)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := put(t, tt.before)
			if err := clients.RotateClient(path, "carol", clients.Rotation{Hash: newHash}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, content(t, path)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			alone(t, path)
		})
	}
}

// TestRevokeClient: the entry goes, with one comma, and nothing else.
func TestRevokeClient(t *testing.T) {
	t.Parallel()
	const c = `{"name": "carol", "token": "t", "user_id": "c"}`
	tests := []struct{ name, before, after string }{
		{"first", file(c, alice(""), bystander), file(alice(""), bystander)},
		{"middle", file(alice(""), c, bystander), file(alice(""), bystander)},
		{"last", file(alice(""), bystander, c), file(alice(""), bystander)},
		{"only", `{"clients":[ ` + c + ` ], "x": 1}`, `{"clients":[], "x": 1}`},
		{"several of one name", file(c, alice(""), c, c), file(alice(""))},
		{"refused ones too", file(`{"name": "carol", "allow": 5}`, alice("")), file(alice(""))},
		{"beside what is none", `{"clients": [5, ` + c + `, null]}`, `{"clients": [5, null]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := put(t, tt.before)
			if err := clients.RevokeClient(path, "carol"); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, content(t, path)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRevokeByPlace: a client that goes by its place goes alone, though the next one then has that place.
func TestRevokeByPlace(t *testing.T) {
	t.Parallel()
	unnamed := func(user string) string {
		return `{"user_id": "` + user + `", "token": "` + user + `-token-0123456789"}`
	}
	path := put(t, file(unnamed("u"), unnamed("v"), bystander, unnamed("w")))
	if err := clients.RevokeClient(path, "client-0"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(file(unnamed("v"), bystander, unnamed("w")), content(t, path)); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// TestRefusedEdits leave the file as it is.
func TestRefusedEdits(t *testing.T) {
	t.Parallel()
	add := func(e clients.Entry) func(string) error {
		return func(path string) error { return clients.AddClient(path, e) }
	}
	rotate := func(path string) error { return clients.RotateClient(path, "carol", clients.Rotation{Hash: newHash}) }
	revoke := func(path string) error { return clients.RevokeClient(path, "carol") }
	with := func(change func(*clients.Entry)) clients.Entry {
		e := carol()
		change(&e)
		return e
	}
	const old = `{"name": "carol", "user_id": "c", "token": "old-token-0123456789"}`
	tests := []struct {
		name string
		text string
		edit func(string) error
		want error // nil: any
	}{
		{"add the same name", file(old), add(carol()), clients.ErrExists},
		{"add the name of a refused one", file(`{"name": "carol", "allow": 5}`), add(carol()), clients.ErrExists},
		{"add the same token", file(`{"name": "x", "user_id": "x", "token": "new-token-0123456789"}`), add(carol()), clients.ErrExists},
		{"add a default name", file(`{"user_id": "x", "token": "t"}`), add(with(func(e *clients.Entry) { e.Name = "client-0" })), clients.ErrExists},
		{"add without a name", file(), add(with(func(e *clients.Entry) { e.Name = "" })), nil},
		{"add without a user", file(), add(with(func(e *clients.Entry) { e.UserID = "" })), nil},
		{"add a name with a line end", file(), add(with(func(e *clients.Entry) { e.Name = "a\nb" })), nil},
		{"add a name that is not UTF-8", file(), add(with(func(e *clients.Entry) { e.Name = "\xff" })), nil},
		{"add the operator", file(), add(with(func(e *clients.Entry) { e.UserID = "operator:0" })), nil},
		{"add no token", file(), add(with(func(e *clients.Entry) { e.Hash = auth.Credential{} })), clients.ErrRefused},
		{"add an empty tool", file(), add(with(func(e *clients.Entry) { e.Allow = []string{""} })), clients.ErrRefused},
		{"add to what is no JSON", "{bad", add(carol()), nil},
		{"add to what is no list", `{"clients": {}}`, add(carol()), nil},
		{"add to two lists", `{"clients": [], "clients": []}`, add(carol()), nil},
		{"rotate nobody", file(alice("")), rotate, clients.ErrNoClient},
		{"rotate two", file(old, old), rotate, clients.ErrDoubt},
		{"rotate both kinds", file(`{"name": "carol", "user_id": "c", "token": "t", "token_sha256": "` + hashOf("t") + `"}`), rotate, clients.ErrDoubt},
		{"rotate a token that stands twice", file(`{"name": "carol", "user_id": "c", "token": "t", "token": "u"}`), rotate, clients.ErrDoubt},
		{"rotate none", file(`{"name": "carol", "user_id": "c"}`), rotate, clients.ErrDoubt},
		{"rotate to another's", file(old, `{"name": "x", "user_id": "x", "token": "new-token-0123456789"}`), rotate, clients.ErrExists},
		{"rotate in what is no JSON", "{bad", rotate, nil},
		{"revoke nobody", file(alice("")), revoke, clients.ErrNoClient},
		{"revoke in what is no JSON", file(old)[:30], revoke, nil},
		{"rotate in a missing file", "-", rotate, nil},
		{"revoke in a missing file", "-", revoke, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := put(t, tt.text)
			err := tt.edit(path)
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if tt.text == "-" {
				if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("there is a file now: %v", err)
				}
			} else if diff := cmp.Diff(tt.text, content(t, path)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			alone(t, path)
		})
	}
}

// TestEditKeepsLinksAndMode: what is edited is the file behind the links, with the mode that it has.
func TestEditKeepsLinksAndMode(t *testing.T) {
	t.Parallel()
	path := put(t, file(alice("")))
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link.json")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := clients.AddClient(link, carol()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if info, err = os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	if !strings.Contains(content(t, path), "carol") {
		t.Error("the file was not edited")
	}
	dangling := filepath.Join(t.TempDir(), "dangling.json")
	if err := os.Symlink("nowhere.json", dangling); err != nil {
		t.Fatal(err)
	}
	if err := clients.AddClient(dangling, carol()); err == nil {
		t.Error("a link to nowhere is edited")
	}
}

// TestEditNoticesChanges of somebody else, to the last moment, and then leaves theirs.
func TestEditNoticesChanges(t *testing.T) {
	for name, meddle := range map[string]func(string) error{
		"another text": func(p string) error { return os.WriteFile(p, []byte(file(bystander)), 0o600) },
		"removed":      os.Remove,
		"a directory":  func(p string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o700)) },
	} {
		path := put(t, file(alice("")))
		var meddled error
		restore := clients.BeforeRename(func() { meddled = meddle(path) })
		err := clients.AddClient(path, carol())
		restore()
		if meddled != nil || !errors.Is(err, clients.ErrChanged) {
			t.Errorf("%s: %v, want ErrChanged (%v)", name, err, meddled)
		}
		if text, _ := os.ReadFile(path); strings.Contains(string(text), "carol") {
			t.Errorf("%s: their file is edited", name)
		}
		alone(t, path)
	}
}

// TestEditsAtOnce: editors that work at the same time lose nobody's edit.
func TestEditsAtOnce(t *testing.T) {
	t.Parallel()
	path := put(t, file(bystander))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			name := fmt.Sprintf("agent-%d", i)
			e := clients.Entry{Name: name, UserID: "u", Hash: auth.HashToken("token of " + name)}
			if err := clients.AddClient(path, e); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if report := clients.Check(clients.Config{Path: path}, nil, noon); report.Clients != 9 || report.Errors != 0 {
		t.Errorf("%d clients, problems %v", report.Clients, report.Problems)
	}
}

// TestEditsUndoEachOther: adding and revoking gives the file back byte for byte, whatever its blanks.
func TestEditsUndoEachOther(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "clients.json")
	blank := rapid.SampledFrom([]string{"", " ", "\n", "\n    ", "\r\n\t", "  \n\n  "})
	rapid.Check(t, func(rt *rapid.T) {
		b := func() string { return blank.Draw(rt, "blank") }
		var entries []string
		for i := range rapid.IntRange(1, 4).Draw(rt, "entries") {
			entries = append(entries, fmt.Sprintf(`{%s"name"%s:%s"n%d",%s"user_id": "u", "token": "t%d"%s}`, b(), b(), b(), i, b(), i, b()))
		}
		text := b() + "{" + b() + `"clients"` + b() + ":" + b() + "[" + b() + strings.Join(entries, b()+","+b()) + b() + "]" + b() + "}" + b()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			rt.Fatal(err)
		}
		if err := clients.AddClient(path, carol()); err != nil {
			rt.Fatalf("add to %q: %v", text, err)
		}
		if report := clients.Check(clients.Config{Path: path}, nil, noon); report.Clients != len(entries)+1 {
			rt.Fatalf("%d clients in %q", report.Clients, content(t, path))
		}
		if err := clients.RevokeClient(path, "carol"); err != nil {
			rt.Fatal(err)
		}
		if got := content(t, path); got != text {
			rt.Fatalf("text %q, want %q", got, text)
		}
	})
}

// TestList is what an operator sees: every client with its state, no secret, and the report of a file
// that does not read.
func TestList(t *testing.T) {
	t.Parallel()
	path := put(t, file(alice(`"allow": ["memory_recall"]`), `{"name": "dis", "user_id": "d", "token": "dis-token", "disabled": true}`,
		`{"name": "exp", "user_id": "e", "token": "exp-token", "expires_at": "2000-01-01T00:00:00Z", "allow": []}`,
		`{"name": "bad", "user_id": "b", "token": "b", "allow": 5}`,
		`{"name": "leak", "user_id": "l", "token": "`+canary+`", "allow": ["`+canary+`"]}`))
	list, _ := clients.List(clients.Config{Path: path, Single: &clients.Single{Token: singleToken, UserID: "u1"}}, nil, noon)
	var got []string
	for _, l := range list {
		got = append(got, l.Name+" "+l.UserID+" "+string(l.State))
	}
	want := []string{"alice alice live", "dis d disabled", "exp e expired", "bad b refused", "leak l live", "default u1 live"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	if said := fmt.Sprintf("%+v", list); strings.Contains(said, canary) || strings.Contains(said, hashOf(canary)) {
		t.Error("the list has a secret")
	}
	if list, report := clients.List(clients.Config{Path: put(t, "{bad")}, nil, noon); list != nil || report.OK {
		t.Errorf("list %v of a file that does not read, report %+v", list, report)
	}
	if list, report := clients.List(clients.Config{Path: put(t, "-")}, nil, noon); list != nil || report.OK {
		t.Errorf("list %v of a missing file, report %+v", list, report)
	}
}
