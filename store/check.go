package store

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
)

// text is a string with its bound.
type text struct {
	name, value string
	limit       int
}

// checkTexts refuses what is too long, as an ErrQuota that names the limit, or not UTF-8.
func checkTexts(texts ...text) error {
	for _, t := range texts {
		if len(t.value) > t.limit {
			return tooLarge(t.name, t.limit, len(t.value))
		}
		if !utf8.ValidString(t.value) {
			return fmt.Errorf("the %s is not valid UTF-8", t.name)
		}
	}
	return nil
}

// checkNamed is checkTexts for what must also be there.
func checkNamed(texts ...text) error {
	for _, t := range texts {
		if t.value == "" {
			return fmt.Errorf("the %s is missing", t.name)
		}
	}
	return checkTexts(texts...)
}

func tooLarge(name string, limit, size int) error {
	return fmt.Errorf("%w: the %s has at most %d bytes, not %d", ErrQuota, name, limit, size)
}

// value is a JSON text with its bound.
type value struct {
	name  string
	json  jsontext.Value
	limit int
}

// checkObjects refuses what is too large or does not begin like an object; nil stands for an empty one.
// Whether it is JSON at all is for the table to say: that costs a walk over all of it.
func checkObjects(values ...value) error {
	for _, v := range values {
		if v.json != nil && v.json.Kind() != jsontext.KindBeginObject {
			return fmt.Errorf("the %s is not a JSON object", v.name)
		}
	}
	return checkSizes(values...)
}

func checkSizes(values ...value) error {
	for _, v := range values {
		if len(v.json) > v.limit {
			return tooLarge(v.name, v.limit, len(v.json))
		}
	}
	return nil
}

// Check tells whether a store may keep the definition; what is too large is an ErrQuota.
func (d Definition) Check() error {
	if err := checkNamed(text{"id of the definition", d.ID, MaxFieldBytes}, text{"hash of the definition", d.Hash, MaxIDBytes}); err != nil {
		return err
	}
	if d.Text == nil || d.Version < 0 {
		return errors.New("a definition needs a text, and no negative version")
	}
	return checkObjects(value{"text of the definition", d.Text, MaxDefinition})
}

// Check tells whether a store may keep the instance as it stands: an owner, a pinned definition, valid
// UTF-8, within the bounds. What is too large is an ErrQuota that names the limit.
func (i Instance) Check() error {
	err := checkNamed(text{"id of the instance", i.ID, MaxIDBytes}, text{"user of the instance", i.User, MaxFieldBytes},
		text{"state", i.State, MaxFieldBytes}, text{"definition's id", i.DefinitionID, MaxFieldBytes}, text{"definition's hash", i.DefinitionHash, MaxIDBytes})
	if err != nil {
		return err
	}
	err = checkTexts(text{"client", i.Client, MaxFieldBytes}, text{"grant", i.Grant, auth.MaxGrant}, text{"run id", i.RunID, MaxIDBytes}, text{"trace id", i.TraceID, MaxIDBytes},
		text{"reason", i.Reason, MaxTextBytes}, text{"summary", i.Summary, MaxTextBytes})
	if err != nil {
		return err
	}
	if i.Version < 1 || !slices.Contains([]Status{Open, Completed, Cancelled}, i.Status) {
		return fmt.Errorf("an instance has a version from 1 and a status, not %d and %q", i.Version, SafeString(string(i.Status)))
	}
	return checkObjects(value{"input", i.Input, MaxContextBytes}, value{"context", i.Context, MaxContextBytes}, value{"memo", i.Memo, MaxMemoBytes})
}

// Check tells whether a store may keep the step; what is too large is an ErrQuota.
func (s Step) Check() error {
	if err := checkNamed(text{"kind of the step", s.Kind, MaxFieldBytes}); err != nil {
		return err
	}
	err := checkTexts(text{"transition", s.Transition, MaxFieldBytes}, text{"state before", s.From, MaxFieldBytes}, text{"state after", s.To, MaxFieldBytes},
		text{"actor", s.Actor, MaxFieldBytes}, text{"client", s.Client, MaxFieldBytes}, text{"user", s.User, MaxFieldBytes},
		text{"correlation", s.Correlation, MaxIDBytes})
	if err != nil {
		return err
	}
	return checkSizes(value{"arguments", s.Arguments, MaxValueBytes}, value{"output", s.Output, MaxValueBytes}, value{"delta", s.Delta, MaxValueBytes})
}

// Check tells whether a store may keep the evidence; what is too large is an ErrQuota.
func (e Evidence) Check() error {
	if err := checkNamed(text{"id of the evidence", e.ID, MaxIDBytes}, text{"kind of the evidence", e.Kind, MaxFieldBytes}); err != nil {
		return err
	}
	if e.Confidence != nil && !(*e.Confidence >= 0 && *e.Confidence <= 1) {
		return fmt.Errorf("a confidence is from 0 to 1, not %v", *e.Confidence)
	}
	return checkTexts(text{"uri", e.URI, MaxEvidenceText}, text{"summary of the evidence", e.Summary, MaxEvidenceText}, text{"digest", e.Digest, MaxFieldBytes},
		text{"client", e.Client, MaxFieldBytes}, text{"user", e.User, MaxFieldBytes})
}

// Check tells whether a store may keep the acknowledgement; what is too large is an ErrQuota.
func (a Acknowledgement) Check() error {
	return checkNamed(text{"subject", a.Subject, MaxFieldBytes}, text{"hash of the subject", a.Hash, MaxFieldBytes})
}

// Check tells whether a store may keep the approval; what is too large is an ErrQuota.
func (a Approval) Check() error {
	if err := checkNamed(text{"id of the approval", a.ID, MaxIDBytes}, text{"transition", a.Transition, MaxFieldBytes}); err != nil {
		return err
	}
	if a.Status != ApprovalOpen || !a.Expires.After(a.Created) || a.Version < 1 {
		return errors.New("an approval is opened for a version from 1, and expires later")
	}
	if len(a.Material) == 0 {
		return errors.New("an approval needs what a person is shown")
	}
	err := checkNamed(text{"digest of the approval", a.Digest, MaxIDBytes})
	if err != nil {
		return err
	}
	err = checkTexts(text{"tier", a.Tier, MaxFieldBytes}, text{"queue", a.Queue, MaxFieldBytes}, text{"client", a.Client, MaxFieldBytes},
		text{"grant", a.Grant, auth.MaxGrant})
	if err != nil {
		return err
	}
	return checkSizes(value{"arguments", a.Arguments, MaxValueBytes}, value{"material", a.Material, MaxValueBytes})
}

// Check tells whether a store may keep the term; what is too large is an ErrQuota.
func (t Term) Check() error {
	if err := checkNamed(text{"term", t.Term, MaxFieldBytes}); err != nil {
		return err
	}
	if t.Version < 0 {
		return errors.New("a term has no negative version")
	}
	err := checkTexts(text{"user", t.User, MaxFieldBytes}, text{"client", t.Client, MaxFieldBytes}, text{"accepting client", t.Accepted, MaxFieldBytes})
	if err != nil {
		return err
	}
	return checkObjects(value{"entry", t.Entry, MaxTermBytes})
}

// CheckSubject tells whether a store may note that a subject was settled for the scope's user; what is too
// large is an ErrQuota.
func CheckSubject(s auth.Scope, subject string) error {
	return checkNamed(text{"user", s.User(), MaxFieldBytes}, text{"subject", subject, MaxFieldBytes})
}
