package jwt

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"prax/store/digest"
)

// key is one signing key. It prints as a placeholder.
type key struct {
	id      string // kid: of the public half, so that a file cannot lie about it
	private ed25519.PrivateKey
	made    time.Time
}

// String hides the key.
func (key) String() string { return "[signing key]" }

// Format hides the key from every fmt verb.
func (k key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, k.String()) }

func newKey(seed []byte, made time.Time) key {
	k := key{private: ed25519.NewKeyFromSeed(seed), made: made}
	sum := sha256.Sum256(k.private.Public().(ed25519.PublicKey))
	k.id = hex.EncodeToString(sum[:8])
	return k
}

// keyring is the keys that there are, the oldest first. The newest signs.
type keyring []key

// retired is how long a key verifies after another has taken its place: every token that it has signed has lapsed then.
const retired = MaxTTL + skew

// find is the key of this id that still verifies at now.
func (r keyring) find(id string, now time.Time) (key, bool) {
	i := slices.IndexFunc(r, func(k key) bool { return k.id == id })
	if i < 0 || i+1 < len(r) && !now.Before(r[i+1].made.Add(retired)) {
		return key{}, false
	}
	return r[i], true
}

// newest is the key that signs; false when there is none yet.
func (r keyring) newest() (key, bool) {
	if len(r) == 0 {
		return key{}, false
	}
	return r[len(r)-1], true
}

// The name of a key's file. What is between is its id.
const (
	keyBegins = "jwt-"
	keyEnds   = ".key"
)

func keyPath(dir string, k key) string { return filepath.Join(dir, keyBegins+k.id+keyEnds) }

// loadKeys reads the keys in a folder; none when it does not exist. A file that cannot be used is an error beside the
// keys that can: what it has signed is unknown then.
func loadKeys(dir string) (r keyring, problems error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("signing keys: %w", err)
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), keyBegins) || !strings.HasSuffix(entry.Name(), keyEnds) {
			continue
		}
		k, err := readKey(dir, entry.Name())
		if err != nil {
			problems = errors.Join(problems, fmt.Errorf("signing key %s: %w", entry.Name(), err))
			continue
		}
		r = append(r, k)
	}
	slices.SortFunc(r, func(a, b key) int {
		if c := a.made.Compare(b.made); c != 0 {
			return c
		}
		return strings.Compare(a.id, b.id)
	})
	return r, problems
}

// readKey reads one file: the time at which the key was made, and its seed.
func readKey(dir, name string) (key, error) {
	text, err := digest.Read(filepath.Join(dir, name))
	if err != nil {
		return key{}, err
	}
	made, seed, _ := strings.Cut(strings.TrimSuffix(string(text), "\n"), " ")
	at, err := time.Parse(time.RFC3339, made)
	raw, errSeed := hex.DecodeString(seed)
	if err != nil || errSeed != nil || len(raw) != ed25519.SeedSize {
		return key{}, errors.New("is not a time and 64 hex digits")
	}
	k := newKey(raw, at)
	if name != filepath.Base(keyPath(dir, k)) {
		return key{}, errors.New("is of another key than its name says")
	}
	return k, nil
}

// renewed is the keys with a new one, which is in its file. Files of those that verify nothing any more are removed.
func (r keyring) renewed(dir string, now time.Time) (keyring, error) {
	made := now.UTC().Truncate(time.Second)
	if last, ok := r.newest(); ok && !made.After(last.made) {
		made = last.made.Add(time.Second) // it is the newest, whatever the clock did
	}
	seed := make([]byte, ed25519.SeedSize)
	_, _ = rand.Read(seed) // never fails: crypto/rand ends the process instead
	k := newKey(seed, made)
	text := made.Format(time.RFC3339) + " " + hex.EncodeToString(seed) + "\n"
	if err := digest.Replace(keyPath(dir, k), []byte(text)); err != nil {
		return r, fmt.Errorf("new signing key: %w", err)
	}
	next := append(slices.Clone(r), k)
	return slices.DeleteFunc(next, func(k key) bool {
		_, verifies := next.find(k.id, now)
		return !verifies && os.Remove(keyPath(dir, k)) == nil
	}), nil
}
