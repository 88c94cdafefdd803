package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"prax/server/control"
	"prax/store"
)

// waitingFlow is a workflow whose one step waits until a file is there.
func waitingFlow(file string) string {
	return fmt.Sprintf(`
version: "1.0.0"
workflows:
  slow:
    initialState: s
    states:
      s: { transitions: { go: { target: t, executor: { kind: cli, command: sh, args: [-c, 'until test -e "$0"; do sleep 0.05; done', %q] } } } }
      t: { terminal: true }
`, file)
}

// hangUp has a client begin the step at an address, and leave while it runs.
func (l *lawApp) hangUp(o *control.Operator, base string) {
	l.t.Helper()
	id := l.begin(lawRoutes()[2], keeper, "slow")
	ctx, leave := context.WithCancel(l.t.Context())
	defer leave()
	body := lawCall("", "", "praxec.command", fmt.Sprintf(`{"workflowId":%q,"expectedVersion":1,"transition":"go"}`, id))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/mcp", strings.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+keeper.token)
	req.Header.Set("Content-Type", "application/json")
	left := make(chan struct{})
	go func() {
		defer close(left)
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_ = resp.Body.Close()
		}
	}()
	within(l.t, "it runs", func() bool { return operationsOf(l.t, o, store.AttemptRunning) == 1 })
	leave()
	<-left
}

func operationsOf(t *testing.T, o *control.Operator, status store.AttemptStatus) int {
	t.Helper()
	page, err := o.Operations(context.WithoutCancel(t.Context()), control.OperationFilter{Status: status})
	if err != nil {
		t.Error(err)
	}
	return len(page.Items)
}

// TestStopWaitsForEffects: a server that stops lets what it set going come to its end, although nobody waits for it any
// more.
func TestStopWaitsForEffects(t *testing.T) {
	t.Parallel()
	l := newLawApp(t, false)
	file := filepath.Join(t.TempDir(), "release")
	l.define(write(t, "praxec.yaml", waitingFlow(file)))
	l.write(keeper)
	s := l.serve()
	o := control.NewOperator(l.app.controlConfig(), os.Getuid())
	l.hangUp(o, s.url)
	s.stop()
	within(t, "the socket is gone", func() bool { return !exists(s.socket) })
	if len(s.ended) > 0 || operationsOf(t, o, store.AttemptRunning) != 1 {
		t.Error("the server was gone before what it ran was over")
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-s.ended; err != nil {
		t.Error(err)
	}
	if operationsOf(t, o, store.AttemptDone) != 1 {
		t.Error("it was not done")
	}
}

// TestStopEndsEffects: what is not over when the grace is, is ended, and in doubt.
func TestStopEndsEffects(t *testing.T) {
	t.Parallel()
	l := newLawApp(t, false)
	l.define(write(t, "praxec.yaml", waitingFlow(filepath.Join(t.TempDir(), "never"))))
	l.write(keeper)
	o := control.NewOperator(l.app.controlConfig(), os.Getuid())
	l.hangUp(o, l.web.URL)
	if err := l.app.stopEffects(time.Now()); err != nil {
		t.Error(err)
	}
	if operationsOf(t, o, store.AttemptUnknown) != 1 {
		t.Error("it is not in doubt")
	}
}
