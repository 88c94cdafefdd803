package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"prax/tools/egress"
	"prax/tools/runner"
)

// notify is where the operator is told what waits for a person: a program, or a URL.
type notify struct {
	argv []string // the program and its arguments; nil: there is a URL
	url  *url.URL
}

// readNotify takes a URL, or a program as a list of JSON strings: that is the one form in which nobody has to guess where an
// argument ends. No error quotes the text, which may be a secret.
func readNotify(text string) (*notify, error) {
	if strings.HasPrefix(text, "[") {
		return readNotifyProgram(text)
	}
	return readNotifyURL(text)
}

func readNotifyProgram(text string) (*notify, error) {
	var list []*string
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list) == 0 || slices.Contains(list, nil) {
		return nil, errors.New(`not a list of JSON strings, as ["/usr/local/bin/tell", "--to", "ops"]`)
	}
	var argv []string
	for _, arg := range list {
		if strings.ContainsRune(*arg, 0) {
			return nil, errors.New("an argument has a NUL")
		}
		argv = append(argv, *arg)
	}
	if path := argv[0]; path == "" || strings.Contains(path, "/") && !filepath.IsAbs(path) && !strings.HasPrefix(path, "./") {
		return nil, errors.New("the program is neither a name, nor an absolute path, nor one that begins with ./")
	}
	return &notify{argv: argv}, nil
}

func readNotifyURL(text string) (*notify, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Fragment != "":
		return nil, errors.New(`neither an https address nor a program, as ["/usr/local/bin/tell"]`)
	case u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())):
		return nil, errors.New("not an https address; http leads to this machine only")
	}
	n := &notify{url: u}
	_, err = n.hook(nil, nil)
	if refused := (*egress.Refused)(nil); errors.As(err, &refused) {
		return nil, fmt.Errorf("an address that no request is sent to: it %s", refused.Reason)
	}
	return n, err
}

func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback() || host == "localhost"
}

// hook is what tells the operator; nil: nobody does.
func (n *notify) hook(allow []string, log *slog.Logger) (runner.Hook, error) {
	switch {
	case n == nil:
		return nil, nil
	case n.url == nil:
		return runner.ProgramHook{Argv: n.argv}, nil
	}
	out, err := egress.New(egress.Config{Allow: allow, Log: log})
	if err != nil {
		return nil, fmt.Errorf("PRAX_EGRESS_ALLOW: %w", err)
	}
	return runner.NewPostHook(out, n.url)
}

// judgeNotify warns of a program that could not be started here. A server may run where it can.
func (v *verdict) judgeNotify(n *notify) {
	if n == nil || n.url != nil {
		return
	}
	if err := (runner.ProgramHook{Argv: n.argv}).Check(); err != nil {
		v.add(setting("notify-program", "warning", "PRAX_NOTIFY: "+err.Error()))
	}
}
