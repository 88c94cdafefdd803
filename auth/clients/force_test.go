package clients_test

import (
	"strings"
	"testing"

	"prax/auth/clients"
)

// TestForce: a file that looks the same is read all the same, and whoever asked is told what came of it; so is
// one that is broken.
func TestForce(t *testing.T) {
	t.Parallel()
	l := run(t, file(alice("")), noEvents)
	said := func(what string) func() bool {
		return func() bool { return strings.Contains(l.log.String(), what) }
	}
	l.in(aliceToken)
	l.Force()
	l.until("it is said that nothing changed", said(`"clients file was read at SIGHUP" ok=true unchanged=true clients=1`))
	l.write("{bad")
	l.until("the damage is noticed", func() bool { return !l.Status().OK })
	l.Force()
	l.until("it is said that the file is broken", said(`"clients file was read at SIGHUP" ok=false`))
}

// TestForceWithoutFile has nothing to read, and waits for nobody.
func TestForceWithoutFile(t *testing.T) {
	t.Parallel()
	reg, err := clients.Open(clients.Config{Single: &clients.Single{Token: singleToken, UserID: "u1"}}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		reg.Force()
	}
}
