package store

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// Quotas of one user. They bound what an agent in a loop can do to the disk.
const (
	MaxDocuments     = 100_000  // documents a user
	MaxDocumentBytes = 64 << 10 // of Body
	MaxUserBytes     = 1 << 30  // of all of a user's bodies
)

// The bounds of a document's lesser members.
const (
	MaxFieldBytes = 1024 // of key, namespace, title, source, source type, status
	MaxTags       = 64
	MaxTagBytes   = 128

	// MaxCandidateBytes bounds the bodies that one list or search returns together.
	MaxCandidateBytes = 16 << 20
)

// Quota bounds what one user may keep.
type Quota struct {
	Documents int64
	Bytes     int64 // of all bodies
}

// DefaultQuota is MaxDocuments and MaxUserBytes.
func DefaultQuota() Quota { return Quota{Documents: MaxDocuments, Bytes: MaxUserBytes} }

// Check tells whether a store may take the document: known kind, an owner, valid UTF-8, within the
// bounds. What is too large is an ErrQuota that names the limit.
func (d Document) Check() error {
	if d.User == "" {
		return errors.New("a document needs an owner")
	}
	if !slices.Contains(Kinds(), d.Kind) {
		return fmt.Errorf("unknown kind of document %q", SafeString(string(d.Kind)))
	}
	if len(d.Body) > MaxDocumentBytes {
		return fmt.Errorf("%w: a body has at most %d bytes, not %d", ErrQuota, MaxDocumentBytes, len(d.Body))
	}
	if math.IsNaN(d.Importance) || d.Importance < 0 || d.Importance > 1 {
		return fmt.Errorf("importance is from 0 to 1, not %v", d.Importance)
	}
	return d.checkStrings()
}

func (d Document) checkStrings() error {
	fields := []struct{ name, value string }{
		{"id", d.ID}, {"user", d.User}, {"key", d.Key}, {"namespace", d.Namespace}, {"title", d.Title},
		{"source", d.Source}, {"source type", d.SourceType}, {"status", d.Status},
	}
	for _, field := range fields {
		if len(field.value) > MaxFieldBytes {
			return fmt.Errorf("%w: the %s has at most %d bytes, not %d", ErrQuota, field.name, MaxFieldBytes, len(field.value))
		}
		if !utf8.ValidString(field.value) {
			return fmt.Errorf("the %s is not valid UTF-8", field.name)
		}
	}
	if !utf8.ValidString(d.Body) {
		return errors.New("the body is not valid UTF-8")
	}
	if len(d.Tags) > MaxTags {
		return fmt.Errorf("%w: at most %d tags, not %d", ErrQuota, MaxTags, len(d.Tags))
	}
	for _, tag := range d.Tags {
		if len(tag) > MaxTagBytes || !utf8.ValidString(tag) {
			return fmt.Errorf("%w: a tag is valid UTF-8 of at most %d bytes", ErrQuota, MaxTagBytes)
		}
	}
	return nil
}
