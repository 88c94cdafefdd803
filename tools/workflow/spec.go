package workflow

import (
	"prax/auth"
	"prax/tools/schema"
	"prax/tools/workflow/expr"
)

// Spec is what a kind of executor with an effect makes of its configuration when it is loaded: a pointer to a struct
// whose `json` tags name every key that the kind has, filled strictly. Check judges it, and keeps what it parsed.
type Spec interface {
	// Check tells what does not fit, and the least tier that the executor has by what it does.
	Check(w Surroundings) (auth.Tier, []schema.Violation)
}

// ConnectionSpec is the same for a connection. dir is the folder of the file that it stands in, where relative
// directories start.
type ConnectionSpec interface {
	CheckConnection(dir string) []schema.Violation
}

// Surroundings are what an executor's configuration can refer to. A nil function says that it is not known here, as
// when a definition is read that an instance pinned long ago: then what it would tell is not judged.
type Surroundings struct {
	Dir        string     // of the file that it stands in; "" when that is not known: then directories are absolute
	Roots      expr.Roots // of paths
	Connection func(name string) (*Connection, bool)
	Tool       func(name string) (auth.Tier, bool)
	Script     func(subject string) (*Guidance, bool)
}

// Specs are an empty configuration of each kind of executor that has an effect, and of each kind of connection.
type Specs struct {
	Executors   map[string]func() Spec
	Connections map[string]func() ConnectionSpec
}
