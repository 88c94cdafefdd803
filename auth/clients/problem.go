package clients

import (
	"fmt"
	"strings"
)

// Code names a kind of problem; it never changes, so that scripts may rely on it.
type Code string

// The codes of a file that cannot be used at all.
const (
	FileMissing    Code = "file-missing"     // there is no such file
	FileUnreadable Code = "file-unreadable"  // it cannot be opened or read
	FileNotRegular Code = "file-not-regular" // it is a directory, a pipe or a device
	FileTooLarge   Code = "file-too-large"   // it has more than 64 MiB
	NotJSON        Code = "not-json"         // it is not JSON
	NotObject      Code = "root-not-object"  // its root is not an object
	NotList        Code = "clients-not-list" // clients is not a list
	TwoLists       Code = "clients-twice"    // clients stands twice
)

// The codes of an entry that is out.
const (
	EntryNotObject  Code = "entry-not-object"       // an entry is not an object
	EntryNotUTF8    Code = "entry-not-utf8"         // an entry has text that is not UTF-8
	DuplicateMember Code = "duplicate-member"       // a member stands twice
	WrongType       Code = "wrong-type"             // a member is of another type than it must be
	NoToken         Code = "no-token"               // there is no token, nor a hash of one
	BothTokens      Code = "both-token-and-hash"    // more than one of token, token_sha256 and tokens: it is not clear which one counts
	BadHash         Code = "bad-token-sha256"       // the hash is not 64 hexadecimal digits
	BadToken        Code = "bad-token"              // the token is empty, or has characters that no header can carry
	Placeholder     Code = "placeholder-token"      // the token is one that stands for a token
	NoUser          Code = "no-user"                // user_id is missing
	BadUser         Code = "bad-user"               // user_id is empty, too long, not printable, or the token itself
	BadName         Code = "bad-name"               // name is too long, or not printable
	DuplicateName   Code = "duplicate-name"         // two entries have one name: all of them are out
	DuplicateToken  Code = "duplicate-token"        // two entries have one token: all of them are out; so is one that has it twice
	MistakenMember  Code = "mistaken-restriction"   // an unknown member looks like a restriction with a typing error
	BadAllow        Code = "bad-allow"              // allow is neither a list of names nor a string
	BadOversees     Code = "oversees-without-human" // oversees is for persons: the role human is missing
	BadRate         Code = "bad-rate"               // a number of rate is out of bounds, or rate does not say how soon more may come
	BadExpiry       Code = "expiry-unreadable"      // expires_at cannot be read as a time: it counts as expired
	BadStart        Code = "not-before-unreadable"  // not_before cannot be read as a time: the token counts as expired
	EmptyWindow     Code = "window-empty"           // not_before is not before expires_at: the token is never good
	TooManyTokens   Code = "too-many-tokens"        // tokens has more than 8
)

// The codes of what is worth a warning. The entry stays.
const (
	Unnamed       Code = "unnamed"        // name is missing: the entry is called by its place
	UnknownMember Code = "unknown-member" // a member that means nothing here
	UnknownTool   Code = "unknown-tool"   // allow has a name that no tool has
	HighTool      Code = "high-risk-tool" // allow has a HIGH tool, which is never exposed
	ShortToken    Code = "short-token"    // the token can be guessed
	TrimmedToken  Code = "token-trimmed"  // the token has blanks around it
	SloppyExpiry  Code = "expiry-sloppy"  // expires_at is not RFC 3339, but can be read
	ExpiredClient Code = "expired"        // the client is out: its expires_at is over
	ExpiresSoon   Code = "expires-soon"   // the client will be out within a week
	NotYet        Code = "not-yet"        // no token of the client is good yet
	ExpiryIgnored Code = "expiry-ignored" // MCP_TOKEN_EXPIRY_ENABLED is off: expires_at does nothing
	LooseMode     Code = "file-mode"      // others than its owner may read or change the file
	NobodyListed  Code = "nobody"         // the list has no entries: nobody is admitted
)

// warnings are the codes that put nobody out, and whether a check fails for one all the same. Every other
// code is an error.
var warnings = map[Code]struct{ failsCheck bool }{
	Unnamed:       {},
	UnknownMember: {failsCheck: true},
	UnknownTool:   {failsCheck: true},
	HighTool:      {failsCheck: true},
	ShortToken:    {},
	TrimmedToken:  {},
	SloppyExpiry:  {},
	ExpiredClient: {},
	ExpiresSoon:   {},
	NotYet:        {},
	ExpiryIgnored: {},
	LooseMode:     {},
	NobodyListed:  {},
}

// Problem is one thing wrong, or doubtful, with the file or the settings.
type Problem struct {
	Code   Code   `json:"code"`
	File   string `json:"file,omitzero"`   // the clients file, or the variable that it stands in
	Line   int    `json:"line,omitzero"`   // from 1; 0 when the problem has no place in the file
	Column int    `json:"column,omitzero"` // in bytes, from 1
	Entry  int    `json:"entry"`           // index in clients, from 0; -1 when it is of no entry
	Client string `json:"client,omitzero"` // the entry's name, as far as it can be shown
	Text   string `json:"text"`            // what is wrong, without any secret
}

// IsError tells whether the problem puts the file or an entry out; otherwise it is a warning.
func (p Problem) IsError() bool {
	_, warning := warnings[p.Code]
	return !warning
}

// FailsCheck tells whether a check of the file should end as failed because of the problem.
func (p Problem) FailsCheck() bool { return p.IsError() || warnings[p.Code].failsCheck }

// String is the problem on one line: file:line:column, severity, client, text and code.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	fmt.Fprintf(&b, "%s: ", p.Severity())
	if p.Entry >= 0 {
		fmt.Fprintf(&b, "entry %d: ", p.Entry)
	}
	if p.Client != "" {
		fmt.Fprintf(&b, "client %q: ", p.Client)
	}
	fmt.Fprintf(&b, "%s (%s)", p.Text, p.Code)
	return b.String()
}

// Severity is error or warning.
func (p Problem) Severity() string {
	if p.IsError() {
		return "error"
	}
	return "warning"
}
