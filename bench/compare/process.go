package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// A server has the first core for itself and the load the second, where the machine can do so and nothing else is asked.
const serverCore, loadCore = "0", "1"

// command is a program with its arguments and what it has in its environment beside ours.
type command struct {
	argv, env []string
}

// on starts nothing yet: it is the command, on one core if core is not "".
func (c command) on(ctx context.Context, core string) *exec.Cmd {
	argv := c.argv
	if path, err := exec.LookPath("taskset"); err == nil && runtime.NumCPU() > 1 && core != "" {
		argv = append([]string{path, "-c", core}, argv...)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), c.env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	return cmd
}

// server is a running target.
type server struct {
	addr  string
	pid   int
	token string
	start time.Duration // from its start to its first answer
}

// target is a program that serves, each time in a directory of its own.
type target struct {
	token   string // for its first answer
	from    string // directory whose copy it begins in; "": an empty one
	command func(addr, dir string) command
}

// serving starts the target, waits for its first answer, runs what is given, and stops it.
func (t target) serving(ctx context.Context, core string, do func(server) error) error {
	dir, err := os.MkdirTemp("", "prax-bench-run-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if t.from != "" {
		if err := os.CopyFS(filepath.Join(dir, "data"), os.DirFS(t.from)); err != nil {
			return err
		}
		syscall.Sync() // data that is there is on the disk: the first sync of a server is not to pay for the copy
	}
	return t.servingIn(ctx, dir, core, do)
}

func (t target) servingIn(ctx context.Context, dir, core string, do func(server) error) error {
	s := server{token: t.token}
	var err error
	if s.addr, err = freeAddr(); err != nil {
		return err
	}
	said, err := os.Create(filepath.Join(dir, "said"))
	if err != nil {
		return err
	}
	defer said.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := t.command(s.addr, dir).on(ctx, core)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, said, said
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	s.pid = cmd.Process.Pid
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		stop() // nobody need wait for answers any more
		close(ended)
	}()
	if err = s.await(ctx); err == nil {
		s.start = time.Since(began)
		err = do(s)
	}
	stop()
	<-ended
	if err != nil {
		text, _ := os.ReadFile(said.Name())
		return fmt.Errorf("%w\n%s", err, bytes.TrimSpace(text[max(0, len(text)-2000):]))
	}
	return nil
}

// await waits until the server answers.
func (s server) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(500 * time.Microsecond)
	defer tick.Stop()
	for {
		_, err := s.ask(ctx, callOf("echo", `{"text":"there?"}`))
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no answer: %w", err)
		case <-tick.C:
		}
	}
}

// callOf is the body of a call of a tool, with {{id}}.
func callOf(tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":{{id}},"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
}

var client = &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// ask returns the result of one request.
func (s server) ask(ctx context.Context, body string) (json.RawMessage, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.addr+"/mcp",
		strings.NewReader(strings.Replace(body, "{{id}}", "1", 1)))
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + s.token, "Content-Type": "application/json",
		"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"} {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	var message struct {
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(text, &message); err != nil || response.StatusCode != http.StatusOK || message.Result == nil {
		return nil, fmt.Errorf("%s: %.300s", response.Status, text)
	}
	return message.Result, nil
}

// resident is the memory of the server in MB.
func (s server) resident() (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := bytes.Cut(status, []byte("VmRSS:"))
	var kB float64
	if _, err := fmt.Sscan(string(rest), &kB); err != nil {
		return 0, fmt.Errorf("resident memory of %d: %w", s.pid, err)
	}
	return kB / 1024, nil
}

func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}
