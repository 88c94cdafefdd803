package sqlite_test

import (
	"context"
	"errors"
	"flag"
	"testing"
	"time"

	"go.uber.org/goleak"

	"prax/store"
	"prax/store/sqlite"
	"prax/store/storetest"
)

func TestMain(m *testing.M) {
	if child() {
		return
	}
	// The model test opens a store a check: a few dozen do, unless the command line says otherwise.
	if err := errors.Join(flag.Set("rapid.checks", "15"), flag.Set("rapid.steps", "25")); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// TestStore runs the suite that any store passes.
func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t testing.TB, place string) store.Store {
		return open(t, sqlite.Config{Dir: place, BlockEvery: 20 * time.Millisecond})
	})
}

// open opens a store; closing it is the test's.
func open(t testing.TB, config sqlite.Config) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(context.Background(), config)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return db
}
