package cli

import (
	"strings"

	"binnacle/backend/coord"
)

// Who is the principal that a command acts for: whoever --by names, else the
// one who writes here, whose sessions may stand under the names that tools' hooks
// write, too.
func (r *Run) Who(w *Workspace, by string) coord.Who {
	if by != "" {
		return coord.Who{Name: by}
	}
	who := coord.Who{Name: w.Producer}
	also := []string{r.Env.Getenv("BINNACLE_ACTOR"), r.Env.Getenv("USER"), r.Env.Getenv("LOGNAME")}
	if r.Env.User != nil {
		name, _, _ := strings.Cut(r.Env.User(), "@")
		also = append(also, name)
	}
	for _, name := range also {
		if name != "" {
			who.Also = append(who.Also, name)
		}
	}
	return who
}
