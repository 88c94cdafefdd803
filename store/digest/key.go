package digest

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

const seedBytes = 32

// Key is the installation key. Everything made under it is derived from one random seed, each use
// by its own label, so that no use can stand in for another.
type Key struct {
	macs    sync.Pool // of *mac
	marking []byte    // the secret of marks
	private ed25519.PrivateKey
}

// mac is a keyed hash with room for what it gives.
type mac struct {
	hash hash.Hash
	sum  [sha256.Size]byte
	text [2 * sha256.Size]byte
}

// NewKey derives the key of a seed of at least 32 random bytes.
func NewKey(seed []byte) (*Key, error) {
	if len(seed) < seedBytes {
		return nil, fmt.Errorf("a key has %d bytes, not %d", seedBytes, len(seed))
	}
	secret, err := hkdf.Key(sha256.New, seed, nil, "prax arguments mac v1", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive key: %w", err)
	}
	marking, err := hkdf.Key(sha256.New, seed, nil, "prax token mark v1", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive key: %w", err)
	}
	signing, err := hkdf.Key(sha256.New, seed, nil, "prax audit head v1", ed25519.SeedSize)
	if err != nil {
		return nil, fmt.Errorf("derive key: %w", err)
	}
	k := &Key{marking: marking, private: ed25519.NewKeyFromSeed(signing)}
	k.macs.New = func() any { return &mac{hash: hmac.New(sha256.New, secret)} }
	return k, nil
}

// String hides the key.
func (*Key) String() string { return "[installation key]" }

// Format hides the key from every fmt verb.
func (*Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[installation key]") }

// MAC is the HMAC-SHA-256 of these bytes in lower-case hex. Give it a canonical form: equal
// arguments then have equal MACs, and nobody without the key can guess at short ones.
func (k *Key) MAC(b []byte) string {
	m := k.macs.Get().(*mac)
	defer k.macs.Put(m)
	m.hash.Reset()
	m.hash.Write(b)
	hex.Encode(m.text[:], m.hash.Sum(m.sum[:0]))
	return string(m.text[:])
}

// markBytes is the length of a mark: long enough that two are never the same by chance.
const markBytes = 16

// Mark is what a token is known by where its hash must not stand: an HMAC-SHA-256 of its hash, cut to 16 bytes, in
// lower-case hex.
func (k *Key) Mark(hash []byte) string {
	h := hmac.New(sha256.New, k.marking)
	h.Write(hash)
	return hex.EncodeToString(h.Sum(nil)[:markBytes])
}

// Sign signs these bytes (Ed25519, RFC 8032), in lower-case hex.
func (k *Key) Sign(b []byte) string { return hex.EncodeToString(ed25519.Sign(k.private, b)) }

// Public is the key that others verify with, in lower-case hex.
func (k *Key) Public() string {
	return hex.EncodeToString(k.private.Public().(ed25519.PublicKey))
}

// Verify tells whether signature is that of these bytes under a public key, both in hex.
func Verify(public string, b []byte, signature string) bool {
	key, err := hex.DecodeString(public)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return false
	}
	sig, err := hex.DecodeString(signature)
	return err == nil && ed25519.Verify(key, b, sig)
}

// LoadKey reads the key in a file that [LoadOrCreateKey] made. It is an error that satisfies
// fs.ErrNotExist when there is none.
func LoadKey(path string) (*Key, error) {
	text, err := Read(path)
	if err != nil {
		return nil, fmt.Errorf("installation key: %w", err)
	}
	seed, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(seed) != seedBytes {
		return nil, fmt.Errorf("installation key: %s is not %d hex digits", path, 2*seedBytes)
	}
	return NewKey(seed)
}

// LoadOrCreateKey reads the key, or makes one with mode 0600 in a folder of mode 0700. Its public
// half is written beside it, with the ending .pub, for those who verify an export.
func LoadOrCreateKey(path string) (*Key, error) {
	k, err := LoadKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		k, err = createKey(path)
	}
	if err != nil {
		return nil, err
	}
	public := publicPath(path)
	if text, err := Read(public); err == nil && strings.TrimSpace(string(text)) == k.Public() {
		return k, nil
	}
	return k, writeFile(public, k.Public()+"\n")
}

func publicPath(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) + ".pub" }

// RemoveKeyLeftovers removes what a [LoadOrCreateKey] left that was killed before its end.
func RemoveKeyLeftovers(path string) error {
	return errors.Join(RemoveLeftovers(path), RemoveLeftovers(publicPath(path)))
}

func createKey(path string) (*Key, error) {
	if err := makePrivate(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("installation key: %w", err)
	}
	var seed [seedBytes]byte
	_, _ = rand.Read(seed[:]) // never fails: crypto/rand ends the process instead
	if err := writeFile(path, hex.EncodeToString(seed[:])+"\n"); err != nil {
		return nil, err
	}
	return NewKey(seed[:])
}

// makePrivate makes a folder of mode 0700, whatever the umask, unless there is one.
func makePrivate(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.Chmod(dir, 0o700)
}

// writeFile replaces a file as one step, durably, so that a crash leaves the old one or the new.
func writeFile(path, text string) error {
	if err := Replace(path, []byte(text)); err != nil {
		return fmt.Errorf("installation key: %w", err)
	}
	return nil
}
