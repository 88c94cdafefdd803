package executor

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"prax/tools/workflow"
)

// neverBegun is a failure before anything has happened.
func neverBegun(class, message string) *workflow.Failure {
	return &workflow.Failure{Class: class, Message: message, Begun: workflow.NotBegun}
}

// unfit is the failure of what cannot be done as it stands: nothing has begun.
func unfit(format string, args ...any) *workflow.Failure {
	return neverBegun(workflow.ClassPermanent, fmt.Sprintf(format, args...))
}

// answered is the failure of who was asked, and said so.
func answered(message string) *workflow.Failure {
	return &workflow.Failure{Class: workflow.ClassPermanent, Message: message, Begun: workflow.Answered}
}

// doubtful is a failure after which nobody knows what has happened.
func doubtful(class, message string) *workflow.Failure {
	return &workflow.Failure{Class: class, Message: message, Begun: workflow.Doubtful}
}

// caused adds to a failure what only the operator's log is told.
func caused(f *workflow.Failure, err error) *workflow.Failure {
	f.Cause = err
	return f
}

// maxFailure bounds what a failure tells of what another side said, in bytes.
const maxFailure = 500

// shortened is a text from elsewhere in one line of what can be shown, clipped.
func shortened(s string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(strings.TrimSpace(s), string(utf8.RuneError)) {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteByte(' ')
		case unicode.IsGraphic(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		if b.Len() > maxFailure {
			return strings.ToValidUTF8(b.String()[:maxFailure-len("…")], "") + "…"
		}
	}
	return b.String()
}
