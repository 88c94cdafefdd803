package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

const (
	// ledgerAddr is where the ledger of the examples listens; the stories use a free port instead.
	ledgerAddr = "127.0.0.1:8810"
	// ledgerLine is the command that starts it.
	ledgerLine = "go run ./examples/expense-claim/ledger"
)

// ledgerProcess is the ledger of one story.
type ledgerProcess struct{ cmd *exec.Cmd } // nil: none runs

// ledgerCommand starts and stops the ledger of the examples, and prints what it has booked. Its address is in $LEDGER.
func ledgerCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: ledger start|stop|BOOK")
	}
	switch l := ts.Value(ledgerProcess{}).(*ledgerProcess); args[0] {
	case "start":
		if l.cmd != nil {
			ts.Fatalf("the ledger is started already")
		}
		l.start(ts)
	case "stop":
		l.stop()
	default:
		text, err := booked(ts.Getenv("LEDGER"), args[0])
		ts.Check(err)
		fmt.Fprint(ts.Stdout(), text)
	}
}

// start starts it, where the one before was if there was one, and waits until it answers.
func (l *ledgerProcess) start(ts *testscript.TestScript) {
	bin := ts.MkAbs("ledger.bin")
	if !exists(bin) {
		built, err := exec.Command("go", "build", "-o", bin, "../../examples/expense-claim/ledger").CombinedOutput()
		if err != nil {
			ts.Fatalf("%v: %s", err, built)
		}
	}
	addr := ts.Getenv("LEDGER")
	if addr == "" {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		ts.Check(err)
		addr = ln.Addr().String()
		ts.Check(ln.Close())
		ts.Setenv("LEDGER", addr)
	}
	l.cmd = exec.Command(bin, "-addr", addr)
	ts.Check(l.cmd.Start())
	ts.Defer(l.stop)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		_, err := booked(addr, "payments")
		if err == nil {
			return
		}
		if !pause(ctx) {
			ts.Fatalf("the ledger does not answer: %v", err)
		}
	}
}

// stop ends it, if it runs.
func (l *ledgerProcess) stop() {
	if l.cmd != nil {
		_ = l.cmd.Process.Kill()
		_ = l.cmd.Wait()
		l.cmd = nil
	}
}

// booked is what the ledger at an address has in a book.
func booked(addr, book string) (string, error) {
	req, err := http.NewRequest(http.MethodGet, "http://"+addr+"/"+book, nil)
	if err != nil {
		return "", err
	}
	_, _, body, err := fetch(req)
	return string(body) + "\n", err
}

// moveLedger puts the address of the story's ledger, if it has one, into files that name the one of the examples.
func moveLedger(ts *testscript.TestScript, files ...string) {
	addr := ts.Getenv("LEDGER")
	if addr == "" {
		return
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		ts.Check(err)
		if !strings.Contains(string(text), ledgerAddr) {
			ts.Fatalf("%s does not name the ledger at %s", file, ledgerAddr)
		}
		ts.Check(os.WriteFile(file, []byte(strings.ReplaceAll(string(text), ledgerAddr, addr)), 0o600))
	}
}
