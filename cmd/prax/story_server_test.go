package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// running is the server of one story.
type running struct {
	env  *testscript.Env
	cmd  *exec.Cmd
	over chan struct{} // closed when it has ended; code is set then
	code int
}

func serverOf(ts *testscript.TestScript) *running { return ts.Value(running{}).(*running) }

// serveCommand starts the server with its output in serve.out and serve.err.
func serveCommand(ts *testscript.TestScript, neg bool, args []string) {
	r := serverOf(ts)
	if neg || r.cmd != nil {
		ts.Fatalf("usage: serve [flag...], once at a time")
	}
	prax, err := lookPath(ts.Getenv("PATH"))
	ts.Check(err)
	r.cmd = exec.Command(prax, append([]string{"serve"}, args...)...)
	r.cmd.Dir = ts.MkAbs(".")
	r.cmd.Env = append(environmentOf(ts), "PWD="+r.cmd.Dir)
	stdout, err := os.OpenFile(ts.MkAbs("serve.out"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	ts.Check(err)
	defer stdout.Close()
	stderr, err := os.OpenFile(ts.MkAbs("serve.err"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	ts.Check(err)
	defer stderr.Close()
	r.cmd.Stdout, r.cmd.Stderr = stdout, stderr
	ts.Check(r.cmd.Start())
	r.over = make(chan struct{})
	go func() {
		defer close(r.over)
		_ = r.cmd.Wait()
		r.code = r.cmd.ProcessState.ExitCode()
	}()
	r.await(ts)
}

// await waits until the server says where it listens.
func (r *running) await(ts *testscript.TestScript) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		text, err := os.ReadFile(ts.MkAbs("serve.err"))
		ts.Check(err)
		if _, rest, found := bytes.Cut(text, []byte("listening on ")); found {
			if url, _, whole := bytes.Cut(rest, []byte("/mcp")); whole {
				ts.Setenv("URL", string(url))
				ts.Setenv("HOSTPORT", strings.TrimPrefix(strings.TrimPrefix(string(url), "http://"), "https://"))
				return
			}
		}
		select {
		case <-r.over:
			ts.Fatalf("serve ended with %d:\n%s", r.code, text)
		default:
		}
		if !pause(ctx) {
			ts.Fatalf("serve does not listen after %v:\n%s", patience, text)
		}
	}
}

var storySignals = map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "HUP": syscall.SIGHUP, "KILL": syscall.SIGKILL}

func signalCommand(ts *testscript.TestScript, neg bool, args []string) {
	r := serverOf(ts)
	if neg || len(args) != 1 || storySignals[args[0]] == 0 || r.cmd == nil {
		ts.Fatalf("usage: signal TERM|INT|HUP|KILL, with a server running")
	}
	ts.Check(r.cmd.Process.Signal(storySignals[args[0]]))
}

func stoppedCommand(ts *testscript.TestScript, neg bool, args []string) {
	r := serverOf(ts)
	if neg || len(args) != 1 || r.cmd == nil {
		ts.Fatalf("usage: stopped CODE, with a server running")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	select {
	case <-r.over:
	case <-ctx.Done():
		ts.Fatalf("serve has not stopped after %v", patience)
	}
	if strconv.Itoa(r.code) != args[0] {
		ts.Fatalf("serve ended with %d, want %s:\n%s", r.code, args[0], ts.ReadFile("serve.err"))
	}
	r.cmd = nil
}

// kill ends a server that its story left running.
func (r *running) kill() {
	if r.cmd != nil {
		_ = r.cmd.Process.Kill()
		<-r.over
	}
}

// environmentOf is the story's environment: those variables that the program or a shell reads.
func environmentOf(ts *testscript.TestScript) []string {
	var environ []string
	names := []string{"PATH", "HOME", "TMPDIR", "TZ", "GORACE", "GOCOVERDIR", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}
	for _, v := range variables {
		names = append(names, v.name, v.name+"_FILE")
	}
	for _, name := range names {
		if text := ts.Getenv(name); text != "" {
			environ = append(environ, name+"="+text)
		}
	}
	return environ
}

func lookPath(path string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		name := filepath.Join(dir, "prax")
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return name, nil
		}
	}
	return "", exec.ErrNotFound
}

// fetch is one exchange on a connection of its own, with the whole answer.
func fetch(req *http.Request) (code int, header http.Header, body []byte, err error) {
	client := http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, // signed by itself
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header, body, err
}
