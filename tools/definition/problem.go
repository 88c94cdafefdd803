package definition

import (
	"fmt"
	"slices"
)

// Code names a kind of problem; it never changes, so that scripts may rely on it.
type Code string

// The codes of files that cannot be read as a whole.
const (
	FileMissing    Code = "file-missing"                   // there is no such file
	FileUnreadable Code = "file-unreadable"                // it cannot be opened or read
	FileNotRegular Code = "file-not-regular"               // it is a pipe or a device
	FileTooLarge   Code = "file-too-large"                 // it is larger than a file of definitions may be
	FileOutside    Code = "file-outside"                   // an include leads out of the folder
	TooManyFiles   Code = "too-many-files"                 // there are too many files, or there is too much in them together
	NotReadable    Code = "not-readable"                   // neither YAML nor JSON, or a form of YAML that is refused here
	IncludeCycle   Code = "include-cycle"                  // files include each other
	IncludeHash    Code = "INCLUDE_HASH_MISMATCH"          // an included file has another hash than the include says
	IncludeScheme  Code = "UNSUPPORTED_INCLUDE_URI_SCHEME" // an include is a URI: only local files are included
)

// The codes of what stands in them.
const (
	DuplicateKey Code = "duplicate-key" // a key stands twice
	UnknownKey   Code = "unknown-key"   // a key that means nothing there
	MissingKey   Code = "missing-key"   // a key that must be there is not
	WrongType    Code = "wrong-type"    // a value is of another type than it must be
	BadValue     Code = "bad-value"     // a value cannot be meant
	BadSchema    Code = "bad-schema"    // a schema is none, or refers to what is not in it
	BadTemplate  Code = "bad-template"  // a template or an expression cannot be read
	NameTaken    Code = "name-taken"    // two things have one name
	UnknownName  Code = "unknown-name"  // a name of a state, a capability or a skill that there is not
	WrapsCycle   Code = "wraps-cycle"   // capabilities wrap each other
	ToolCycle    Code = "tool-cycle"    // tools whose executors lead to each other
	Misplaced    Code = "misplaced"     // an executor where none of its tier or kind may stand
	TooLarge     Code = "too-large"     // it grows too large once everything that is referred to is written out
	NotServed    Code = "not-served"    // praxec has it, and this version does not serve it
	Refused      Code = "refused"       // the files can be read, and what they define was not taken all the same
)

// The codes that praxec has names for.
const (
	UnknownExecutor     Code = "UNKNOWN_EXECUTOR_KIND"          // no executor is of this kind
	InvalidExposure     Code = "INVALID_PROXY_EXPOSURE"         // what proxy exposes has neither a capability, nor a name and an executor
	InvalidGuardKind    Code = "INVALID_GUARD_KIND"             // no guard is of this kind
	InvalidGuardExpr    Code = "INVALID_GUARD_EXPR"             // a guard cannot be read
	UnresolvableGuard   Code = "UNRESOLVABLE_GUARD_SCOPE"       // a guard reads from where there can be nothing
	UnresolvableWrite   Code = "UNRESOLVABLE_WRITE_SCOPE"       // an output writes to where it may not, or reads from where there can be nothing
	MalformedOperator   Code = "MALFORMED_OUTPUT_OPERATOR"      // an operator of an output cannot be read
	OutputTypeMismatch  Code = "OUTPUT_TYPE_MISMATCH"           // an output is of another type than its slot
	InvalidPresents     Code = "INVALID_PRESENTS"               // presents names no members of the context, or nobody would see it
	InvalidChoices      Code = "INVALID_CHOICES"                // choices lacks its field or its path, or nobody would be offered them
	InvalidConstraint   Code = "INVALID_CONSTRAINT_DECLARATION" // a constraint stands where none is served, or allows nothing
	InvalidDiscovery    Code = "INVALID_DISCOVERY_INCLUDE"      // discovery includes a kind that there is not
	InvalidLexiconEntry Code = "INVALID_LEXICON_ENTRY"          // a term of the lexicon lacks something, or has what it may not have
	LexiconCollision    Code = "LEXICON_ALIAS_COLLISION"        // two terms have one name
	MissingVerb         Code = "MISSING_VERB"                   // a skill or script has no verb
	InvalidVerb         Code = "INVALID_VERB"                   // a verb is none of those that there are
	MissingLifecycle    Code = "MISSING_LIFECYCLE"              // a skill or script has no lifecycle
	InvalidLifecycle    Code = "INVALID_LIFECYCLE"              // a lifecycle is none of those that there are
	MissingBody         Code = "MISSING_BODY"                   // a script has no body
	HashMismatch        Code = "HASH_MISMATCH"                  // a body has another hash than the definition says
	InvalidSubject      Code = "INVALID_SUBJECT"                // the name of a skill or script is not words with dots between
	InvalidSubjectRoot  Code = "INVALID_SUBJECT_ROOT"           // the name of a skill or script begins with no root that there is
	InvalidDelegate     Code = "INVALID_DELEGATE"               // delegate is empty
	InvalidReliability  Code = "INVALID_RELIABILITY_POLICY"     // reliability cannot be read, or promises what its executor cannot keep
	UnknownConnection   Code = "UNKNOWN_CONNECTION_KIND"        // no connection is of this kind
)

// The codes of warnings.
const (
	Portability Code = "schema-portability" // some clients refuse such a schema
	Ignored     Code = "ignored"            // the key changes nothing there
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
