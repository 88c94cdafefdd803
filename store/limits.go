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

// The bounds of what instances keep. A value is what a JSON member holds, in bytes of its text.
const (
	MaxInstances     = 10_000   // open ones a user
	MaxInstanceBytes = 4 << 30  // of all of a user's instances with their histories, ended ones too
	MaxContextBytes  = 1 << 20  // of Input and of Context, each
	MaxMemoBytes     = 64 << 10 // of Memo
	MaxIDBytes       = 128      // of an id, a run id, a trace id, a correlation, a definition's id
	MaxTextBytes     = 16 << 10 // of a summary, of a reason
	MaxEvidenceText  = 4 << 10  // of a piece of evidence's URI and summary, each
	MaxValueBytes    = 4 << 20  // of a step's arguments, output and delta, of an approval's arguments and material, each
	MaxSteps         = 1000     // of one move
	MaxMoveBytes     = 16 << 20 // of all that one move keeps
	MaxEvidence      = 5000     // of one instance
	MaxShown         = 500      // acknowledged subjects of one instance
	MaxPage          = 200      // rows of one list of instances or approvals
	MaxDefinition    = 16 << 20 // bytes of one definition
	MaxCounted       = 10_000   // of what is counted for metrics

	MaxWorkBytes      = 8 << 20 // of an attempt's work
	MaxDirectAttempts = 1000    // ended ones without an instance, a user; the oldest go first
	MaxNotices        = 100     // that wait, of one kind and user

	// EndingBytes is what a move that ends an instance may keep beyond its user's quota: whoever has no
	// room left can still put an end to what takes it.
	EndingBytes = 64 << 10
)

// The bounds of the lexicon that is defined at run time.
const (
	MaxTermBytes    = 16 << 10 // of an entry
	MaxTermVersions = 1000     // of all of one user's entries together
	MaxEverybodys   = 10_000   // versions of all of everybody's entries together
	MaxSubjects     = 10_000   // settled subjects of one user
)

// PageSize is how many rows a list returns when it is asked for limit: 50 for 0, MaxPage at most.
func PageSize(limit int) int {
	const usual = 50
	if limit <= 0 {
		limit = usual
	}
	return min(limit, MaxPage)
}

// Quota bounds what one user may keep.
type Quota struct {
	Documents     int64
	Bytes         int64 // of all bodies
	Instances     int64 // open ones
	InstanceBytes int64 // of all instances
}

// DefaultQuota is what a store grants a user unless it is told otherwise.
func DefaultQuota() Quota {
	return Quota{Documents: MaxDocuments, Bytes: MaxUserBytes, Instances: MaxInstances, InstanceBytes: MaxInstanceBytes}
}

// WithDefaults is the quota with its zero members filled in.
func (q Quota) WithDefaults() Quota {
	full := DefaultQuota()
	for _, m := range []struct{ into, from *int64 }{
		{&q.Documents, &full.Documents}, {&q.Bytes, &full.Bytes},
		{&q.Instances, &full.Instances}, {&q.InstanceBytes, &full.InstanceBytes},
	} {
		if *m.into == 0 {
			*m.into = *m.from
		}
	}
	return q
}

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
	err := checkTexts(
		text{"id", d.ID, MaxFieldBytes}, text{"user", d.User, MaxFieldBytes}, text{"key", d.Key, MaxFieldBytes},
		text{"namespace", d.Namespace, MaxFieldBytes}, text{"title", d.Title, MaxFieldBytes}, text{"source", d.Source, MaxFieldBytes},
		text{"source type", d.SourceType, MaxFieldBytes}, text{"status", d.Status, MaxFieldBytes}, text{"body", d.Body, MaxDocumentBytes},
	)
	if err != nil {
		return err
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
