package secret_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"prax/tools/secret"
)

// What is resolved is cut out again, and comes anew each time.
func TestResolve(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	t.Setenv("SECRET_TEST_TOKEN", "canary-one")
	text := parse(t, "Basic ${env:SECRET_TEST_TOKEN}:${file:"+file+"}.")
	source := &secret.Source{DataDir: t.TempDir()}
	for _, content := range []string{"canary-two\n", "canary-three\r\n", "canary-four"} {
		write(t, file, content)
		var values secret.Values
		got, err := source.Resolve(text, &values)
		want := "Basic canary-one:" + strings.TrimRight(content, "\r\n") + "."
		if err != nil || got != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
		if cut := values.CutString(got); cut != "Basic [secret]:[secret]." {
			t.Errorf("cut: %q", cut)
		}
	}
}

// Only the last end of line is an editor's: what is inside belongs to the secret.
func TestResolveKeepsLines(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key")
	write(t, file, "-- begin\n\nline\n\n")
	got, err := (&secret.Source{}).Resolve(parse(t, "${file:"+file+"}"), &secret.Values{})
	if err != nil || got != "-- begin\n\nline\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestResolveRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	outside := filepath.Join(dir, "outside")
	for _, d := range []string{data + "/keys", outside} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, data+"/keys/canary", "canary")
	write(t, outside+"/good", "canary")
	write(t, outside+"/largest", strings.Repeat("x", 64<<10))
	write(t, outside+"/too-large", strings.Repeat("x", 64<<10+1))
	write(t, outside+"/tiny", "abc\n")
	write(t, outside+"/empty", "")
	for from, to := range map[string]string{
		"good-link": outside + "/good", "link": data + "/keys/canary", "dir-link": data, "dangling": outside + "/none",
	} {
		if err := os.Symlink(to, filepath.Join(outside, from)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(outside+"/fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	dataLink := filepath.Join(dir, "data-link")
	if err := os.Symlink(data, dataLink); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"GOOD": "canary", "SHORT": "abc", "BLANK": "     ", "EMPTY": "", "WORD": "secret"}
	for text, says := range map[string]string{
		"${env:GOOD}":                                    "",
		"${file:" + outside + "/good}":                   "",
		"${file:" + outside + "/good-link}":              "",
		"${file:" + outside + "/largest}":                "",
		"${file:" + outside + "/../outside/good}":        "",
		"${env:MISSING}":                                 "not set",
		"${env:EMPTY}":                                   "too short to be kept out of what is stored",
		"${env:BLANK}":                                   "too short",
		"${env:SHORT}":                                   "too short",
		"${env:WORD}":                                    "stands for what is kept out",
		"${file:" + outside + "/tiny}":                   "too short",
		"${file:" + outside + "/empty}":                  "too short",
		"${file:" + outside + "/none}":                   "no such file",
		"${file:" + outside + "/dangling}":               "no such file",
		"${file:" + outside + "/too-large}":              "larger than 65536 bytes",
		"${file:" + outside + "/fifo}":                   "not a regular file",
		"${file:" + outside + "}":                        "not a regular file",
		"${file:/dev/null}":                              "not a regular file",
		"${file:" + data + "/keys/canary}":               "in the data directory",
		"${file:" + dataLink + "/keys/canary}":           "in the data directory",
		"${file:" + outside + "/link}":                   "in the data directory",
		"${file:" + outside + "/dir-link/keys/canary}":   "in the data directory",
		"${file:" + outside + "/../data/keys/canary}":    "in the data directory",
		"${file:" + outside + "/good}${env:MISSING}":     "not set",
		"${file:" + data + "/keys/../keys/canary}":       "in the data directory",
		"${file:" + outside + "/good/../../data/canary}": "not a directory",
	} {
		for _, configured := range []string{data, dataLink} {
			source := &secret.Source{DataDir: configured, Env: func(name string) (string, bool) {
				value, ok := env[name]
				return value, ok
			}}
			got, err := source.Resolve(parse(t, text), &secret.Values{})
			switch {
			case says == "" && (err != nil || got == ""):
				t.Errorf("%s: %q, %v", text, got, err)
			case says != "" && (err == nil || got != "" || !strings.Contains(err.Error(), says)):
				t.Errorf("%s: %q, %v; want an error that says %q", text, got, err, says)
			case err != nil && (strings.Contains(err.Error(), `"canary`) || !strings.Contains(err.Error(), "${")):
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

// What cannot be cut out again is not put in.
func TestResolveNeedsValues(t *testing.T) {
	t.Parallel()
	source := &secret.Source{Env: func(string) (string, bool) { return "canary", true }}
	if got, err := source.Resolve(parse(t, "${env:A}"), nil); err == nil || got != "" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := source.Resolve(parse(t, "a $${"), nil); err != nil || got != "a ${" {
		t.Errorf("%q, %v", got, err)
	}
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// HOME is no secret: what a child prints of it stays as it is, and it may be as short as it likes.
func TestPublicNames(t *testing.T) {
	t.Parallel()
	env := map[string]string{"HOME": "/", "PATH": "/usr/bin:/bin", "TZ": "UTC", "LC_ALL": "C", "HOMES": "/canary"}
	source := &secret.Source{Env: func(name string) (string, bool) { value, ok := env[name]; return value, ok }}
	for name, value := range env {
		var values secret.Values
		got, err := source.Resolve(parse(t, "${env:"+name+"}"), &values)
		if err != nil || got != value {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if public := values.CutString(value) == value; public == (name == "HOMES") {
			t.Errorf("%s is cut: %t", name, !public)
		}
	}
}
