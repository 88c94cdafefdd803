package main

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/cmd/prax/bench"
)

// benchFlags are the flags of prax bench, and the measurement that they describe.
type benchFlags struct {
	*flags
	config              bench.Config
	token, tokens, body string
	work                string
	json                bool
}

func (p *program) benchFlags() *benchFlags {
	f := &benchFlags{flags: p.flags("bench", "[URL] [--token TOKEN] [--work call|list|start|get|move] [flags]",
		"Sends requests to the MCP endpoint at URL, each when the one before it is answered, checks every answer, and tells how many\n"+
			"there were and how long they took. Without URL it is the server at PRAX_ADDR. Exit code 1: an answer was wrong.\n\n"+
			"examples/bench has the tool and the workflow that it asks for. start, get and move begin real instances, which stay: not for\n"+
			"a server whose instances matter.").withSettings("PRAX_ADDR")}
	c := &f.config
	f.StringVar(&c.Protocol, "protocol", "2025-11-25", "the `VERSION` of MCP that is spoken")
	f.IntVar(&c.Callers, "concurrency", 16, "`N` connections, each with one request at a time; a server takes 64 of one client (PRAX_MAX_INFLIGHT)")
	f.DurationVar(&c.Time, "duration", 10*time.Second, "how long is measured: a `SPAN` as 30s or 15m")
	f.DurationVar(&c.Warm, "warmup", time.Second, "a `SPAN` before that, in which only errors count")
	f.Int64Var(&c.Requests, "requests", 0, "end after `N` measured requests; 0: when the time is over")
	f.Float64Var(&c.Rate, "rate", 0, "at most `N` requests a second; 0: as fast as answers come")
	f.IntVar(&c.PID, "pid", 0, "tell what the server's process `N` uses (Linux)")
	f.StringVar(&c.Asked.Text, "text", benchText, "the `TEXT` that call has echoed")
	f.StringVar(&c.Asked.Definition, "definition", "rally", "the `ID` of the workflow of start, get and move")
	f.StringVar(&c.Asked.Transition, "transition", "hit", "the `NAME` of the transition of move, which is open in every state that it leads to")
	f.StringVar(&c.Asked.Arguments, "arguments", `{"text":"`+benchText+`"}`, "its arguments, a `JSON` object")
	f.StringVar(&f.token, "token", "", "the bearer `TOKEN`")
	f.StringVar(&f.tokens, "tokens", "", "a `FILE` of bearer tokens, one a line: each request takes the next, a caller of get or move keeps one")
	f.StringVar(&f.work, "work", "call", "call of the tool echo, list of tools, start, get or move of instances; several `WORKS` with weights: get=4,move=1")
	f.StringVar(&f.body, "body", "", "instead of a work, a `FILE` with a request, {{id}} in place of its id: for servers that are not prax")
	f.BoolVar(&f.json, "json", false, "print the report as JSON")
	return f
}

const benchText = "the quick brown fox jumps over the lazy dog"

// bench measures a server under load, and fails unless it answered everything rightly.
func (p *program) bench(args []string) error {
	f := p.benchFlags()
	if err := p.readBench(f, args); err != nil {
		return err
	}
	f.config.Begun = func() { p.printBegun(f.config) }
	f.config.Progress = p.benchProgress()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	report, err := bench.Run(ctx, f.config)
	if err != nil {
		return failed(benchHint(err), "%w", err)
	}
	return p.printBench(report, f.json)
}

// benchHint is what to do about a measurement that did not begin.
func benchHint(err error) string {
	switch op := (*net.OpError)(nil); {
	case errors.Is(err, context.Canceled):
		return "" // by who asked
	case errors.As(err, &op) && op.Op == "dial":
		return "prax serve starts a server; a URL or --addr HOST:PORT asks another"
	case errors.Is(err, fs.ErrNotExist):
		return "--pid is the id of a process on this machine, which runs Linux"
	}
	return "prax bench -h says what the server must have; examples/bench has it"
}

func (p *program) readBench(f *benchFlags, args []string) error {
	positional, err := f.parse(args, 0, 1)
	if err != nil {
		return err
	}
	c := &f.config
	if c.URL, err = p.benchURL(f.flags, positional); err != nil {
		return err
	}
	if c.Tokens, err = benchTokens(f.token, f.tokens); err != nil {
		return err
	}
	if f.body == "" {
		c.Works, err = f.works()
	} else {
		c.Works = []bench.Share{{Work: bench.Body, Weight: 1}}
		c.Asked.Body, err = f.readBody()
	}
	if err != nil {
		return err
	}
	return f.bounds()
}

func (p *program) benchURL(f *flags, positional []string) (*url.URL, error) {
	if len(positional) > 0 {
		u, err := url.Parse(positional[0])
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
			return nil, usage("as http://127.0.0.1:8808/mcp", "%q is no URL of a server", positional[0])
		}
		return u, nil
	}
	s, _, err := p.loadSettings(f)
	if err != nil {
		return nil, err
	}
	base, err := s.probeURL()
	if err != nil {
		return nil, err
	}
	return url.Parse(base + "/mcp")
}

// benchTokens is one or more tokens; one that is empty when none was given.
func benchTokens(token, file string) ([]string, error) {
	if file == "" {
		if strings.ContainsFunc(token, notInHeader) {
			return nil, usage("", "--token: there are no blanks in a token, and nothing beyond ASCII")
		}
		return []string{token}, nil
	}
	if token != "" {
		return nil, usage("", "--token and --tokens: one of them")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, failed("", "--tokens: %w", err)
	}
	tokens := strings.Fields(string(text))
	if len(tokens) == 0 {
		return nil, failed("one token a line", "--tokens: %s has none", file)
	}
	return tokens, nil
}

// notInHeader is what would end a header of the request, or not arrive.
func notInHeader(r rune) bool { return r <= ' ' || r > '~' }

// works reads the names of works, each with its weight.
func (f *benchFlags) works() (shares []bench.Share, err error) {
	for part := range strings.SplitSeq(f.work, ",") {
		name, weight, weighed := strings.Cut(part, "=")
		share := bench.Share{Work: bench.Work(name), Weight: 1}
		if !slices.Contains([]bench.Work{bench.Call, bench.List, bench.Start, bench.Get, bench.Move}, share.Work) {
			return nil, f.usage("--work: %q is none of call, list, start, get and move", name)
		}
		if slices.ContainsFunc(shares, func(s bench.Share) bool { return s.Work == share.Work }) {
			return nil, f.usage("--work: %s twice", name)
		}
		if weighed {
			if share.Weight, err = strconv.Atoi(weight); err != nil || share.Weight < 1 || share.Weight > 1000 {
				return nil, f.usage("--work: the weight of %s is %q, and not a number from 1 to 1000", name, weight)
			}
		}
		shares = append(shares, share)
	}
	return shares, nil
}

func (f *benchFlags) readBody() (string, error) {
	if f.said("work") {
		return "", f.usage("--work and --body: one of them")
	}
	text, err := os.ReadFile(f.body)
	if err != nil {
		return "", failed("", "--body: %w", err)
	}
	body := strings.TrimSpace(string(text))
	if strings.Count(body, bench.IDPlace) != 1 {
		return "", failed(`as {"jsonrpc":"2.0","id":{{id}},"method":"tools/list"}`, "--body: %s does not have %s once", f.body, bench.IDPlace)
	}
	return body, nil
}

func (f *benchFlags) bounds() error {
	c := &f.config
	switch {
	case c.Callers < 1 || c.Callers > 10_000:
		return f.usage("--concurrency is 1 to 10000")
	case c.Time <= 0 || c.Warm < 0:
		return f.usage("--duration is above zero, and --warmup not below")
	case c.Requests < 0 || c.Rate < 0:
		return f.usage("--requests and --rate are not below zero")
	case c.Requests > 0 && c.Requests < int64(c.Callers):
		return f.usage("--requests is less than --concurrency: some callers would have nothing to do")
	case c.Protocol == "" || strings.ContainsFunc(c.Protocol, notInHeader):
		return f.usage("--protocol is a version of MCP, as 2025-11-25")
	case jsontext.Value(c.Asked.Arguments).Kind() != '{' || !jsontext.Value(c.Asked.Arguments).IsValid():
		return usage(argumentsHint, "--arguments is no object")
	}
	return nil
}
