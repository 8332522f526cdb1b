package cockpit

import (
	"os"

	"binnacle/ui"
)

// program is this binary on the workspace that the cockpit is open on. Where
// the binary can't be found any more there is none.
func (run Launch) program(workspace string, readOnly bool) ui.Program {
	path, err := os.Executable()
	if err != nil {
		return ui.Program{}
	}
	p := ui.Program{
		Path: path, Args: []string{"--workspace=" + workspace}, Dir: run.Dir, Environ: run.Env.Environ,
		Commands: run.Commands,
	}
	if readOnly {
		p.Args = append(p.Args, "--read-only")
	}
	return p
}
