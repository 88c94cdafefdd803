package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// retryCommand runs prax until it prints a match.
func retryCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: retry REGEXP ARGUMENT...")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for re := regexp.MustCompile(`(?m)` + args[0]); ; {
		ts.Check(ts.Exec("prax", args[1:]...))
		if re.MatchString(ts.ReadFile("stdout")) {
			return
		}
		if !pause(ctx) {
			ts.Fatalf("prax %q prints no match of %s within %v", args[1:], args[0], patience)
		}
	}
}

// hangCommand sends half a request, with alice's token, and keeps its connection open.
func hangCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: hang")
	}
	conn, err := net.Dial("tcp", ts.Getenv("HOSTPORT"))
	ts.Check(err)
	ts.Defer(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n", aliceToken)
	ts.Check(err)
	// The server asks for the body when it has begun to serve the request.
	buf := make([]byte, 64)
	n, err := conn.Read(buf)
	ts.Check(err)
	if !strings.HasPrefix(string(buf[:n]), "HTTP/1.1 100 ") {
		ts.Fatalf("hang: the server answers %q", buf[:n])
	}
}

// tamperCommand changes text within a file to other text of the same length, wherever it stands.
func tamperCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 || len(args[1]) != len(args[2]) {
		ts.Fatalf("usage: tamper FILE OLD NEW, equally long")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s has no %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, args[1], args[2])), 0o600))
}

// dbversionCommand writes the schema version of an SQLite file, PRAGMA user_version: the big-endian
// integer at offset 60 of the header (SQLite, database file format, 1.3).
func dbversionCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: dbversion FILE NUMBER")
	}
	version, err := strconv.ParseUint(args[1], 10, 32)
	ts.Check(err)
	file, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY, 0)
	ts.Check(err)
	defer file.Close()
	_, err = file.WriteAt(binary.BigEndian.AppendUint32(nil, uint32(version)), 60)
	ts.Check(err)
}

// readmeAddr is the address that the README shows; the stories use a free port instead.
const readmeAddr = "127.0.0.1:8808"

// freeportCommand sets PRAX_ADDR and HOSTPORT to a port of loopback that nobody listens on now.
func freeportCommand(ts *testscript.TestScript, neg bool, args []string) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	defer ln.Close()
	ts.Setenv("PRAX_ADDR", ln.Addr().String())
	ts.Setenv("HOSTPORT", ln.Addr().String())
}

// readmeCommand writes the README's block of this name to NAME.sh, with a free port for the one it
// shows. A server that the block leaves in the foreground is stopped once it is well.
func readmeCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: readme NAME")
	}
	text, err := os.ReadFile("../../README.md")
	ts.Check(err)
	block := regexp.MustCompile("(?s)<!-- run: " + regexp.QuoteMeta(args[0]) + " -->\n```sh\n(.*?)```").FindSubmatch(text)
	if block == nil {
		ts.Fatalf("the README has no block %q", args[0])
	}
	script := strings.ReplaceAll(string(block[1]), readmeAddr, ts.Getenv("HOSTPORT"))
	if rest, found := strings.CutSuffix(script, "prax serve\n"); found {
		script = rest + "prax serve 2> prax.log & server=$!\nuntil prax health 2> prax.err; do sleep 0.1; done\nkill $server\nwait $server\n"
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".sh"), []byte(script), 0o600))
}
