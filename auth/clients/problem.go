package clients

import (
	"fmt"
	"strings"
)

// Code names a kind of problem; it never changes, so that scripts may rely on it.
type Code string

// The codes of a file that cannot be used at all.
const (
	FileMissing    Code = "file-missing"
	FileUnreadable Code = "file-unreadable"
	FileNotRegular Code = "file-not-regular"
	FileTooLarge   Code = "file-too-large"
	NotJSON        Code = "not-json"
	NotObject      Code = "root-not-object"
	NotList        Code = "clients-not-list"
	TwoLists       Code = "clients-twice"
)

// The codes of an entry that is out.
const (
	EntryNotObject  Code = "entry-not-object"
	EntryNotUTF8    Code = "entry-not-utf8"
	DuplicateMember Code = "duplicate-member"
	WrongType       Code = "wrong-type"
	NoToken         Code = "no-token"
	BothTokens      Code = "both-token-and-hash"
	BadHash         Code = "bad-token-sha256"
	BadToken        Code = "bad-token"
	Placeholder     Code = "placeholder-token"
	NoUser          Code = "no-user"
	BadUser         Code = "bad-user"
	BadName         Code = "bad-name"
	DuplicateName   Code = "duplicate-name"
	DuplicateToken  Code = "duplicate-token"
	MistakenMember  Code = "mistaken-restriction"
	BadAllow        Code = "bad-allow"
	BadOversees     Code = "oversees-without-human"
	NotServed       Code = "not-served"
	BadExpiry       Code = "expiry-unreadable"
)

// The codes of what is worth a warning. The entry stays.
const (
	Unnamed       Code = "unnamed"
	UnknownMember Code = "unknown-member"
	UnknownTool   Code = "unknown-tool"
	HighTool      Code = "high-risk-tool"
	ShortToken    Code = "short-token"
	TrimmedToken  Code = "token-trimmed"
	SloppyExpiry  Code = "expiry-sloppy"
	ExpiredClient Code = "expired"
	ExpiresSoon   Code = "expires-soon"
	ExpiryIgnored Code = "expiry-ignored"
	LooseMode     Code = "file-mode"
	NobodyListed  Code = "nobody"
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
