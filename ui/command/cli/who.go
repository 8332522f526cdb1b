package cli

import "binnacle/backend/coord"

// Who is the principal that a command acts for: whoever --by names, else the
// one who writes here, whose sessions may stand under the name that tools' hooks
// write, too.
func (r *Run) Who(w *Workspace, by string) coord.Who {
	if by != "" {
		return coord.Who{Name: by}
	}
	return coord.Who{Name: w.Producer, Also: []string{r.Env.World().Actor(w.config.Fleet.Actor, w.config.Producer)}}
}
