package definition

import (
	"fmt"
	"slices"
)

// Code names a kind of problem; it never changes, so that scripts may rely on it.
type Code string

// The codes of files that cannot be read as a whole.
const (
	FileMissing    Code = "file-missing"
	FileUnreadable Code = "file-unreadable"
	FileNotRegular Code = "file-not-regular"
	FileTooLarge   Code = "file-too-large"
	FileOutside    Code = "file-outside"   // an include that leads out of the folder
	TooManyFiles   Code = "too-many-files" // or too much in them together
	NotReadable    Code = "not-readable"   // neither YAML nor JSON, or a form of YAML that is refused here
	IncludeCycle   Code = "include-cycle"
	IncludeHash    Code = "INCLUDE_HASH_MISMATCH"
	IncludeScheme  Code = "UNSUPPORTED_INCLUDE_URI_SCHEME"
)

// The codes of what stands in them.
const (
	DuplicateKey Code = "duplicate-key"
	UnknownKey   Code = "unknown-key"
	MissingKey   Code = "missing-key"
	WrongType    Code = "wrong-type"
	BadValue     Code = "bad-value"
	BadSchema    Code = "bad-schema"
	BadTemplate  Code = "bad-template"
	NameTaken    Code = "name-taken"
	UnknownName  Code = "unknown-name" // of a state, a capability, a skill
	WrapsCycle   Code = "wraps-cycle"
	ToolCycle    Code = "tool-cycle" // tools whose executors lead to each other
	Misplaced    Code = "misplaced"  // an executor where none of its tier or kind may stand
	TooLarge     Code = "too-large"  // once everything that is referred to is written out
	NotServed    Code = "not-served"
	Refused      Code = "refused" // the files read, and what they define was not taken all the same
)

// The codes that praxec has names for.
const (
	UnknownExecutor     Code = "UNKNOWN_EXECUTOR_KIND"
	InvalidExposure     Code = "INVALID_PROXY_EXPOSURE"
	InvalidGuardKind    Code = "INVALID_GUARD_KIND"
	InvalidGuardExpr    Code = "INVALID_GUARD_EXPR"
	UnresolvableGuard   Code = "UNRESOLVABLE_GUARD_SCOPE"
	UnresolvableWrite   Code = "UNRESOLVABLE_WRITE_SCOPE"
	MalformedOperator   Code = "MALFORMED_OUTPUT_OPERATOR"
	OutputTypeMismatch  Code = "OUTPUT_TYPE_MISMATCH"
	InvalidPresents     Code = "INVALID_PRESENTS"
	InvalidChoices      Code = "INVALID_CHOICES"
	InvalidConstraint   Code = "INVALID_CONSTRAINT_DECLARATION"
	InvalidDiscovery    Code = "INVALID_DISCOVERY_INCLUDE"
	InvalidLexiconEntry Code = "INVALID_LEXICON_ENTRY"
	LexiconCollision    Code = "LEXICON_ALIAS_COLLISION"
	MissingVerb         Code = "MISSING_VERB"
	InvalidVerb         Code = "INVALID_VERB"
	MissingLifecycle    Code = "MISSING_LIFECYCLE"
	InvalidLifecycle    Code = "INVALID_LIFECYCLE"
	MissingBody         Code = "MISSING_BODY"
	HashMismatch        Code = "HASH_MISMATCH"
	InvalidSubject      Code = "INVALID_SUBJECT"
	InvalidSubjectRoot  Code = "INVALID_SUBJECT_ROOT"
	InvalidDelegate     Code = "INVALID_DELEGATE"
	InvalidReliability  Code = "INVALID_RELIABILITY_POLICY"
	UnknownConnection   Code = "UNKNOWN_CONNECTION_KIND"
)

// The codes of warnings.
const (
	Portability Code = "schema-portability" // some clients refuse such a schema
	Ignored     Code = "ignored"            // the key changes nothing here
	Pending     Code = "pending-subject"    // nothing can be started before somebody defines the subject
	OnlyBefore  Code = "tried-only-before"  // tries and fallbacks count only as long as nothing has begun
)

// Problem is one thing wrong, or doubtful, with the configuration.
type Problem struct {
	Code    Code   `json:"code"`
	Warning bool   `json:"warning,omitzero"` // it keeps nothing from coming into force
	File    string `json:"file"`
	Line    int    `json:"line,omitzero"`   // from 1; 0 when the problem has no place in the file
	Column  int    `json:"column,omitzero"` // from 1
	Path    string `json:"path,omitzero"`   // JSON Pointer to what it is about
	Text    string `json:"text"`
}

// IsError tells whether the problem keeps the configuration from coming into force.
func (p Problem) IsError() bool { return !p.Warning }

// Severity is error or warning.
func (p Problem) Severity() string {
	if p.IsError() {
		return "error"
	}
	return "warning"
}

// String is the problem on one line: file:line:column, severity, text and code.
func (p Problem) String() string {
	at := p.File
	if p.Line > 0 {
		at += fmt.Sprintf(":%d:%d", p.Line, p.Column)
	}
	return fmt.Sprintf("%s: %s: %s (%s)", at, p.Severity(), p.Text, p.Code)
}

// Problems are those of one reading, in the order of the files and what stands in them: at most [MaxProblems].
type Problems []Problem

// MaxProblems bounds what one reading reports. Whoever mends those sees the next.
const MaxProblems = 200

// Fail tells whether one of them is an error.
func (list Problems) Fail() bool { return slices.ContainsFunc(list, Problem.IsError) }

// have tells whether one of the problems has this code.
func (list Problems) have(code Code) bool {
	return slices.ContainsFunc(list, func(p Problem) bool { return p.Code == code })
}
