package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"prax/server"
)

// instruction is one of a Dockerfile.
type instruction struct{ name, text string }

// dockerfile is the last stage of the Dockerfile, and all before it.
func dockerfile(t *testing.T) (build, last []instruction) {
	t.Helper()
	for line := range strings.Lines(readDoc(t, "Dockerfile")) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case name == "" || name[0] == '#':
		case name == "FROM":
			build, last = append(build, last...), []instruction{{name, text}}
		default:
			last = append(last, instruction{name, text})
		}
	}
	return build, last
}

// only is the one instruction of a name.
func only(t *testing.T, all []instruction, name string) string {
	t.Helper()
	var found []string
	for _, i := range all {
		if i.name == name {
			found = append(found, i.text)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d of %s, want one", len(found), name)
	}
	return found[0]
}

func words(t *testing.T, text string) (list []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("%s: not in the form without a shell, which there is none of: %v", text, err)
	}
	return list
}

// TestDockerfile: the image is the binary, run by a user that is not root, and what it names is there: paths are those
// that it copies, commands and flags those of the binary, variables those that it reads.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	build, last := dockerfile(t)
	if from := only(t, last, "FROM"); from != "scratch" {
		t.Errorf("the image is made from %s", from)
	}
	language := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(readDoc(t, "go.mod"))[1]
	if from := only(t, build, "FROM"); from != "golang:"+language+" AS build" {
		t.Errorf("it is built by %q, and go.mod says %s", from, language)
	}
	made := map[string]string{} // what is copied, by where it is in the image
	for _, i := range last {
		if i.name == "COPY" {
			f := strings.Fields(strings.TrimPrefix(i.text, "--from=build "))
			made[f[len(f)-1]] = strings.Join(f[:len(f)-1], " ")
		}
	}
	user := only(t, last, "USER")
	uid, _, _ := strings.Cut(user, ":")
	if n, err := strconv.Atoi(uid); err != nil || n == 0 {
		t.Errorf("it runs as %q: a number that is not root's is wanted, as there is no /etc/passwd", user)
	}
	steps := ""
	for _, i := range build {
		steps += i.name + " " + i.text + "\n"
	}
	for in, from := range made {
		source := from[strings.LastIndexByte(from, ' ')+1:]
		if !strings.Contains(steps, source+" ./cmd/prax") && !strings.Contains(steps, "install -d -m 0700 "+source) && source != "/etc/ssl/certs/ca-certificates.crt" {
			t.Errorf("%s comes from %s, which nothing makes", in, source)
		}
	}
	volume := words(t, only(t, last, "VOLUME"))
	if len(volume) != 1 || !strings.HasPrefix(made[volume[0]], "--chown="+user+" ") || only(t, last, "WORKDIR") != volume[0] {
		t.Errorf("the volume %q is not a directory of its user's, or not where it works", volume)
	}
	if made["/etc/ssl/certs/ca-certificates.crt"] == "" { // the first place in which Go looks
		t.Error("there are no certificates of authorities")
	}
	environ := strings.Fields(only(t, last, "ENV"))
	for _, variable := range environ {
		name, text, _ := strings.Cut(variable, "=")
		if !known(name) && (name != "PATH" || made[text+"/prax"] == "") && name != "HOME" {
			t.Errorf("%s is not read by anybody", variable)
		}
	}
	for name, text := range map[string]string{
		"CMD":         `["` + strings.Join(append(words(t, only(t, last, "ENTRYPOINT")), words(t, only(t, last, "CMD"))...), `","`) + `"]`,
		"HEALTHCHECK": only(t, last, "HEALTHCHECK"),
	} {
		command := words(t, text[strings.IndexByte(text, '['):])
		if made[command[0]] == "" {
			t.Errorf("%s: %s is not in the image", name, command[0])
		}
		p, _, stderr := trial(environ...)
		if code := p.run(append(command[1:], "--help")); code != exitOK {
			t.Errorf("%s %q: %d %s", name, command, code, stderr)
		}
	}
}

// TestDockerfileIsClosed: as it comes, the container refuses to send tokens over a network in the clear; it is the
// operator who says that the network is safe.
func TestDockerfileIsClosed(t *testing.T) {
	t.Parallel()
	_, last := dockerfile(t)
	s, _ := load(t, strings.Fields(only(t, last, "ENV")))
	if s.InsecureBind || s.Enabled || s.tls() {
		t.Error("the image decides what is the operator's to say")
	}
	if err := server.CheckBind(s.Addr, s.tls(), s.InsecureBind); err == nil {
		t.Errorf("%s would be served in the clear", s.Addr)
	}
	if base, _ := s.localURL(s.Addr); base != "http://127.0.0.1:8808" {
		t.Errorf("the health check asks %s", base)
	}
	for _, kept := range []string{"**/prax-data", "**/clients.json", "**/config.env", "**/*.key", ".git"} {
		if !slices.Contains(strings.Split(readDoc(t, ".dockerignore"), "\n"), kept) {
			t.Errorf("%s can get into an image", kept)
		}
	}
}

// unit is docs/prax.service: the values of each setting of its [Service], in their order.
func unit(t *testing.T) map[string][]string {
	t.Helper()
	settings := map[string][]string{}
	_, service, _ := strings.Cut(readDoc(t, "docs/prax.service"), "\n[Service]\n")
	for line := range strings.Lines(service) {
		if name, text, found := strings.Cut(strings.TrimSpace(line), "="); found && name[0] != '#' {
			settings[name] = append(settings[name], text)
		}
	}
	return settings
}

// TestUnit: the unit starts the command that there is, with settings that there are, and does not start again what
// cannot start.
func TestUnit(t *testing.T) {
	t.Parallel()
	u := unit(t)
	start := strings.Fields(u["ExecStart"][0])
	p, _, stderr := trial(u["Environment"]...)
	if code := p.run(append(start[1:], "--help")); code != exitOK || path.Base(start[0]) != "prax" {
		t.Errorf("%q: %d %s", start, code, stderr)
	}
	for _, variable := range u["Environment"] {
		if name, _, _ := strings.Cut(variable, "="); !known(name) {
			t.Errorf("%s is not read by anybody", variable)
		}
	}
	if got := u["RestartPreventExitStatus"]; !slices.Equal(got, []string{strconv.Itoa(exitUsage) + " " + strconv.Itoa(exitConfig)}) {
		t.Errorf("it is started again unless it ended with %v", got)
	}
	for name, want := range map[string]string{
		"Type": "notify", "NoNewPrivileges": "yes", "ProtectSystem": "strict", "UMask": "0077", "StateDirectory": "prax", "KillMode": "mixed",
		"User": "prax", "WorkingDirectory": "/var/lib/prax",
	} {
		if got := u[name]; !slices.Equal(got, []string{want}) {
			t.Errorf("%s is %v, want %s", name, got, want)
		}
	}
	stop, err := strconv.Atoi(u["TimeoutStopSec"][0])
	if err != nil || stop <= 10 {
		t.Errorf("%v leave no time for a drain", u["TimeoutStopSec"])
	}
}

// TestUnitIsUnderstood: systemd finds nothing to say against it, and little to attack.
func TestUnitIsUnderstood(t *testing.T) {
	t.Parallel()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not here: install systemd")
	}
	self, err := os.Executable() // the unit's own may not be installed
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "prax.service")
	text := strings.Replace(readDoc(t, "docs/prax.service"), "/usr/local/bin/prax serve", self, 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"verify", "--man=no"}, {"security", "--offline=true", "--threshold=20"}} { // of 100
		if out, err := exec.Command(analyze, append(args, file)...).CombinedOutput(); err != nil || args[0] == "verify" && len(out) > 0 {
			t.Errorf("systemd-analyze %s: %v\n%s", args[0], err, out)
		}
	}
}

// TestVersion: whoever asks for JSON learns what fits together.
func TestVersion(t *testing.T) {
	t.Parallel()
	p, stdout, _ := trial()
	if code := p.run([]string{"version", "--json"}); code != exitOK {
		t.Fatal(code)
	}
	var b build
	if err := json.Unmarshal(stdout.Bytes(), &b); err != nil {
		t.Fatal(err)
	}
	schema := regexp.MustCompile(`The database has schema (\d+)\.`).FindStringSubmatch(readDoc(t, "CHANGELOG.md"))
	if schema == nil || strconv.Itoa(b.Schema) != schema[1] {
		t.Errorf("schema %d, and the changelog says %v", b.Schema, schema)
	}
	if b.Version == "" || !strings.HasPrefix(b.Go, "go1.") || !strings.Contains(b.Platform, "/") || !slices.Contains(b.Protocols, "2025-11-25") {
		t.Errorf("%+v", b)
	}
}
