package main

import (
	"cmp"
	"context"
	_ "embed" // the sample workflow
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prax/auth"
	"prax/auth/clients"
	"prax/store"
)

// devDir is where serve --dev keeps everything: nothing else is read or written.
const devDir = "prax-dev"

// The one user of the trial server, and its two clients.
const (
	devUser  = "you"
	devAgent = "dev"
	devHuman = "you"
)

// devCall is a call that finds something among the samples.
const devCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_recall","arguments":{"query":"coffee"}}}`

// singleClient is what the settings say of a client without a file: the trial server has none.
var singleClient = []string{"MCP_BEARER_TOKEN", "MCP_BEARER_TOKEN_FILE", "MCP_USER_ID", "MCP_TOOL_ALLOWLIST", "MCP_TOKEN_EXPIRES_AT"}

func (f *flags) isDev() bool { return f.dev != nil && *f.dev }

// devLayers are the layers of settings with --dev: over the environment it names the trial server's
// data directory and clients, and no other client is there.
func devLayers(f *flags, file, environ layer) ([]layer, error) {
	for _, v := range variables {
		if f.given[v.name] != "" && (v.name == "MCP_CLIENTS_PATH" || slices.Contains(singleClient, v.name)) {
			return nil, f.usage("--%s and --dev: the trial server has clients of its own", v.flag)
		}
	}
	for _, name := range singleClient {
		delete(file.texts, name)
		delete(environ.texts, name)
	}
	data := cmp.Or(f.given["PRAX_DATA"], "./"+devDir)
	path := filepath.Join(data, "clients.json")
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return nil, failed("move the link away; without that file a start makes a new one",
			"%s is a symbolic link, and the trial server writes nowhere but in its own directory", path)
	}
	texts := map[string]string{
		"PRAX_DATA": data, "MCP_CLIENTS_PATH": path, "PRAX_CONFIG": devDefinitions(data), "MCP_SERVER_ENABLED": "true",
	}
	return []layer{file, environ, {sourceDev, texts}, {"a flag", f.given}}, nil
}

// devDefinitions is the trial server's own file of definitions.
func devDefinitions(data string) string { return filepath.Join(data, "praxec.yaml") }

// devTokens are the new tokens of the trial server's clients, and whether its workflow is the sample.
type devTokens struct {
	agent, human string
	sampled      bool
}

// text says all that is needed to use the trial server, an item a line.
func (t devTokens) text(url, data string) string {
	w := &strings.Builder{}
	fmt.Fprintf(w, "a trial server at %s, with sample data in %s\n", url, printable(data))
	fmt.Fprintf(w, "token of the agent %q: %s\n", devAgent, t.agent)
	fmt.Fprintf(w, "token of the person %q: %s\n", devHuman, t.human)
	fmt.Fprintln(w, "new tokens at every start; the ones before no longer work")
	fmt.Fprintf(w, "\ntry it:\n%s\n", curlLine(url, t.agent, devCall))
	if t.sampled {
		fmt.Fprintf(w, "\na workflow (%s), which waits for a person:\n", printable(devDefinitions(data)))
		fmt.Fprintf(w, "prax workflow run trip '{\"to\":\"Vienna\"}' --choose propose --choose book --as %s --dev%s\n", devAgent, elsewhere(data))
		fmt.Fprintf(w, "prax approvals list --dev%s\n", elsewhere(data))
	}
	fmt.Fprintf(w, "\nClaude Code:\n%s\n", claudeLine(url, t.agent))
	fmt.Fprintf(w, "\nanother client: prax client add NAME --dev%s\nlogs follow; Ctrl-C stops\n\n", elsewhere(data))
	return w.String()
}

// elsewhere is the flag for a trial server whose data is not where it is looked for.
func elsewhere(data string) string {
	if filepath.Clean(data) == devDir {
		return ""
	}
	return " --data " + printable(data)
}

// prepareDev gives the trial server its sample data, once, and its two clients new tokens, each time.
func (a *app) prepareDev(ctx context.Context) (devTokens, error) {
	if err := a.addSamples(ctx); err != nil {
		return devTokens{}, fmt.Errorf("sample data: %w", err)
	}
	t := devTokens{agent: auth.MintToken(), human: auth.MintToken()}
	var err error
	if t.sampled, err = a.settings.addSampleWorkflow(); err != nil {
		return devTokens{}, fmt.Errorf("sample workflow: %w", err)
	}
	allow := append(clients.DefaultTools(), "memory_remember", "praxec.query", "praxec.command")
	agent := clients.Entry{Name: devAgent, Hash: auth.HashToken(t.agent), UserID: devUser, Allow: allow}
	human := clients.Entry{Name: devHuman, Hash: auth.HashToken(t.human), UserID: devUser, Allow: allow, Roles: []string{auth.Human}}
	for _, e := range []clients.Entry{agent, human} {
		if err := renew(a.settings.ClientsPath, e); err != nil {
			return devTokens{}, explainDev(a.settings.ClientsPath, err)
		}
	}
	return t, nil
}

// renew puts a client into the file, in the place of whatever has its name there: an entry that somebody
// disabled, or that grants something else, would make the printed lines fail with another token too.
func renew(path string, e clients.Entry) error {
	if exists(path) {
		if err := clients.RevokeClient(path, e.Name); err != nil && !errors.Is(err, clients.ErrNoClient) {
			return err
		}
	}
	return clients.AddClient(path, e)
}

func explainDev(path string, err error) error {
	hint := editHint(path, err)
	if !readable(path) {
		hint = "prax check --dev says what is wrong with it; without that file a start makes a new one"
	}
	return failed(hint, "clients of the trial server, %s: %w", path, err)
}

//go:embed dev.yaml
var sampleWorkflow []byte

// addSampleWorkflow puts the sample workflow where the trial server's definitions are, unless anything stands there or
// they are looked for elsewhere. It tells whether the sample is what is in force.
func (s *settings) addSampleWorkflow() (bool, error) {
	path := devDefinitions(s.Data)
	if s.Config != path {
		return false, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // follows no link
	if errors.Is(err, fs.ErrExist) {
		text, err := readRegular(path, int64(len(sampleWorkflow))+1)
		return err == nil && string(text) == string(sampleWorkflow), nil
	}
	if err != nil {
		return false, err
	}
	_, err = f.Write(sampleWorkflow)
	if err = errors.Join(err, f.Close()); err != nil {
		return false, errors.Join(err, os.Remove(path)) // half of it would be kept at the next start
	}
	return true, nil
}

func (a *app) addSamples(ctx context.Context) error {
	owner := auth.Principal{User: devUser}.Scope()
	return a.db.Update(ctx, func(tx store.Tx) error {
		kept, err := tx.ListDocuments(owner, store.Filter{Limit: 1})
		if err != nil || len(kept) > 0 {
			return err
		}
		for _, d := range samples() {
			if _, err := tx.PutDocument(d); err != nil {
				return err
			}
		}
		tx.AddEvent(store.Event{At: a.now(), Kind: store.EventServer, Outcome: "ok", Detail: `{"event":"samples"}`})
		return nil
	})
}

// samples are something to find for each of the tools that look.
func samples() []store.Document {
	return []store.Document{
		{User: devUser, Kind: store.Memory, Source: "sample", Importance: 0.8, Tags: []string{"taste"}, Body: "Takes coffee black, without sugar."},
		{User: devUser, Kind: store.Memory, Source: "sample", Importance: 0.6, Tags: []string{"travel"}, Body: "Prefers the night train to flying."},
		{User: devUser, Kind: store.Memory, Source: "sample", Importance: 0.3, Body: "The good coffee grinder is in the upper cupboard."},
		{User: devUser, Kind: store.Concept, Namespace: "general", Key: "espresso", Title: "Espresso", SourceType: "sample", Importance: 0.5,
			Body: "Coffee made by pressing hot water through finely ground beans."},
		{User: devUser, Kind: store.Concept, Namespace: "security", Key: "least privilege", Title: "Least privilege", SourceType: "sample", Importance: 0.9,
			Body: "Whoever acts for others gets the rights that the work needs, and no more."},
		{User: devUser, Kind: store.Conversation, Key: "user", Source: "sample", Body: "Which train gets me to Vienna by nine?"},
		{User: devUser, Kind: store.Conversation, Key: "assistant", Source: "sample", Body: "The night train of 21:40 arrives in Vienna at 07:55."},
	}
}
