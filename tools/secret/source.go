package secret

import "errors"

// Source is where secrets come from.
type Source struct {
	Env     func(string) (string, bool) // nil: os.LookupEnv
	DataDir string                      // no file in it is a secret of a connection
}

// Resolve puts the secrets in place, and collects them in into, so that they can be cut out again. Its errors name the
// variable or the file, never a value.
func (s *Source) Resolve(t Text, into *Values) (string, error) { return "", errors.New("not there yet") }
