package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Closing is how an attempt goes on, or ends. What it does not say stays as it was.
type Closing struct {
	ID      string
	Fence   int64
	Status  AttemptStatus  // any but running
	Output  jsontext.Value // of one that is kept; not stored with any other
	Class   string
	Message string // a longer one than MaxEvidenceText is cut: what happened must be written down
	By      string
	Note    string
	At      time.Time
}

// Check tells whether a store may take the closing; what is too large is an ErrQuota that names the limit.
func (c Closing) Check() error {
	if err := checkNamed(text{"id of the attempt", c.ID, MaxIDBytes}); err != nil {
		return err
	}
	err := checkTexts(text{"class", c.Class, MaxFieldBytes}, text{"settling client", c.By, MaxFieldBytes}, text{"note", c.Note, MaxEvidenceText})
	if err != nil {
		return err
	}
	switch c.Status {
	case AttemptUnknown, AttemptDone, AttemptFailed:
	case AttemptKept:
		if c.Output == nil {
			return errors.New("an attempt that is kept needs its output")
		}
	case AttemptApplied, AttemptNotApplied:
		if c.By == "" {
			return errors.New("an attempt is settled by somebody")
		}
	default:
		return fmt.Errorf("an attempt cannot be closed as %q", SafeString(string(c.Status)))
	}
	if c.At.IsZero() {
		return errors.New("a closing needs its time")
	}
	return checkSizes(value{"output", c.Output, MaxValueBytes})
}

// Follows tells whether the closing is possible from a status: one that runs ends somehow or becomes unknown; an
// unknown one is settled by a person; a kept one is used, or given up as failed.
func (c Closing) Follows(from AttemptStatus) bool {
	next := map[AttemptStatus][]AttemptStatus{
		AttemptRunning: {AttemptUnknown, AttemptDone, AttemptKept, AttemptFailed},
		AttemptUnknown: {AttemptApplied, AttemptNotApplied},
		AttemptKept:    {AttemptDone, AttemptFailed},
	}
	return slices.Contains(next[from], c.Status)
}

// After is an attempt as the closing leaves it.
func (c Closing) After(a Attempt) Attempt {
	a.Status, a.Updated = c.Status, Milliseconds(c.At)
	for _, m := range []struct {
		into *string
		from string
	}{{&a.Class, c.Class}, {&a.Message, shortened(c.Message)}, {&a.By, c.By}, {&a.Note, c.Note}} {
		if m.from != "" {
			*m.into = m.from
		}
	}
	if a.Output = nil; c.Status == AttemptKept {
		a.Output = c.Output
	}
	if !c.Status.Blocks() {
		a.Work, a.Grant, a.Ended = nil, "", a.Updated
	}
	return a
}

// shortened is a message within its bound.
func shortened(message string) string {
	message = strings.ToValidUTF8(message, "\uFFFD")
	if len(message) <= MaxEvidenceText {
		return message
	}
	end := MaxEvidenceText
	for !utf8.RuneStart(message[end]) {
		end--
	}
	return message[:end]
}
