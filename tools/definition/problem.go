package definition

import (
	"fmt"
	"slices"
)

// Code names a kind of problem; it never changes, so that scripts may rely on it.
type Code string

// The codes of a file that cannot be read as a whole.
const (
	FileMissing    Code = "file-missing"
	FileUnreadable Code = "file-unreadable"
	FileNotRegular Code = "file-not-regular"
	FileTooLarge   Code = "file-too-large"
	NotReadable    Code = "not-readable" // neither YAML nor JSON, or a form of YAML that is refused here
)

// The codes of what stands in it.
const (
	DuplicateKey Code = "duplicate-key"
	UnknownKey   Code = "unknown-key"
	MissingKey   Code = "missing-key"
	WrongType    Code = "wrong-type"
	BadValue     Code = "bad-value"
	BadSchema    Code = "bad-schema"
	NameTaken    Code = "name-taken"
	Refused      Code = "refused"            // the file reads, and the tools in it were not taken all the same
	Portability  Code = "schema-portability" // a warning: some clients refuse such a schema
)

// Problem is one thing wrong, or doubtful, with the file. Only [Portability] is no error.
type Problem struct {
	Code   Code   `json:"code"`
	File   string `json:"file"`
	Line   int    `json:"line,omitzero"`   // from 1; 0 when the problem has no place in the file
	Column int    `json:"column,omitzero"` // from 1
	Path   string `json:"path,omitzero"`   // JSON Pointer to what it is about
	Text   string `json:"text"`
}

// IsError tells whether the problem keeps the file from coming into force.
func (p Problem) IsError() bool { return p.Code != Portability }

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

// Problems are those of one reading, in the order of the file: at most [MaxProblems].
type Problems []Problem

// MaxProblems bounds what one reading reports. Whoever mends those sees the next.
const MaxProblems = 200

// Fail tells whether one of them is an error.
func (list Problems) Fail() bool { return slices.ContainsFunc(list, Problem.IsError) }

// have tells whether one of the problems has this code.
func (list Problems) have(code Code) bool {
	return slices.ContainsFunc(list, func(p Problem) bool { return p.Code == code })
}
