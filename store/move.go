package store

import (
	"errors"
	"fmt"
	"time"
)

// fixedBytes is what a row counts beside its long members.
const fixedBytes = 256

// Check tells whether a store may make the move: its steps lead from From to Next.Version one by one, an
// approval that it opens is one of this instance, everything is within the bounds. What is too large is an
// ErrQuota that names the limit.
func (m Move) Check() error {
	if err := m.Next.Check(); err != nil {
		return err
	}
	if len(m.Steps) > MaxSteps {
		return fmt.Errorf("%w: a move has at most %d steps, not %d", ErrQuota, MaxSteps, len(m.Steps))
	}
	if m.From < 1 || len(m.Steps) == 0 || m.Next.Version != m.From+int64(len(m.Steps)) {
		return fmt.Errorf("a move from version %d to %d has that many steps, not %d", m.From, m.Next.Version, len(m.Steps))
	}
	for i, s := range m.Steps {
		if s.Seq != m.From+int64(i)+1 {
			return fmt.Errorf("step %d of a move from version %d makes version %d", i+1, m.From, s.Seq)
		}
		if err := s.Check(); err != nil {
			return err
		}
	}
	if err := checkEvidence(m.Evidence, m.From+1, m.Next.Version); err != nil {
		return err
	}
	if kept := m.Bytes(); kept > MaxMoveBytes {
		return fmt.Errorf("%w: a move keeps at most %d bytes, not %d", ErrQuota, MaxMoveBytes, kept)
	}
	return m.checkApprovals()
}

func (m Move) checkApprovals() error {
	if m.Consumed != "" && m.Rejected != "" {
		return errors.New("a move uses up an approval or rejects one")
	}
	a := m.Approval
	if a == nil {
		return nil
	}
	if a.Instance != m.Next.ID || a.User != m.Next.User || a.Definition != m.Next.DefinitionID || a.Hash != m.Next.DefinitionHash {
		return errors.New("a move opens an approval of its own instance only")
	}
	if m.Next.Status != Open {
		return errors.New("an instance that has ended needs no approval")
	}
	return a.Check()
}

// CheckStart tells whether a store may keep a new instance with its first step.
func CheckStart(i Instance, first Step, evidence []Evidence) error {
	if err := i.Check(); err != nil {
		return err
	}
	if i.Version != 1 || first.Seq != 1 {
		return fmt.Errorf("an instance starts at version 1 by step 1, not %d by %d", i.Version, first.Seq)
	}
	if err := first.Check(); err != nil {
		return err
	}
	return checkEvidence(evidence, 1, 1)
}

func checkEvidence(all []Evidence, first, last int64) error {
	if len(all) > MaxEvidence {
		return fmt.Errorf("%w: an instance has at most %d pieces of evidence", ErrQuota, MaxEvidence)
	}
	for _, e := range all {
		if e.Seq < first || e.Seq > last {
			return fmt.Errorf("evidence of step %d belongs to none of %d to %d", e.Seq, first, last)
		}
		if err := e.Check(); err != nil {
			return err
		}
	}
	return nil
}

// Bytes is what the move adds to its instance's history, as it counts against the user's quota.
func (m Move) Bytes() int64 {
	n := int64(0)
	for _, s := range m.Steps {
		n += s.Bytes()
	}
	for _, e := range m.Evidence {
		n += e.Bytes()
	}
	if a := m.Approval; a != nil {
		n += fixedBytes + int64(len(a.Arguments)+len(a.Material)+len(a.Grant))
	}
	return n
}

// Bytes is what the step counts against the user's quota.
func (s Step) Bytes() int64 {
	return fixedBytes + int64(len(s.Arguments)+len(s.Output)+len(s.Delta))
}

// Bytes is what the evidence counts against the user's quota.
func (e Evidence) Bytes() int64 { return fixedBytes + int64(len(e.URI)+len(e.Summary)) }

// Bytes is what the acknowledgement counts against the user's quota.
func (a Acknowledgement) Bytes() int64 { return fixedBytes + int64(len(a.Subject)+len(a.Hash)) }

// Bytes is what those members of the instance that change count against the user's quota.
func (i Instance) Bytes() int64 {
	return int64(len(orEmpty(i.Context)) + len(orEmpty(i.Memo)) + len(i.Summary) + len(i.Reason))
}

// StartBytes is what those members count that stay as they are from the start.
func (i Instance) StartBytes() int64 { return 2*fixedBytes + int64(len(orEmpty(i.Input))+len(i.Grant)) }

// Normal is the instance as a store keeps it: times in milliseconds and UTC, an empty object where an
// object is missing, an end exactly if it is not open.
func (i Instance) Normal() Instance {
	if i.Status == Open {
		i.Ended = time.Time{}
	} else if i.Ended.IsZero() {
		i.Ended = i.Updated
	}
	i.Input, i.Context, i.Memo = orEmpty(i.Input), orEmpty(i.Context), orEmpty(i.Memo)
	for _, t := range []*time.Time{&i.Due, &i.Created, &i.Updated, &i.Ended} {
		*t = Milliseconds(*t)
	}
	return i
}

// Milliseconds is a time as stores keep it; the zero time stays.
func Milliseconds(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}

func orEmpty(v []byte) []byte {
	if v == nil {
		return []byte("{}")
	}
	return v
}

// Normal is the term as a store keeps it: times in milliseconds and UTC, now where none is given.
func (t Term) Normal(now time.Time) Term {
	t.Entry = orEmpty(t.Entry)
	for _, at := range []*time.Time{&t.Created, &t.Updated} {
		if at.IsZero() {
			*at = now
		}
		*at = Milliseconds(*at)
	}
	t.AcceptedAt = Milliseconds(t.AcceptedAt)
	return t
}
