package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"prax/auth"
)

// canaryConfig has secrets in connections, and everything that could give them away: programs that print them, in each
// form and on both outputs, and fail by them; a service that sends back what it was sent, and one that redirects with it.
const canaryConfig = `version: "1.0.0"
connections:
  box: { kind: cli, command: sh, workingDirectory: ., env: { TOKEN: "${env:CANARY_VARIABLE}", KEY: "${file:%[1]s}" } }
  echo: { kind: rest, baseUrl: "%[2]s", headers: { Authorization: "Bearer ${env:CANARY_VARIABLE}", X-Key: "${file:%[1]s}" } }
capabilities:
  demo.leak: { description: Prints., risk: low, expose: tool, executor: { kind: cli, connection: box, args: [./leak.sh, "0"] } }
  demo.fail: { description: Fails., risk: low, expose: tool, executor: { kind: cli, connection: box, args: [./leak.sh, "3"] } }
  demo.echo: { description: Echoes., risk: low, expose: tool, executor: { kind: rest, connection: echo, method: POST, path: /echo, body: { a: 1 } } }
  demo.turn: { description: Redirects., risk: low, expose: tool, executor: { kind: rest, connection: echo, path: /turn } }
  demo.deny: { description: Refuses., risk: low, expose: tool, executor: { kind: rest, connection: echo, path: /deny } }
workflows:
  leak:
    initialState: s
    states:
      s: { transitions: { run: { target: t, executor: { kind: cli, connection: box, args: [./leak.sh, "0"] }, output: { all: "$.output" } } } }
      t: { transitions: { ask: { target: u, executor: { kind: rest, connection: echo, method: POST, path: /echo }, output: { all: "$.output" } } } }
      u: { transitions: { break: { target: v, executor: { kind: cli, connection: box, args: [./leak.sh, "3"] } } } }
      v: { terminal: true }
`

const canaryScript = `printf '%s\n' "$TOKEN" "$KEY" "{\"token\":\"$TOKEN\"}"
printf '%s' "$TOKEN" | base64
printf '%s\n' "stderr $TOKEN $KEY" >&2
exit $1
`

// TestLaw10Canaries plants secrets and looks for them wherever anything is kept or shown: answers, database, log behind
// it, audit, log, backup, what the operator's commands print, metrics. In metrics there is nothing of a caller but its client's name.
func TestLaw10Canaries(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	const variable, file = "canary-of-a-variable-7", "canary/of=a file+8"
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, key := r.Header.Get("Authorization"), r.Header.Get("X-Key")
		w.Header().Set("X-Echo", token)
		switch r.URL.Path {
		case "/turn":
			http.Redirect(w, r, "/echo?token="+token[len("Bearer "):], http.StatusFound)
		case "/deny":
			http.Error(w, "no entry with "+token+" and "+key, http.StatusForbidden)
		default:
			_ = json.NewEncoder(w).Encode(map[string]any{"token": token, key: key, "url": r.URL.String()})
		}
	}))
	defer echo.Close()
	secret := filepath.Join(c.dir, "key")
	people, err := json.Marshal(map[string]any{"clients": []map[string]any{{
		"name": "agent", "user_id": crashUser(0), "token_sha256": auth.HashToken(crashToken(0)).Hex(),
		"allow": []string{"praxec.command", "praxec.query", "demo.leak", "demo.fail", "demo.echo", "demo.turn", "demo.deny", "trace_search"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"clients.json": string(people), "praxec.yaml": fmt.Sprintf(canaryConfig, secret, echo.URL), "leak.sh": canaryScript, "key": file + "\n",
	} {
		if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd, answers, metrics := c.leak(variable)
	haystack := map[string][]byte{"answers": answers}
	for _, args := range [][]string{{"audit", "export"}, {"operations", "list", "--status", "done", "--json"}, {"workflow", "list", "--json"}, {"config", "show"}, {"check"}, {"doctor", "--json"}} {
		haystack[strings.Join(args, " ")] = c.run(t, variable, args...)
	}
	c.run(t, variable, "backup", filepath.Join(c.dir, "backup"))
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait()
	haystack["metrics"] = metrics
	haystack["log"] = cmd.Stderr.(*bytes.Buffer).Bytes()
	for _, dir := range []string{c.data(), filepath.Join(c.dir, "backup")} {
		collect(t, dir, haystack)
	}
	needles := map[string]string{"variable": variable, "file": file, "base64": base64.StdEncoding.EncodeToString([]byte(variable))}
	for where, text := range haystack {
		for what, needle := range needles {
			if bytes.Contains(text, []byte(needle)) {
				t.Errorf("%s has the secret of the %s", where, what)
			}
		}
	}
	for what, needle := range map[string]string{
		"token": crashToken(0), "hash": auth.HashToken(crashToken(0)).Hex(), "user": crashUser(0), "workflow's id": firstWorkflow(t, answers),
		"argument": "canary-argument", "method": "canary-method", "tool": "canary-tool", "foreign token": "canary-token", "path": "canary-path",
	} {
		if bytes.Contains(metrics, []byte(needle)) {
			t.Errorf("the metrics have the %s", what)
		}
	}
	if !bytes.Contains(metrics, []byte(`client="agent"`)) || !bytes.Contains(metrics, []byte(`tool="demo.leak"`)) {
		t.Errorf("the metrics tell too little to be looked at:\n%s", metrics)
	}
	if !bytes.Contains(answers, []byte("[secret]")) || len(haystack) < 8 {
		t.Errorf("nothing was cut, or little was looked at: %d places, answers %s", len(haystack), answers)
	}
}

// leak starts a server that knows the secret, and has everything called that could give it away.
func (c *crash) leak(variable string) (cmd *exec.Cmd, answers, metrics []byte) {
	at := freeAddress(c.t)
	cmd = c.start("", "PRAX_LOG=debug", "CANARY_VARIABLE="+variable, "PRAX_METRICS_ADDR="+at)
	c.t.Cleanup(func() { _ = cmd.Process.Kill() })
	if !c.ready(make(chan struct{})) {
		c.t.Fatal("not ready")
	}
	ask := func(tool string, arguments any) effectAnswer {
		var raw json.RawMessage
		if !c.call(c.t.Context(), 0, tool, arguments, &raw) {
			c.t.Fatalf("%s was not answered", tool)
		}
		answers = append(answers, raw...)
		var a effectAnswer
		if err := json.Unmarshal(raw, &a); err != nil {
			c.t.Fatal(err)
		}
		return a
	}
	for _, tool := range []string{"demo.leak", "demo.fail", "demo.echo", "demo.turn", "demo.deny"} {
		ask(tool, map[string]any{})
	}
	a := ask("praxec.command", map[string]any{"definitionId": "leak"})
	for _, transition := range []string{"run", "ask", "break"} {
		w := a.Result.StructuredContent.Workflow
		a = ask("praxec.command", map[string]any{"workflowId": w.ID, "expectedVersion": w.Version, "transition": transition})
	}
	if w := a.Result.StructuredContent.Workflow; w.State != "u" {
		c.t.Errorf("the workflow is in %q, and was to fail in u: %s", w.State, answers)
	}
	ask("praxec.query", map[string]any{"workflowId": a.Result.StructuredContent.Workflow.ID})
	ask("praxec.query", map[string]any{"observe": true})
	ask("trace_search", map[string]any{})
	ask("trace_search", map[string]any{"canary-argument": "canary-argument"})
	c.call(c.t.Context(), 0, "canary-tool", map[string]any{}, new(any))
	for path, body := range map[string]string{"/mcp": `{"jsonrpc":"2.0","id":1,"method":"canary-method"}`, "/canary-path": ""} {
		for _, token := range []string{crashToken(0), "canary-token"} {
			req, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url+path, strings.NewReader(body))
			if err != nil {
				c.t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+token)
			req.Header.Set("Content-Type", "application/json")
			if _, _, _, err := fetch(req); err != nil {
				c.t.Fatal(err)
			}
		}
	}
	return cmd, answers, scrape(c.t, at)
}

// firstWorkflow is the id of the first workflow in an answer.
func firstWorkflow(t *testing.T, answers []byte) string {
	t.Helper()
	id := regexp.MustCompile(`wf_[0-9a-z]{20,}`).Find(answers)
	if id == nil {
		t.Fatal("no answer has a workflow")
	}
	return string(id)
}

// run is what a command of the operator prints, on both outputs.
func (c *crash) run(t *testing.T, variable string, args ...string) []byte {
	t.Helper()
	cmd := c.prepare(args...)
	cmd.Env = append(cmd.Env, "CANARY_VARIABLE="+variable)
	text, err := cmd.CombinedOutput()
	if err != nil && args[0] != "check" && args[0] != "doctor" {
		t.Errorf("prax %s: %v\n%s", strings.Join(args, " "), err, text)
	}
	return text
}

// collect adds every file in a directory.
func collect(t *testing.T, dir string, into map[string][]byte) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		into[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
