package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
)

// trial is a program on buffers, for what needs no process of its own. It reads no config.env: the
// tests' directory has none.
func trial(environ ...string) (p *program, stdout, stderr *bytes.Buffer) {
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	return &program{environ: environ, stdin: strings.NewReader(""), stdout: stdout, stderr: stderr, now: time.Now}, stdout, stderr
}

func load(t *testing.T, environ []string, args ...string) (*settings, []string) {
	t.Helper()
	s, warnings, err := tryLoad(environ, args...)
	if err != nil {
		t.Fatal(err)
	}
	return s, warnings
}

func tryLoad(environ []string, args ...string) (*settings, []string, error) {
	p, _, _ := trial(environ...)
	f := p.flags("test", "", "").withSettings()
	if _, err := f.parse(args, 0, 0); err != nil {
		return nil, nil, err
	}
	return p.loadSettings(f)
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPrecedence: flag over environment over file over default, and an empty text is none.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	file := write(t, "config.env", "PRAX_LOG=warn\nPRAX_MAX_INFLIGHT=7\nPRAX_CALL_TIMEOUT=5s\n")
	environ := []string{"PRAX_LOG=error", "PRAX_MAX_INFLIGHT=8", "PRAX_CALL_TIMEOUT="}
	s, _ := load(t, environ, "--env", file, "--log", "debug")
	got := map[string]value{}
	for _, name := range []string{"PRAX_LOG", "PRAX_MAX_INFLIGHT", "PRAX_CALL_TIMEOUT", "PRAX_MAX_BODY"} {
		got[name] = s.values[name]
	}
	want := map[string]value{
		"PRAX_LOG":          {"debug", "a flag"},
		"PRAX_MAX_INFLIGHT": {"8", "the environment"},
		"PRAX_CALL_TIMEOUT": {"5s", file},
		"PRAX_MAX_BODY":     {"1MiB", "the default"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(value{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s.MaxInflight != 8 || s.CallTimeout != 5*time.Second || s.MaxBody != 1<<20 {
		t.Errorf("parsed as %d, %v, %d", s.MaxInflight, s.CallTimeout, s.MaxBody)
	}
}

// TestBooleans: A8, A9, A10, A11 of the cases every switch has to survive: what is not plainly true or
// false stops the start and names the variable and the value; empty is unset.
func TestBooleans(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"true": true, "TRUE": true, "1": true, "yes": true, "y": true, "on": true, "t": true, " true ": true,
		"false": false, "0": false, "no": false, "n": false, "off": false, "F": false, "": false, "  ": false,
	} {
		s, _ := load(t, []string{"MCP_SERVER_ENABLED=" + text})
		if s.Enabled != want {
			t.Errorf("%q is %t, want %t", text, s.Enabled, want)
		}
	}
	for _, text := range []string{"maybe", "2", "truee", "yes please", "true\x00"} {
		_, _, err := tryLoad([]string{"MCP_SERVER_ENABLED=" + text})
		var f *failure
		if !errors.As(err, &f) || f.code != exitConfig || !strings.Contains(err.Error(), "MCP_SERVER_ENABLED="+text) {
			t.Errorf("%q: %v, want exit %d naming variable and value", text, err, exitConfig)
		}
	}
}

// TestBadSettings: each bad value ends with 78 and names the variable; all of them at once.
func TestBadSettings(t *testing.T) {
	t.Parallel()
	bad := []string{
		"PRAX_ADDR=8808", "PRAX_ADDR=host:http", "PRAX_ADDR=:70000", "PRAX_PUBLIC_URL=prax.example",
		"PRAX_ALLOWED_HOSTS=https://a.example", "PRAX_ALLOWED_HOSTS=a.*", "PRAX_ALLOWED_ORIGINS=app.example", "PRAX_ALLOWED_ORIGINS=https://a.example/x",
		"PRAX_TRUSTED_PROXIES=10.0.0.0/33", "PRAX_TOOL_NAMES=Dot", "PRAX_MAX_BODY=0", "PRAX_MAX_BODY=2GiB", "PRAX_MAX_BODY=9223372036854775807GiB",
		"PRAX_MAX_INFLIGHT=-1", "PRAX_RATE=0", "PRAX_RATE=-1", "PRAX_RATE=NaN", "PRAX_RATE=Inf", "PRAX_RATE=1e300", "PRAX_RATE=0.0001", "PRAX_RATE=10/s", "PRAX_RATE=10/20",
		"PRAX_RATE=10,20", "PRAX_RATE=10,burst=0", "PRAX_RATE=10,burst=2.5", "PRAX_RATE=10,burst=", "PRAX_RATE=10,", "PRAX_RATE=,burst=5", "PRAX_RATE=10,burst=5,burst=6",
		"PRAX_CALL_TIMEOUT=60", "PRAX_CALL_TIMEOUT=-1s", "PRAX_HALF_LIFE=0s", "PRAX_CLIENTS_ON_ERROR=open", "PRAX_LOG=loud",
		"PRAX_EGRESS_ALLOW=10.0.0.0/33", "PRAX_EGRESS_ALLOW=https://a.example",
		"PRAX_INSECURE_BIND=sure", "PRAX_AUDIT_READS=?", "MCP_TOKEN_EXPIRY_ENABLED=nope",
	}
	for _, entry := range bad {
		_, _, err := tryLoad([]string{entry})
		var f *failure
		if !errors.As(err, &f) || f.code != exitConfig || !strings.HasPrefix(err.Error(), entry+" (the environment): ") {
			t.Errorf("%s: %v", entry, err)
		}
	}
	_, _, err := tryLoad([]string{"PRAX_LOG=loud", "PRAX_ADDR=x"})
	if err == nil || !strings.Contains(err.Error(), "PRAX_LOG") || !strings.Contains(err.Error(), "PRAX_ADDR") {
		t.Errorf("two bad settings are reported as %v", err)
	}
}

// TestPasswordsStayHidden: what stands before an @ is in no refusal, in whatever pieces a reader quotes it.
func TestPasswordsStayHidden(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"https://u:hunter2@h", "https://u:hunter2@h/path", "https://hunter2@h", "https://u:x@hunter2@h", "https://u:hunter2,x@h",
		"https://good.example,https://u:hunter2@h", "https://u:hunter2/x@h", "https://u:hunter2 x@h", "u:hunter2@h",
	} {
		for _, name := range []string{"PRAX_PUBLIC_URL", "PRAX_ALLOWED_ORIGINS", "PRAX_ALLOWED_HOSTS", "PRAX_TRUSTED_PROXIES", "PRAX_ADDR"} {
			p, stdout, stderr := trial(name + "=" + text)
			if code := p.run([]string{"config", "show"}); code != exitConfig && name != "PRAX_ADDR" {
				t.Errorf("%s=%s is taken", name, text)
			}
			if all := stdout.String() + stderr.String(); strings.Contains(all, "hunter2") || !strings.Contains(all, name+"=(hidden)@h") {
				t.Errorf("%s=%s prints:\n%s", name, text, all)
			}
		}
	}
}

// TestFilesAreRegular: what is no plain file of a bounded size is refused at once, and never waited for.
func TestFilesAreRegular(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	large := write(t, "large", "# "+strings.Repeat("x", maxFile))
	if _, err := readRegular(write(t, "largest", strings.Repeat("x", maxFile)), maxFile); err != nil {
		t.Errorf("the largest: %v", err)
	}
	for name, want := range map[string]string{
		fifo: "not a regular file", "/dev/zero": "not a regular file", filepath.Dir(fifo): "not a regular file", large: "larger than ",
	} {
		for _, tt := range []struct{ environ, args []string }{
			{nil, []string{"--env", name}},
			{[]string{"MCP_BEARER_TOKEN_FILE=" + name}, nil},
		} {
			_, _, err := tryLoad(tt.environ, tt.args...)
			var f *failure
			if !errors.As(err, &f) || f.code != exitConfig || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), want) {
				t.Errorf("%q %q: %v, want %q", tt.environ, tt.args, err, want)
			}
		}
	}
}

// TestSecrets: a secret comes from NAME_FILE too, trimmed; both at once, or a file that gives none, is
// refused; it is never shown.
func TestSecrets(t *testing.T) {
	t.Parallel()
	const token = "canary-4711-canary-4711-canary"
	file := write(t, "token", token+"\n")
	s, _ := load(t, []string{"MCP_BEARER_TOKEN_FILE=" + file})
	if s.BearerToken != token {
		t.Errorf("token is %q", s.BearerToken)
	}
	for _, environ := range [][]string{
		{"MCP_BEARER_TOKEN_FILE=" + file, "MCP_BEARER_TOKEN=" + token},
		{"MCP_BEARER_TOKEN_FILE=" + write(t, "empty", " \n")},
		{"MCP_BEARER_TOKEN_FILE=" + filepath.Dir(file)},
		{"MCP_BEARER_TOKEN_FILE=/nonexistent/token"},
	} {
		_, _, err := tryLoad(environ)
		var f *failure
		if !errors.As(err, &f) || f.code != exitConfig || !strings.Contains(err.Error(), "MCP_BEARER_TOKEN_FILE") || strings.Contains(err.Error(), token) {
			t.Errorf("%q: %v", environ[0], err)
		}
	}
	for _, args := range [][]string{{"config", "show"}, {"config", "show", "--json"}} {
		p, stdout, stderr := trial("MCP_BEARER_TOKEN=" + token)
		if code := p.run(args); code != exitOK {
			t.Fatalf("%q ends with %d: %s", args, code, stderr)
		}
		if all := stdout.String() + stderr.String(); strings.Contains(all, token) || !strings.Contains(all, "(set, not shown)") {
			t.Errorf("%q prints:\n%s", args, all)
		}
	}
}

// TestHome: a path that begins with ~/ is below HOME, where no shell expanded it.
func TestHome(t *testing.T) {
	t.Parallel()
	s, _ := load(t, []string{"HOME=/home/op", "MCP_CLIENTS_PATH=~/prax/clients.json", "PRAX_DATA=~/data"})
	if s.ClientsPath != "/home/op/prax/clients.json" || s.Data != "/home/op/data" {
		t.Errorf("clients %q, data %q", s.ClientsPath, s.Data)
	}
	s, _ = load(t, []string{"HOME=/home/op", "MCP_CLIENTS_PATH=", "PRAX_DATA=~other/data"})
	if s.ClientsPath != "clients.json" || s.Data != "~other/data" {
		t.Errorf("clients %q, data %q", s.ClientsPath, s.Data)
	}
	_, _, err := tryLoad([]string{"MCP_CLIENTS_PATH=~/clients.json"})
	var f *failure
	if !errors.As(err, &f) || f.code != exitConfig || !strings.Contains(err.Error(), "MCP_CLIENTS_PATH=~/clients.json") {
		t.Errorf("without HOME: %v", err)
	}
}

// TestUnknownNames: what nothing reads is warned of, and nothing else.
func TestUnknownNames(t *testing.T) {
	t.Parallel()
	file := write(t, "config.env", "COLOUR=red\nMCP_TOOL_ALLOWLISTS=x\nPRAX_CONFG=praxec.yaml\nPRAX_LOG=warn\n")
	_, warnings := load(t, []string{"PRAX_ADR=x", "PRAX_TOKEN=x", "PRAX_UNSET=", "MCP_OTHER=x", "MCP_SERVER_ENABLE=1", "HOME=/", "MCP_BEARER_TOKEN_FILE=" + write(t, "t", "tok")}, "--env", file)
	want := []string{
		"COLOUR (" + file + ") is not known to this version and has no effect",
		"MCP_SERVER_ENABLE (the environment) is not known to this version and has no effect: did you mean MCP_SERVER_ENABLED?",
		"MCP_TOOL_ALLOWLISTS (" + file + ") is not known to this version and has no effect: did you mean MCP_TOOL_ALLOWLIST?",
		"PRAX_ADR (the environment) is not known to this version and has no effect: did you mean PRAX_ADDR?",
		"PRAX_CONFG (" + file + ") is not known to this version and has no effect: did you mean PRAX_CONFIG?",
	}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEnvFile: the lines of config.env, and what is wrong with others.
func TestEnvFile(t *testing.T) {
	t.Parallel()
	got, err := parseEnvFile("\ufeff# remark\n\nA=1\nexport B = two words # remark\nC='# kept ' # dropped\nD=\"x=y\"\nE=\r\nF=a#b\nG=${HOME}")
	want := map[string]string{"A": "1", "B": "two words", "C": "# kept ", "D": "x=y", "E": "", "F": "a#b", "G": "${HOME}"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for text, want := range map[string]string{
		"A=1\nsecret-without-name": "2: not NAME=value",
		"A=1\nA=2":                 "2: A is set a second time",
		"1A=1":                     "1: not NAME=value",
		"A='x":                     "1: A: the value's quotes do not match",
		"A='x' y":                  "1: A: the value's quotes do not match",
	} {
		if _, err := parseEnvFile(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// FuzzEnvFile: no text panics, and what is read has only names that a variable can have.
func FuzzEnvFile(f *testing.F) {
	f.Add("A=1\n# x\nB='y'")
	f.Fuzz(func(t *testing.T, text string) {
		texts, err := parseEnvFile(text)
		if err != nil {
			return
		}
		for name := range texts {
			if !isName(name) {
				t.Errorf("%q gave the name %q", text, name)
			}
		}
	})
}

// TestRateSettings: the forms of PRAX_RATE, and what they mean.
func TestRateSettings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]auth.Rate{
		"off": {}, "OFF": {}, "": {}, "10": {PerSecond: 10, Burst: 10}, "0.5": {PerSecond: 0.5, Burst: 1}, "2.5": {PerSecond: 2.5, Burst: 3},
		"10,burst=50": {PerSecond: 10, Burst: 50}, " 10 , burst=1 ": {PerSecond: 10, Burst: 1}, "0.001": {PerSecond: 0.001, Burst: 1}, "1e6": {PerSecond: 1e6, Burst: 1e6},
	} {
		s, _, err := tryLoad([]string{"PRAX_RATE=" + text})
		if err != nil || s.Rate != want {
			t.Errorf("%q: %+v, %v; want %+v", text, s.Rate, err, want)
		}
	}
}
