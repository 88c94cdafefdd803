package secret

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"prax/auth/watch"
)

const (
	// shortest is the length in bytes under which a secret could not be cut out without tearing up everything.
	shortest = 4

	// largest is the size in bytes over which a file is no secret.
	largest = 64 << 10
)

// Source is where secrets come from. It reads anew each time, so that a changed file holds at once. It may be used by
// many goroutines.
type Source struct {
	Env     func(string) (string, bool) // nil: os.LookupEnv
	DataDir string                      // no file in it is a secret of a connection; "": there is none
}

// Resolve puts the secrets in place, and collects them in into, so that they can be cut out again; into may be nil for
// a literal text only. Its errors name the variable or the file, never a value.
func (s *Source) Resolve(t Text, into *Values) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		if p.kind == "" {
			b.WriteString(p.text)
			continue
		}
		value, err := s.value(p)
		if err == nil && !p.public() {
			err = into.admit(value)
		}
		if err != nil {
			return "", fmt.Errorf("${%s:%s}: %w", p.kind, p.text, err)
		}
		b.WriteString(value)
	}
	return b.String(), nil
}

// publicNames are variables that say where things are and in which language, as every program of the machine may know:
// to cut them out would tear up what children print, and hide nothing.
var publicNames = map[string]bool{
	"HOME": true, "LANG": true, "LANGUAGE": true, "LOGNAME": true, "PATH": true, "PWD": true, "SHELL": true, "TERM": true,
	"TMPDIR": true, "TZ": true, "USER": true,
	"GOBIN": true, "GOCACHE": true, "GOMODCACHE": true, "GOPATH": true, "GOROOT": true, "JAVA_HOME": true,
	"XDG_CACHE_HOME": true, "XDG_CONFIG_HOME": true, "XDG_DATA_HOME": true, "XDG_RUNTIME_DIR": true,
}

// public tells whether a part is no secret, although it is resolved like one.
func (p part) public() bool {
	return p.kind == kindEnv && (publicNames[p.text] || strings.HasPrefix(p.text, "LC_"))
}

func (v *Values) admit(value string) error {
	switch {
	case v == nil:
		return errors.New("there is nothing to collect it in")
	case len(strings.TrimSpace(value)) < shortest:
		return fmt.Errorf("under %d bytes, which is too short to be kept out of what is stored", shortest)
	case strings.Contains(mark, strings.TrimSpace(value)):
		return fmt.Errorf("part of %q, which stands for what is kept out of what is stored", mark)
	}
	v.Add(value)
	return nil
}

func (s *Source) value(p part) (string, error) {
	if p.kind == kindFile {
		return s.file(p.text)
	}
	env := s.Env
	if env == nil {
		env = os.LookupEnv
	}
	value, ok := env(p.text)
	if !ok {
		return "", errors.New("not set")
	}
	return value, nil
}

// file reads what path leads to. Links are followed first and the file that they lead to is judged; that it is still
// the one there after it was read means that nobody exchanged it in between.
func (s *Source) file(path string) (string, error) {
	leads, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", errors.New(watch.Reason(err))
	}
	if err := s.outside(leads); err != nil {
		return "", err
	}
	text, info, err := watch.ReadRegular(leads, largest)
	if err != nil {
		return "", errors.New(watch.Reason(err))
	}
	now, err := os.Lstat(leads)
	if err != nil || !os.SameFile(info, now) {
		return "", errors.New("was exchanged while it was read")
	}
	if err := s.outside(leads); err != nil {
		return "", err
	}
	value := strings.TrimSuffix(string(text), "\n")
	return strings.TrimSuffix(value, "\r"), nil
}

// outside refuses a path with the data directory on it, however that is spelled.
func (s *Source) outside(path string) error {
	if s.DataDir == "" {
		return nil
	}
	data, err := os.Stat(s.DataDir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("data directory: %s", watch.Reason(err))
	}
	for dir := path; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		switch {
		case err != nil:
			return errors.New(watch.Reason(err))
		case os.SameFile(info, data):
			return errors.New("in the data directory of the server")
		case dir == filepath.Dir(dir):
			return nil
		}
	}
}
