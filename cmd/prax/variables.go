package main

import (
	"errors"
	"log/slog"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"prax/auth"
)

// settings is the configuration in force: the table below, parsed.
type settings struct {
	Enabled       bool
	BearerToken   string
	UserID        string
	Allowlist     string // "" is the default set
	ClientsPath   string
	ExpiryEnabled bool
	ExpiresAt     string // judged with the clients: what cannot be read has expired

	Addr           string
	Data           string
	Config         string
	PublicURL      *url.URL // nil when there is none
	AllowedHosts   []string
	AllowedOrigins []string
	TrustedProxies []netip.Prefix
	TLSCert        string // "" with TLSKey: plaintext
	TLSKey         string
	Publish        bool
	InsecureBind   bool
	ToolNames      auth.Spelling
	MaxBody        int64 // bytes
	MaxInflight    int   // calls of one client at a time
	Rate           auth.Rate
	CallTimeout    time.Duration
	KeepOnError    bool
	AuditReads     bool
	HalfLife       time.Duration
	LexiconWrites  bool
	SkillsSearch   bool
	ScriptsSearch  bool
	EgressAllow    []string      // where executors may connect to although it is no public address
	Notify         *notify       // nil: the operator is told nothing
	MetricsAddr    string        // "": none are counted
	Keep           time.Duration // age at which events are archived; 0: never
	Log            slog.Level

	home   string           // for paths that begin with ~/
	values map[string]value // by variable: the text in force and where it comes from
}

// variable is one row of the configuration: a name, what it is when unset, and how its text is read.
type variable struct {
	name    string
	initial string // the default, parsed like any other text; "" is none
	flag    string // "" for what must not stand on a command line
	note    string // one line for help and config.example.env
	secret  bool   // masked, and readable from the file that NAME_FILE names
	boolean bool
	parse   func(s *settings, text string) error
}

// variables is every setting there is. config.example.env, the help, the flags and `prax config
// show` are made from it.
var variables = []variable{
	{name: "MCP_SERVER_ENABLED", initial: "false", flag: "enabled", boolean: true,
		note:  "serve /mcp; without it, or without a client, /mcp does not exist",
		parse: parsed(readBool, func(s *settings) *bool { return &s.Enabled })},
	{name: "MCP_CLIENTS_PATH", initial: "clients.json", flag: "clients",
		note:  "the file of clients, read again whenever it changes",
		parse: pathed(func(s *settings) *string { return &s.ClientsPath })},
	{name: "MCP_BEARER_TOKEN", secret: true,
		note:  "the token of one client without a file, read at the start; or MCP_BEARER_TOKEN_FILE",
		parse: parsed(readText, func(s *settings) *string { return &s.BearerToken })},
	{name: "MCP_USER_ID", flag: "user-id",
		note:  "the user whom that one client acts as; it is needed with a token",
		parse: parsed(readText, func(s *settings) *string { return &s.UserID })},
	{name: "MCP_TOOL_ALLOWLIST", flag: "allowlist",
		note:  "the tools of that one client, with commas; unset is the read-only default set",
		parse: parsed(readText, func(s *settings) *string { return &s.Allowlist })},
	{name: "MCP_TOKEN_EXPIRES_AT", flag: "expires-at",
		note:  "when that one client's token lapses, as 2027-01-31T00:00:00Z",
		parse: parsed(readText, func(s *settings) *string { return &s.ExpiresAt })},
	{name: "MCP_TOKEN_EXPIRY_ENABLED", initial: "true", flag: "token-expiry", boolean: true,
		note:  "hold every client to its expires_at; false ignores them all",
		parse: parsed(readBool, func(s *settings) *bool { return &s.ExpiryEnabled })},

	{name: "PRAX_ADDR", initial: "127.0.0.1:8808", flag: "addr",
		note:  "where to listen; port 0 picks a free one",
		parse: parsed(readAddr, func(s *settings) *string { return &s.Addr })},
	{name: "PRAX_DATA", initial: "./prax-data", flag: "data",
		note:  "the directory of the database, the keys and the operator's socket",
		parse: pathed(func(s *settings) *string { return &s.Data })},
	{name: "PRAX_CONFIG", initial: "praxec.yaml", flag: "config",
		note:  "the file of definitions, tools of your own, read again whenever it changes",
		parse: pathed(func(s *settings) *string { return &s.Config })},
	{name: "PRAX_PUBLIC_URL", flag: "public-url",
		note:  "the address callers use, as https://prax.example.net; signed tokens are for it",
		parse: parsed(readURL, func(s *settings) **url.URL { return &s.PublicURL })},
	{name: "PRAX_ALLOWED_HOSTS", flag: "allowed-hosts",
		note:  "further Host names to answer, with commas, or *.NAME; loopback and *.ts.net always are",
		parse: parsed(readHosts, func(s *settings) *[]string { return &s.AllowedHosts })},
	{name: "PRAX_ALLOWED_ORIGINS", flag: "allowed-origins",
		note:  "browser origins that may call, with commas, as https://app.example.net",
		parse: parsed(readOrigins, func(s *settings) *[]string { return &s.AllowedOrigins })},
	{name: "PRAX_TRUSTED_PROXIES", flag: "trusted-proxies",
		note:  "addresses or networks whose X-Forwarded-For is believed, with commas",
		parse: parsed(readProxies, func(s *settings) *[]netip.Prefix { return &s.TrustedProxies })},
	{name: "PRAX_TLS_CERT", flag: "tls-cert",
		note:  "the file of a certificate and its chain, PEM, to serve https by; read again whenever it changes",
		parse: pathed(func(s *settings) *string { return &s.TLSCert })},
	{name: "PRAX_TLS_KEY", flag: "tls-key",
		note:  "the file of its key, PEM; a renewed pair is in force for the next connection",
		parse: pathed(func(s *settings) *string { return &s.TLSKey })},
	{name: "PRAX_PUBLISH", initial: "false", flag: "publish", boolean: true,
		note:  "tell everybody at /mcp/server-card that a server is there; needs https in PRAX_PUBLIC_URL",
		parse: parsed(readBool, func(s *settings) *bool { return &s.Publish })},
	{name: "PRAX_INSECURE_BIND", initial: "false", flag: "insecure-bind", boolean: true,
		note:  "listen without TLS beyond loopback; tokens travel in the clear",
		parse: parsed(readBool, func(s *settings) *bool { return &s.InsecureBind })},
	{name: "PRAX_TOOL_NAMES", initial: "dot", flag: "tool-names",
		note:  "how names with a dot are listed: dot or underscore; both can be called",
		parse: parsed(readSpelling, func(s *settings) *auth.Spelling { return &s.ToolNames })},
	{name: "PRAX_MAX_BODY", initial: "1MiB", flag: "max-body",
		note:  "the largest request body; beyond it 413",
		parse: parsed(readSize, func(s *settings) *int64 { return &s.MaxBody })},
	{name: "PRAX_MAX_INFLIGHT", initial: "64", flag: "max-inflight",
		note:  "calls of one client at a time, unless its entry says another number; beyond it 429",
		parse: parsed(readCount, func(s *settings) *int { return &s.MaxInflight })},
	{name: "PRAX_RATE", initial: "off", flag: "rate",
		note:  "requests of one client a second, as 10 or 10,burst=50, unless its entry says more or less",
		parse: parsed(readRate, func(s *settings) *auth.Rate { return &s.Rate })},
	{name: "PRAX_CALL_TIMEOUT", initial: "60s", flag: "call-timeout",
		note:  "how long one call may run",
		parse: parsed(readDuration, func(s *settings) *time.Duration { return &s.CallTimeout })},
	{name: "PRAX_CLIENTS_ON_ERROR", initial: "close", flag: "clients-on-error",
		note:  "a broken clients.json: close admits nobody of it after a second, keep the last good one",
		parse: parsed(readOnError, func(s *settings) *bool { return &s.KeepOnError })},
	{name: "PRAX_AUDIT_READS", initial: "true", flag: "audit-reads", boolean: true,
		note:  "write an audit event for calls that change nothing too",
		parse: parsed(readBool, func(s *settings) *bool { return &s.AuditReads })},
	{name: "PRAX_HALF_LIFE", initial: "168h", flag: "half-life",
		note:  "the age at which a memory counts half in a search",
		parse: parsed(readDuration, func(s *settings) *time.Duration { return &s.HalfLife })},
	{name: "PRAX_LEXICON_WRITES", initial: "false", flag: "lexicon-writes", boolean: true,
		note:  "let callers define terms of the lexicon, each for its own user",
		parse: parsed(readBool, func(s *settings) *bool { return &s.LexiconWrites })},
	{name: "PRAX_SKILLS_SEARCH", initial: "false", flag: "skills-search", boolean: true,
		note:  "let callers find and read skills outside of a workflow too",
		parse: parsed(readBool, func(s *settings) *bool { return &s.SkillsSearch })},
	{name: "PRAX_SCRIPTS_SEARCH", initial: "false", flag: "scripts-search", boolean: true,
		note:  "let callers find and read scripts outside of a workflow too",
		parse: parsed(readBool, func(s *settings) *bool { return &s.ScriptsSearch })},
	{name: "PRAX_EGRESS_ALLOW", flag: "egress-allow",
		note:  "networks, addresses, hosts or HOST:PORT that are not public and may be reached, with commas",
		parse: parsed(readEgress, func(s *settings) *[]string { return &s.EgressAllow })},
	{name: "PRAX_NOTIFY", secret: true,
		note:  `is told what waits for a person: an https address, or ["/a/program"]; or PRAX_NOTIFY_FILE`,
		parse: parsed(readNotify, func(s *settings) **notify { return &s.Notify })},
	{name: "PRAX_KEEP", initial: "off", flag: "keep",
		note:  "the age, as 90d, at which audit events move from the database to PRAX_DATA/archive",
		parse: parsed(readKeep, func(s *settings) *time.Duration { return &s.Keep })},
	{name: "PRAX_METRICS_ADDR", initial: "off", flag: "metrics-addr",
		note:  "where Prometheus can read metrics at /metrics, as 127.0.0.1:8809, without a token",
		parse: parsed(readMetricsAddr, func(s *settings) *string { return &s.MetricsAddr })},
	{name: "PRAX_LOG", initial: "info", flag: "log",
		note:  "debug, info, warn or error; text on a terminal, JSON elsewhere",
		parse: parsed(readLevel, func(s *settings) *slog.Level { return &s.Log })},
}

// parsed joins a reader of text with the place that its value goes to.
func parsed[T any](read func(string) (T, error), at func(*settings) *T) func(*settings, string) error {
	return func(s *settings, text string) (err error) {
		*at(s), err = read(text)
		return err
	}
}

// pathed reads the path of a file. Where no shell has expanded ~/, as in config.env, it is done here.
func pathed(at func(*settings) *string) func(*settings, string) error {
	return func(s *settings, text string) error {
		rest, found := strings.CutPrefix(text, "~/")
		switch {
		case !found:
			*at(s) = text
		case s.home == "":
			return errors.New("begins with ~/, and HOME is not set")
		default:
			*at(s) = filepath.Join(s.home, rest)
		}
		return nil
	}
}
