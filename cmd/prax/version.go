package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// build is what this binary was made from.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitzero"`
	Modified bool   `json:"modified,omitzero"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// version prints the version of this binary.
func (p *program) version(args []string) error {
	f := p.flags("version", "[--json]", "Prints the version of this binary.")
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
	b := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Revision = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
	return b
}
