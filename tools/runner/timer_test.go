package runner_test

import (
	"time"

	"prax/store"
	"prax/store/sqlite"
	"prax/tools/runner"
)

// tight is a store that gives a user little room.
func tight(_ *runner.Config, db *sqlite.Config) { db.Quota = store.Quota{InstanceBytes: 4 << 10} }

// timeout is that of the definitions which have one.
const timeout = time.Minute
