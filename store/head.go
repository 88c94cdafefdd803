package store

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"prax/store/digest"
)

// Head vouches for a chain up to one event: whoever cuts its tail off, or writes it anew, cannot
// make the signature.
type Head struct {
	At        int64  `json:"at"` // when it was signed, Unix milliseconds
	Chain     string `json:"chain"`
	Count     int64  `json:"count"` // number of the newest event
	Hash      string `json:"hash"`  // of that event; "" when there is none
	PublicKey string `json:"public_key,omitzero"`
	Signature string `json:"signature,omitzero"`
}

// SignHead signs the head of a chain whose newest event is number count with this hash.
func SignHead(k *digest.Key, count int64, hash string, at time.Time) Head {
	h := Head{Chain: MainChain, Count: count, Hash: hash, At: at.UnixMilli()}
	h.Signature = k.Sign(h.signed())
	h.PublicKey = k.Public()
	return h
}

// Genuine tells whether the head was signed by the owner of a public key. Ask it with the key that
// is known from elsewhere, never with the one in the head itself.
func (h Head) Genuine(publicKey string) bool {
	return digest.Verify(publicKey, h.signed(), h.Signature)
}

// signed is what the signature is over: the canonical form without public_key and signature.
func (h Head) signed() []byte {
	h.PublicKey, h.Signature = "", ""
	b, _ := json.Marshal(&h) // strings and integers
	return b
}

// EncodeHead is the head as one line of JSON.
func EncodeHead(h Head) []byte {
	b, _ := json.Marshal(&h) // strings and integers
	return append(b, '\n')
}

// DecodeHead reads what EncodeHead wrote.
func DecodeHead(b []byte) (Head, error) {
	var h Head
	if err := json.Unmarshal(b, &h); err != nil {
		return h, fmt.Errorf("decode audit head: %w", err)
	}
	return h, nil
}

// Report is what verifying a chain found. The chain is whole when there are no problems.
type Report struct {
	Events   int64    // walked
	Calls    int64    // calls within blocks
	Newest   int64    // number of the newest event
	Anchor   *Anchor  // up to where the events were archived; nil when none were
	Head     *Head    // the signed head; nil when there is none
	LastHash string   // of the newest event
	Problems []string // a sentence each, the first 100; what a reader would act on first stands first
}

// OK tells whether the chain is whole.
func (r Report) OK() bool { return len(r.Problems) == 0 }

// MaxProblems bounds a report.
const MaxProblems = 100

// Problem adds one.
func (r *Report) Problem(format string, args ...any) {
	if len(r.Problems) < MaxProblems {
		r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
	}
}
