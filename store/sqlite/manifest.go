package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
)

// Manifest says what a backup is made of. It is written last: a directory without one is no backup.
type Manifest struct {
	Format   int          `json:"format"` // of the backup: 1
	Version  string       `json:"version"`
	Schema   int          `json:"schema"` // of the database
	At       time.Time    `json:"at"`     // when it was begun: everything acknowledged before is in it
	Head     store.Head   `json:"head"`   // of the audit chain in it
	Problems []string     `json:"problems,omitempty"`
	Files    []BackupFile `json:"files"`
}

// BackupFile is one file of a backup.
type BackupFile struct {
	Name   string `json:"name"` // below the backup, with slashes
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// The layout of a backup: a data directory, and beside it the files that it was given.
const (
	manifestName = "manifest.json"
	dataFolder   = "data"

	backupFormat = 1
	maxManifest  = 16 << 20
	maxFiles     = 100_000
	maxName      = 1024
)

func (m Manifest) encode() ([]byte, error) {
	text, err := json.Marshal(m, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("encode manifest: %w", err)
	}
	return append(text, '\n'), nil
}

// decodeManifest reads what encode wrote, and refuses whatever could make a restore leave its place.
func decodeManifest(text []byte) (m Manifest, err error) {
	if err := json.Unmarshal(text, &m, json.RejectUnknownMembers(true)); err != nil {
		return m, fmt.Errorf("decode manifest: %w", err)
	}
	switch {
	case m.Format > backupFormat || m.Schema > len(migrations):
		return m, fmt.Errorf("%w: the backup has format %d and schema %d, this one knows %d and %d", store.ErrNewer, m.Format, m.Schema, backupFormat, len(migrations))
	case m.Format < 1 || m.Schema < 1:
		return m, errors.New("the manifest has no format or no schema")
	case len(m.Files) > maxFiles:
		return m, fmt.Errorf("the manifest names more than %d files", maxFiles)
	}
	return m, m.checkFiles()
}

func (m Manifest) checkFiles() error {
	seen := map[string]bool{}
	for _, f := range m.Files {
		switch {
		case !allowed(f.Name):
			return fmt.Errorf("the manifest names a file that no backup has: %s", store.SafeString(f.Name))
		case seen[f.Name]:
			return fmt.Errorf("the manifest names %s twice", store.SafeString(f.Name))
		case f.Size < 0 || len(f.SHA256) != 64:
			return fmt.Errorf("the manifest has no size or digest of %s", store.SafeString(f.Name))
		}
		seen[f.Name] = true
	}
	for _, name := range []string{databaseName, headName, keyName} {
		if !seen[dataFolder+"/"+name] {
			return fmt.Errorf("the manifest does not name %s/%s", dataFolder, name)
		}
	}
	return nil
}

// allowed tells whether a backup may have a file of this name.
func allowed(name string) bool {
	if len(name) > maxName || !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) ||
		strings.ContainsFunc(name, func(r rune) bool { return r == '\\' || r == ':' || !unicode.IsGraphic(r) }) {
		return false
	}
	if inData, is := strings.CutPrefix(name, dataFolder+"/"); is {
		return dataFile(inData)
	}
	return extra(name)
}

// dataFile tells whether a name is one of a data directory that is backed up.
func dataFile(name string) bool {
	switch name {
	case databaseName, headName, mismatchName:
		return true
	}
	folder, file, inside := strings.Cut(name, "/")
	if !inside || strings.Contains(file, "/") || strings.HasPrefix(file, ".") || strings.HasSuffix(file, ".new") {
		return false
	}
	return folder == "keys" || folder == ArchiveName
}

// extra tells whether a name is one of a file beside the data.
func extra(name string) bool {
	top, _, inside := strings.Cut(name, "/")
	return !inside && (name == ClientsName || strings.HasPrefix(name, DefinitionName)) || inside && top == DefinitionsName
}

// The names of the files beside the data in a backup: the clients, one file of definitions with whatever
// ending it has, or a folder of them.
const (
	ClientsName     = "clients.json"
	DefinitionName  = "definitions."
	DefinitionsName = "definitions"
)
