package cli

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// build is what the binary knows about itself.
type build struct {
	Version  string  `json:"version"`
	Commit   *string `json:"commit"`
	Time     *string `json:"commitTime"`
	Modified bool    `json:"modified"` // built from a tree with uncommitted changes
	Go       string  `json:"go"`
	Platform string  `json:"platform"`
}

func readBuild() build {
	b := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Version = cmp.Or(info.Main.Version, b.Version)
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = &s.Value
		case "vcs.time":
			b.Time = &s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "version, commit and Go version", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			b := readBuild()
			if a.json {
				return a.printJSON(b)
			}
			a.line("retold %s", b.Version)
			if b.Commit != nil {
				modified := ""
				if b.Modified {
					modified = " (with uncommitted changes)"
				}
				a.line("commit %s%s", *b.Commit, modified)
			}
			a.line("%s %s", b.Go, b.Platform)
			return nil
		},
	}
}
