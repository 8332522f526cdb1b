package fleet

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"binnacle/model"
	"binnacle/model/fleetmap"
	"binnacle/ui/command/cli"
)

// diagnosis is doctor's answer.
type diagnosis struct {
	OK       bool               `json:"ok"`
	Failed   int                `json:"failed"`
	Warnings int                `json:"warnings"`
	Findings []fleetmap.Finding `json:"findings"`
}

func doctor(r *cli.Run) *cobra.Command {
	renew := false
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Look at everything that the fleet rests on, and say what is wrong",
		Long: "Look at Git, the clocks, the tools' hooks, the notify command, the remote, the refs and the keys, and say\n" +
			"in words what is good, what is worth a look and what fails; then the exit status is 1. Nothing is changed.\n\n" +
			"With --new-name this machine gets another name: the way out of MACHINE_ID_CONFLICT, which comes from a\n" +
			"state folder that was copied to another machine.",
		Example: "  binnacle fleet doctor\n  binnacle fleet doctor | jq -r '.findings[] | select(.level==\"bad\").text'",
		Args:    cli.Takes(),
	}
	c.Flags().BoolVar(&renew, "new-name", false, "give this machine another name in the fleet")
	c.RunE = r.Runs(func(ctx context.Context, _ []string) error {
		how := cli.Reading
		if renew {
			how = cli.Writing
		}
		f, err := r.OpenFleet(ctx, how)
		if err != nil {
			return err
		}
		if renew {
			return renameMachine(r, f)
		}
		list, err := f.Doctor(ctx)
		if err != nil {
			return err
		}
		if f.Workspace == nil {
			list = append([]fleetmap.Finding{{
				Level: fleetmap.FindingWarn, What: "workspace", Text: "there is no workspace here, so hooks record nothing", Hint: "binnacle init",
			}}, list...)
		}
		d := diagnose(list)
		if err := r.Answer(d, func() error { return showDiagnosis(r, d, f.ASCII) }); err != nil || d.OK {
			return err
		}
		r.Quiet = true // the answer says what is wrong
		return model.Errorf(model.CodeRefused, "%d checks failed", d.Failed)
	})
	return c
}

func diagnose(list []fleetmap.Finding) diagnosis {
	d := diagnosis{Findings: cli.OrEmpty(list)}
	for _, f := range list {
		switch f.Level {
		case fleetmap.FindingBad:
			d.Failed++
		case fleetmap.FindingWarn:
			d.Warnings++
		}
	}
	d.OK = d.Failed == 0
	return d
}

// doctorMark is a level as a mark and a word: the mark is for the eye, the word
// for everybody else.
func doctorMark(level fleetmap.FindingLevel, ascii bool) string {
	marks := map[fleetmap.FindingLevel][3]string{
		fleetmap.FindingOK:   {"✓", "+", "good"},
		fleetmap.FindingInfo: {"·", "-", "note"},
		fleetmap.FindingWarn: {"!", "!", "look"},
		fleetmap.FindingBad:  {"✗", "x", "fails"},
	}
	m := marks[level]
	if ascii {
		return m[1] + " " + m[2]
	}
	return m[0] + " " + m[2]
}

func showDiagnosis(r *cli.Run, d diagnosis, ascii bool) error {
	pad := func(s string, wide int) string { return s + strings.Repeat(" ", max(0, wide-len([]rune(s)))) }
	for _, f := range d.Findings {
		head := pad(doctorMark(f.Level, ascii), 9) + pad(f.What, 11)
		if err := r.Say(head + f.Text); err != nil {
			return err
		}
		if f.Hint != "" {
			if err := r.Say(strings.Repeat(" ", 20) + f.Hint); err != nil {
				return err
			}
		}
	}
	switch {
	case d.Failed > 0:
		return r.Say(cli.Number(int64(d.Failed)) + " of these fail")
	case d.Warnings > 0:
		return r.Say("nothing fails; " + cli.Number(int64(d.Warnings)) + " are worth a look")
	}
	return r.Say("all is well")
}

func renameMachine(r *cli.Run, f *cli.Fleet) error {
	before := f.Machine()
	now, err := f.RenewMachine()
	if err != nil {
		return err
	}
	return r.Answer(map[string]string{"machine": now, "before": before}, func() error {
		return r.Say("this machine is " + now + " now, and was " + before + "; a cockpit that runs sees it when it is started again")
	})
}
