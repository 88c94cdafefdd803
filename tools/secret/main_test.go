package secret_test

import (
	"testing"

	"go.uber.org/goleak"

	"prax/tools/secret"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func parse(t testing.TB, text string) secret.Text {
	t.Helper()
	parsed, err := secret.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// these are the values.
func these(secrets ...string) *secret.Values {
	var v secret.Values
	for _, s := range secrets {
		v.Add(s)
	}
	return &v
}
