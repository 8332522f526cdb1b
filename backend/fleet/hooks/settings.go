package hooks

import "binnacle/backend/fleet/process"

// Settings are the tools' settings on this machine, as one project sees them.
// Nothing but Apply writes.
type Settings struct {
	Environ  process.Environ // the user's
	Home     string          // the user's home, "" where HOME names none
	System   string          // the root of the administrators' settings: "/"
	Root     string          // the project's work tree
	Called   string          // how this program was called, for hooks that call it; os.Args[0] when ""
	StateDir string          // the user's state folder: what an install found is kept there
}
