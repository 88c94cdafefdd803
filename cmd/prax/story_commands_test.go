package main

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience bounds every wait of the stories. Nothing is expected to take that long.
const patience = time.Minute

type storyCommand = func(ts *testscript.TestScript, neg bool, args []string)

// storyCommands are the commands of the stories:
//
//	serve [flag...]                 start prax serve, wait until it listens, set $URL
//	                                (-until takes a status, or a regular expression for the whole answer)
//	signal TERM|INT|HUP|KILL        send a signal to it
//	stopped CODE                    wait until it has ended with this exit code
//	as-alice [-until STATUS] METHOD [PARAMS]     POST JSON-RPC with alice's token; stdout: status, body
//	as-reader, as-nobody            the same with theirs
//	as-token TOKEN ...              the same with any token
//	follow [-until STATUS] as-NAME REL [JSON]    copy the link REL of the last answer that NAME got, with JSON in its
//	                                arguments or input; NAME's token is in $NAME. It fails, and with ! says why, when
//	                                there is no such link or it is blocked
//	http [-until STATUS] METHOD PATH             a bare request; stdout: status, headers, body
//	scrape [-until REGEXP]          read the metrics; stdout: the status, and what is scraped
//	send FILE                       the request in FILE: METHOD PATH, headers, a blank line, the body
//	mode PERMISSIONS FILE...        the files have these permissions, in octal
//	retry REGEXP ARGUMENT...        run prax with these arguments until it prints a match
//	hang                            half a request by alice that stays open
//	tamper FILE OLD NEW             change text in a file
//	dbversion FILE NUMBER           set the schema version of a database
//	freeport                        set $PRAX_ADDR to a free port
//	readme NAME                     write the README's block NAME to NAME.sh
//	operate NAME                    write the block NAME of docs/operate.md to NAME.sh
//	serving NAME                    the same of docs/serving.md
//	example NAME                    copy examples/NAME to the same place here, write the commands of its README to NAME.sh
//	ledger start|stop               start examples/expense-claim/ledger at a free port, which examples that are copied then
//	                                use; stop it
//	ledger BOOK                     print what is booked there
//	clone DIRECTORY                 copy what the repository has there
//	gohome                          set $HOME to a folder with the build cache that Go has on this machine, and $GOMODCACHE to its modules
//	tutorial                        write the tutorial of docs/workflows.md to tutorial.sh
//	answers FILE                    what tutorial.sh printed, in FILE, is what the tutorial shows
//	snippet NAME [FILE]             write the block NAME of docs/clients.md to NAME.sh, or to FILE
//	setvar NAME FILE REGEXP         set $NAME to the first group of the first match
//	absent REGEXP PATH...           no file there, or below there, has a match
//	certify NAME DAYS               write NAME.crt and NAME.key, a certificate for NAME that ends after so many days
//	handshake                       print for whom the server's certificate is
//	supervisor PATH|@NAME           be a service manager that is told at this socket, and set $NOTIFY_SOCKET
//	told REGEXP...                  wait for its next words, which match these in their order
//	until FILE REGEXP               wait until the file has a match
func storyCommands() map[string]storyCommand {
	return map[string]storyCommand{
		"serve":     serveCommand,
		"signal":    signalCommand,
		"stopped":   stoppedCommand,
		"as-alice":  asCommand(aliceToken),
		"as-reader": asCommand(readerToken),
		"as-nobody": asCommand(nobodyToken),
		"as-token": func(ts *testscript.TestScript, neg bool, args []string) {
			asCommand(args[0])(ts, neg, args[1:])
		},
		"follow": followCommand,
		"http":   httpCommand,
		"scrape": scrapeCommand,
		"send":   sendCommand,
		"retry":  retryCommand,
		"mode":   modeCommand,
		"hang":   hangCommand, "tamper": tamperCommand, "dbversion": dbversionCommand,
		"readme": readmeCommand, "freeport": freeportCommand,
		"snippet": snippetCommand, "operate": blockCommand(operateDoc), "serving": blockCommand(servingDoc),
		"tutorial": tutorialCommand, "answers": answersCommand,
		"absent": absentCommand, "example": exampleCommand, "gohome": gohomeCommand,
		"ledger": ledgerCommand, "certify": certifyCommand, "handshake": handshakeCommand, "clone": cloneCommand,
		"supervisor": supervisorCommand, "told": toldCommand,
		"setvar": setvarCommand,
		"until":  untilCommand,
	}
}

// asCommand calls /mcp as the one who holds token.
func asCommand(token string) storyCommand {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		until, args := untilFlag(args)
		if neg || len(args) < 1 || len(args) > 2 {
			ts.Fatalf("usage: as-NAME [-until STATUS] METHOD [PARAMS]")
		}
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q}`, args[0])
		if len(args) == 2 {
			body = fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, args[0], args[1])
		}
		text := ask(ts, until, func(ctx context.Context) (*http.Request, error) {
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, ts.Getenv("URL")+"/mcp", strings.NewReader(body))
			if err == nil {
				req.Header.Set("Authorization", "Bearer "+token)
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set("Accept", "application/json, text/event-stream")
			}
			return req, err
		}, false)
		heardOf(ts).hear(token, text)
	}
}

func httpCommand(ts *testscript.TestScript, neg bool, args []string) {
	until, args := untilFlag(args)
	if neg || len(args) != 2 {
		ts.Fatalf("usage: http [-until STATUS] METHOD PATH")
	}
	ask(ts, until, func(ctx context.Context) (*http.Request, error) {
		return http.NewRequestWithContext(ctx, args[0], ts.Getenv("URL")+args[1], nil)
	}, true)
}

// metricsAt is where the server says that its metrics are.
var metricsAt = regexp.MustCompile(`"metrics":"(http://[^"]+)"`)

func scrapeCommand(ts *testscript.TestScript, neg bool, args []string) {
	until, args := untilFlag(args)
	at := metricsAt.FindStringSubmatch(ts.ReadFile("serve.err"))
	if neg || len(args) > 0 || at == nil {
		ts.Fatalf("usage: scrape [-until REGEXP], with a server running that has metrics")
	}
	ask(ts, until, func(ctx context.Context) (*http.Request, error) {
		return http.NewRequestWithContext(ctx, http.MethodGet, at[1], nil)
	}, false)
}

func sendCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: send FILE")
	}
	head, body, _ := strings.Cut(ts.ReadFile(args[0]), "\n\n")
	lines := strings.Split(head, "\n")
	method, path, found := strings.Cut(lines[0], " ")
	if !found {
		ts.Fatalf("%s does not begin with METHOD PATH", args[0])
	}
	ask(ts, "", func(ctx context.Context) (*http.Request, error) {
		req, err := http.NewRequestWithContext(ctx, method, ts.Getenv("URL")+path, strings.NewReader(strings.TrimSuffix(body, "\n")))
		if err != nil {
			return nil, err
		}
		for _, line := range lines[1:] {
			name, text, _ := strings.Cut(line, ": ")
			if name == "Host" {
				req.Host = text
			} else {
				req.Header.Add(name, text)
			}
		}
		return req, nil
	}, true)
}

func untilFlag(args []string) (until string, rest []string) {
	if len(args) > 1 && args[0] == "-until" {
		return args[1], args[2:]
	}
	return "", args
}

// ask sends a request, prints its answer and returns what it printed. With until it sends it again until the answer's
// status is that one.
func ask(ts *testscript.TestScript, until string, make func(context.Context) (*http.Request, error), headers bool) string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		req, err := make(ctx)
		ts.Check(err)
		status, text, err := answer(req, headers)
		ts.Check(err)
		if met(until, status, text) {
			fmt.Fprint(ts.Stdout(), text)
			return text
		}
		if !pause(ctx) {
			ts.Fatalf("no answer %s within %v, but:\n%s", until, patience, text)
		}
	}
}

// met tells whether an answer is the one that was waited for.
func met(until, status, text string) bool {
	if _, err := strconv.Atoi(until); err == nil {
		return status == until
	}
	return until == "" || regexp.MustCompile(`(?m)`+until).MatchString(text)
}

// pause waits a moment between two looks; false when ctx is over.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(20 * time.Millisecond):
		return true
	}
}

func answer(req *http.Request, headers bool) (status, text string, err error) {
	code, header, body, err := fetch(req)
	if err != nil {
		return "", "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d\n", code)
	if headers {
		_ = header.Write(&b)
	}
	fmt.Fprintf(&b, "%s\n", body)
	return fmt.Sprint(code), strings.ReplaceAll(b.String(), "\r", ""), nil
}

func modeCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: mode PERMISSIONS FILE...")
	}
	for _, name := range args[1:] {
		info, err := os.Lstat(ts.MkAbs(name))
		ts.Check(err)
		if got := fmt.Sprintf("%o", info.Mode().Perm()); got != args[0] {
			ts.Fatalf("%s has mode %s, want %s", name, got, args[0])
		}
	}
}

func absentCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: absent REGEXP PATH...")
	}
	re, read := regexp.MustCompile(`(?m)`+args[0]), 0
	for _, root := range args[1:] {
		ts.Check(filepath.WalkDir(ts.MkAbs(root), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			if found := re.Find(text); found != nil {
				ts.Fatalf("%s has %q", path, found)
			}
			read += len(text)
			return err
		}))
	}
	if read == 0 {
		ts.Fatalf("nothing to look at in %q", args[1:])
	}
}

func setvarCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: setvar NAME FILE REGEXP")
	}
	match := regexp.MustCompile(`(?m)` + args[2]).FindStringSubmatch(ts.ReadFile(args[1]))
	if len(match) < 2 {
		ts.Fatalf("%s has no match of %s:\n%s", args[1], args[2], ts.ReadFile(args[1]))
	}
	ts.Setenv(args[0], match[1])
}

func untilCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: until FILE REGEXP")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for re := regexp.MustCompile(`(?m)` + args[1]); ; {
		text, _ := os.ReadFile(ts.MkAbs(args[0]))
		if re.Match(text) {
			return
		}
		if !pause(ctx) {
			ts.Fatalf("%s has no match of %s within %v:\n%s", args[0], args[1], patience, text)
		}
	}
}
