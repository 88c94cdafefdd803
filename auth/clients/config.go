package clients

import "prax/auth"

// Config says where the clients come from.
type Config struct {
	Path         string        // the clients file; "" when there is none
	OnError      OnError       // what a broken file does to its clients; zero closes
	IgnoreExpiry bool          // expires_at is not enforced (MCP_TOKEN_EXPIRY_ENABLED=false)
	Single       *Single       // the client of the MCP_* variables; nil when there is none
	Spelling     auth.Spelling // how tool names are shown to a client that does not say
	OnReload     func(Change)  // called for every change of the registry, in order; must not call back
	NoEvents     bool          // rely on looking at the file alone, as on a network mount
}

// Single is the single-token client of the MCP_BEARER_TOKEN settings. Its name is "default".
type Single struct {
	Token     string // blanks around it are trimmed; empty is no client
	UserID    string // required
	Allowlist string // comma separated; "" is the default set
	ExpiresAt string // as expires_at in the file; "" never expires
}

// SingleName is the name of the single-token client.
const SingleName = "default"

// OnError says what happens when the file is there and cannot be read as a registry.
type OnError uint8

// Close admits nobody of the file once the grace is over; Keep stays with the last good snapshot. A
// missing file closes either way.
const (
	Close OnError = iota
	Keep
)

// Catalogue knows the tools that exist now, by either spelling of their names. The registry asks it
// only to warn about names in allow that nothing or nobody can use.
type Catalogue interface {
	Tier(name string) (auth.Tier, bool)
}

// DefaultTools is the read-only set of a client whose allow is absent, null or "default".
func DefaultTools() []string {
	return []string{
		"get_current_datetime", "memory_recall", "knowledge_search", "knowledge_namespaces",
		"conversation_search", "trace_search", "trace_detail",
	}
}
