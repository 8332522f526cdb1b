package command

import (
	"context"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"binnacle/ui/command/cli"
)

// release is the version of the program.
const release = "0.1.0"

// build says what the running binary is made of.
type build struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
}

func thisBuild() build {
	b := build{Version: release, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// versionLine is what --version prints.
func versionLine() string {
	b := thisBuild()
	line := "binnacle " + b.Version
	if b.Revision != "" {
		line += " (" + b.Revision[:min(12, len(b.Revision))]
		if b.Modified {
			line += ", modified"
		}
		line += ")"
	}
	return line + " " + b.Platform
}

func versionCommand(r *cli.Run) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which binnacle this is",
		Args:  cli.Takes(),
		RunE: r.Runs(func(context.Context, []string) error {
			b := thisBuild()
			return r.Answer(b, func() error {
				revision := b.Revision
				if b.Modified {
					revision += " (modified)"
				}
				return r.Fields("version", b.Version, "go", b.Go, "platform", b.Platform, "revision", strings.TrimSpace(revision))
			})
		}),
	}
}
