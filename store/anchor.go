package store

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"prax/store/digest"
)

// Anchor vouches for the events that were archived and taken out of the store: what is left of the chain
// follows the event with this number and this hash. It is also the last line of an archive.
type Anchor struct {
	At        int64  `json:"at"` // when it was signed, Unix milliseconds
	Chain     string `json:"chain"`
	Count     int64  `json:"count"` // number of the last archived event
	Hash      string `json:"hash"`  // of that event
	Kind      string `json:"kind"`  // "anchor": no signed head can be taken for one
	PublicKey string `json:"public_key,omitzero"`
	Signature string `json:"signature,omitzero"`
}

// KindAnchor is the kind of every [Anchor]. It is part of what is signed, and no event has it.
const KindAnchor = "anchor"

// SignAnchor signs the end of the archived part of a chain.
func SignAnchor(k *digest.Key, count int64, hash string, at time.Time) Anchor {
	a := Anchor{Chain: MainChain, Count: count, Hash: hash, At: at.UnixMilli(), Kind: KindAnchor}
	a.Signature = k.Sign(a.signed())
	a.PublicKey = k.Public()
	return a
}

// Genuine tells whether the anchor was signed by the owner of a public key. Ask it with the key that is
// known from elsewhere, never with the one in the anchor itself.
func (a Anchor) Genuine(publicKey string) bool {
	return a.Kind == KindAnchor && a.Chain == MainChain && digest.Verify(publicKey, a.signed(), a.Signature)
}

// signed is what the signature is over: the canonical form without public_key and signature.
func (a Anchor) signed() []byte {
	a.PublicKey, a.Signature = "", ""
	b, _ := json.Marshal(&a) // strings and integers
	return b
}

// EncodeAnchor is the anchor as one line of JSON.
func EncodeAnchor(a Anchor) []byte {
	b, _ := json.Marshal(&a) // strings and integers
	return append(b, '\n')
}

// DecodeAnchor reads what EncodeAnchor wrote.
func DecodeAnchor(b []byte) (Anchor, error) {
	var a Anchor
	if err := json.Unmarshal(b, &a, json.RejectUnknownMembers(true)); err != nil {
		return a, fmt.Errorf("decode anchor: %w", err)
	}
	return a, nil
}
