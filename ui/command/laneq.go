package command

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"binnacle/model"
	"binnacle/model/clean"
)

// What binnacle queue keeps of laneq besides its verbs: its exit statuses, and
// no silence about settings of its that mean another place.

// underQueue says whether the command is one of laneq's verbs.
func underQueue(cmd *cobra.Command) bool {
	return strings.HasPrefix(cmd.CommandPath(), "binnacle queue ")
}

// bringsOver says whether the command reads another queue, which its settings
// may then name.
func bringsOver(cmd *cobra.Command) bool { return cmd.Name() == "import" }

// elsewhere are laneq's variables that say where its queue is.
func (a *app) elsewhere() error {
	names := []string{"LANEQ_DB"}
	if a.env.Environ != nil {
		for _, v := range a.env.Environ() {
			if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "CODEX_Q_") {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		v := a.env.Getenv(name)
		if v == "" {
			continue
		}
		return usage("%s names laneq's own queue, which is not this one", clean.Line(name)).
			WithHint("binnacle ledger import PATH brings its directives here, and BINNACLE_WORKSPACE says which workspace is meant; then unset %s", clean.Line(name))
	}
	return nil
}

// laneqRefusal gives a refusal of laneq's own validation its exit status, 1: the
// command was read, and what it asks for can't be. What can't be read at all
// exits with 2 in both programs, and so does what laneq has no word for.
func laneqRefusal(err error) error {
	var e *model.Error
	if !errors.As(err, &e) || e.Code != model.CodeInvalid {
		return err
	}
	c := *e
	c.Code = model.CodeRefused
	return &c
}
