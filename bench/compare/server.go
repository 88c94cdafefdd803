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

// The server has the first core for itself and the load the second, where the machine can do so.
const serverCore, loadCore = "0", "1"

type command struct {
	argv, env []string
}

type target struct {
	name    string
	tokens  string // path of the tokens that the load uses
	command func(addr, dir string) command
}

func (s settings) program(name string) string { return filepath.Join(s.programs, name) }

// pinned puts a command on one core, if there are two and taskset.
func pinned(ctx context.Context, core string, argv []string) *exec.Cmd {
	if path, err := exec.LookPath("taskset"); err == nil && runtime.NumCPU() > 1 {
		argv = append([]string{path, "-c", core}, argv...)
	}
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 20 * time.Second
	return c
}

// serving starts the target in a directory of its own, waits for its first answer, runs what is given, and stops it.
func (t target) serving(ctx context.Context, do func(addr string, pid int) error) error {
	dir, err := os.MkdirTemp("", "prax-bench-data-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	addr, err := freeAddr()
	if err != nil {
		return err
	}
	said, err := os.Create(filepath.Join(dir, "said"))
	if err != nil {
		return err
	}
	defer said.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	start := t.command(addr, dir)
	server := pinned(ctx, serverCore, start.argv)
	server.Dir, server.Stdout, server.Stderr = dir, said, said
	server.Env = append(os.Environ(), start.env...)
	if err := server.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		server.Wait()
		stop() // nobody need wait for answers any more
		close(ended)
	}()
	err = t.answers(ctx, addr)
	if err == nil {
		err = do(addr, server.Process.Pid)
	}
	stop()
	<-ended
	if err != nil {
		text, _ := os.ReadFile(said.Name())
		return fmt.Errorf("%w\n%s", err, bytes.TrimSpace(text[max(0, len(text)-2000):]))
	}
	return nil
}

// answers waits until the server answers tools/list.
func (t target) answers(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		_, err := t.list(ctx, addr)
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

var client = &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// list returns the result of tools/list.
func (t target) list(ctx context.Context, addr string) (json.RawMessage, error) {
	tokens, err := os.ReadFile(t.tokens)
	if err != nil {
		return nil, err
	}
	token, _, _ := strings.Cut(string(tokens), "\n")
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/mcp",
		strings.NewReader(strings.Replace(listBody, "{{id}}", "1", 1)))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("MCP-Protocol-Version", "2025-11-25")
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	var message struct {
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(body, &message); err != nil || response.StatusCode != http.StatusOK || message.Result == nil {
		return nil, fmt.Errorf("%s: %.300s", response.Status, body)
	}
	return message.Result, nil
}

func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}
