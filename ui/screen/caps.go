package screen

import (
	"strings"

	"github.com/charmbracelet/colorprofile"
)

// Caps says what a terminal can do beyond what every VT102 does. It is derived
// from the environment: the terminal is never asked for it.
type Caps struct {
	// Profile is how many colours it shows. Unknown means 24 bits.
	Profile colorprofile.Profile
	// Sync: it may be told to show a frame only once it is whole (mode 2026).
	// Terminals that don't know the mode ignore it.
	Sync bool
	// BCE: erasing fills with the background in use, not with the default one.
	BCE bool
	// ECH: it can erase characters in the middle of a line.
	ECH bool
}

// DetectCaps derives Caps from environment variables, looked up by env: TERM,
// COLORTERM, NO_COLOR (any value that is not empty), CLICOLOR_FORCE, TMUX and
// the few others that colorprofile reads.
func DetectCaps(env func(string) string) Caps {
	term := env("TERM")
	pairs := []string{}
	for _, name := range []string{"TERM", "COLORTERM", "CLICOLOR", "CLICOLOR_FORCE", "WT_SESSION", "GOOGLE_CLOUD_SHELL", "TMUX", "STY"} {
		if v := env(name); v != "" {
			pairs = append(pairs, name+"="+v)
		}
	}
	c := Caps{Profile: colorprofile.Env(pairs), Sync: true, BCE: true, ECH: true}
	if env("NO_COLOR") != "" && c.Profile > colorprofile.ASCII {
		c.Profile = colorprofile.ASCII
	}
	switch {
	case term == "linux":
		// The console prints what it does not know of DEC's private modes as
		// nothing, but has no use for them either.
		c.Sync = false
	case strings.HasPrefix(term, "screen") && env("TMUX") == "":
		// GNU screen erases with the default background unless told otherwise.
		c.BCE = false
	case strings.HasPrefix(term, "vt1") || strings.HasPrefix(term, "vt2"):
		c.Sync, c.BCE, c.ECH = false, false, false
	}
	return c
}
