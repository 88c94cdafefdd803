package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// bench is what the rows share: registries, definitions, bodies, and the targets made of them.
type bench struct {
	settings
	many, fewer, few registry // 100,000 clients, a tenth of them, and eight
	config           string   // examples/bench/praxec.yaml
	listBody         string   // paths of request bodies
	echoBody         string
	getBody          string
	moveBody         string
}

const text = "the quick brown fox jumps over the lazy dog"

func newBench(s settings) (b *bench, err error) {
	b = &bench{settings: s, config: filepath.Join(s.examples, "bench", "praxec.yaml")}
	for _, r := range []struct {
		to    *registry
		name  string
		n     int
		allow string
	}{{&b.many, "many", s.clients, oneTool}, {&b.fewer, "fewer", s.clients / 10, oneTool}, {&b.few, "few", 8, workflows}} {
		if *r.to, err = writeRegistry(filepath.Join(s.work, r.name), r.n, r.allow); err != nil {
			return nil, err
		}
	}
	// A bare server knows no workflow: it gets the bodies that prax gets, of some instance.
	const id = "wf_nfgma51gkmsad2q8qma6sa22k8"
	for _, body := range []struct {
		to         *string
		name, text string
	}{
		{&b.listBody, "list.json", `{"jsonrpc":"2.0","id":{{id}},"method":"tools/list","params":{}}`},
		{&b.echoBody, "echo.json", callOf("echo", `{"text":"`+text+`"}`)},
		{&b.getBody, "get.json", callOf("praxec.query", `{"workflowId":"`+id+`"}`)},
		{&b.moveBody, "move.json", callOf("praxec.command",
			`{"workflowId":"`+id+`","expectedVersion":1234,"transition":"hit","arguments":{"text":"`+text+`"}}`)},
	} {
		*body.to = filepath.Join(s.work, body.name)
		if err := os.WriteFile(*body.to, []byte(body.text), 0o600); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (b *bench) program(name string) string { return filepath.Join(b.programs, name) }

// prax is a server of prax with these clients, as it is shipped but for what env says.
func (b *bench) prax(r registry, env ...string) target {
	return b.praxWith(r, b.config, env...)
}

func (b *bench) praxWith(r registry, config string, env ...string) target {
	return target{token: r.first, command: func(addr, dir string) command {
		return command{argv: []string{b.program("prax"), "serve"}, env: append([]string{
			"MCP_SERVER_ENABLED=true", "MCP_CLIENTS_PATH=" + r.clients, "PRAX_CONFIG=" + config,
			"PRAX_ADDR=" + addr, "PRAX_DATA=" + filepath.Join(dir, "data"),
		}, env...)}
	}}
}

// bare is one of the servers of this module, which know one token.
func (b *bench) bare(name string, args ...string) target {
	token := b.many.first
	return target{token: token, command: func(addr, dir string) command {
		argv := []string{b.program(name), "-addr", addr, "-token", token}
		for _, arg := range args {
			argv = append(argv, strings.ReplaceAll(arg, "{dir}", dir))
		}
		return command{argv: argv}
	}}
}

func (b *bench) floor() target     { return b.bare("floor") }
func (b *bench) json() target      { return b.bare("floor", "-mode", "json") }
func (b *bench) writeFull() target { return b.bare("floor", "-mode", "write-full", "-dir", "{dir}") }

// definitions writes a file with the example's workflow n times, under names of their own.
func (b *bench) definitions(n int) (string, error) {
	example, err := os.ReadFile(b.config)
	if err != nil {
		return "", err
	}
	before, workflow, found := strings.Cut(string(example), "  rally:\n")
	if !found {
		return "", fmt.Errorf("%s has no workflow rally", b.config)
	}
	var out strings.Builder
	out.WriteString(before + "  rally:\n" + workflow)
	for i := range n - 1 {
		// An anchor holds for one file, so each copy has one of its own.
		fmt.Fprintf(&out, "  rally_%d:\n%s", i, strings.NewReplacer("&stroke", fmt.Sprintf("&stroke%d", i), "*stroke", fmt.Sprintf("*stroke%d", i)).Replace(workflow))
	}
	path := filepath.Join(b.work, fmt.Sprintf("definitions-%d.yaml", n))
	return path, os.WriteFile(path, []byte(out.String()), 0o600)
}
