package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"prax/server/mcp"
	"prax/store/sqlite"
)

// What a release says of itself, as it is built without the repository around it: set by the linker (.ci/release).
var (
	version string // as v1.2.3
	commit  string // in hex
)

// build is what this binary was made from, and what it speaks.
type build struct {
	Version   string   `json:"version"`
	Commit    string   `json:"commit,omitzero"`
	Modified  bool     `json:"modified,omitzero"` // the commit is not all that it was made from
	Go        string   `json:"go"`
	Platform  string   `json:"platform"`
	Schema    int      `json:"schema"`    // of the database
	Protocols []string `json:"protocols"` // revisions of MCP, the newest first
}

// version prints the version of this binary.
func (p *program) version(args []string) error {
	f := p.flags("version", "[--json]", "Prints the version of this binary; with --json also the commit, the schema of its database and the revisions of MCP.")
	asJSON := f.Bool("json", false, "print JSON")
	if _, err := f.parse(args, 0, 0); err != nil {
		return err
	}
	b := readBuild()
	if *asJSON {
		return p.printJSON(b)
	}
	_, err := fmt.Fprintf(p.stdout, "prax %s %s %s\n", b.Version, b.Go, b.Platform)
	return err
}

func readBuild() build {
	b := build{
		Version: version, Commit: commit, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Schema: sqlite.SchemaNumber(), Protocols: mcp.Revisions(),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Version = cmp.Or(b.Version, info.Main.Version)
		for _, setting := range info.Settings {
			switch setting.Key {
			case "vcs.revision":
				b.Commit = cmp.Or(b.Commit, setting.Value)
			case "vcs.modified":
				b.Modified = setting.Value == "true"
			}
		}
	}
	b.Version = cmp.Or(b.Version, "(devel)")
	return b
}
