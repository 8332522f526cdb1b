package fleet

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend/fleet"
	"binnacle/model"
	"binnacle/model/fleetmap"
	"binnacle/model/session"
	"binnacle/ui/command/cli"
)

func status(r *cli.Run) *cobra.Command {
	cached := false
	c := &cobra.Command{
		Use:   "status",
		Short: "Fetch trunk and the live refs, and show the map",
		Long: "Fetch trunk, the machines' summaries, the executor logs and the changes, and show who works on what.\n" +
			"With --fleet, and with --read-only, nothing is fetched: the map is that of the last fetch, and says how old it is. When the\n" +
			"remote does not answer, the map of the last fetch is shown, and the exit status is 1. Without a remote, or a fetch,\n" +
			"it shows this machine's own sessions.",
		Example: "  binnacle fleet status\n  binnacle fleet status --fleet | jq -r '.sessions[] | [.machine,.agent,.state,.change] | @tsv'",
		Args:    cli.Takes(),
	}
	c.Flags().BoolVar(&cached, "fleet", false, "read the map of the last fetch, and fetch nothing")
	c.RunE = runs(r, cli.Reading, func(ctx context.Context, f *cli.Fleet, _ []string) error {
		if cached || r.Flags.ReadOnly {
			m, err := f.Map(ctx)
			if err != nil {
				return err
			}
			return r.Answer(m, func() error { return showMap(r, m, nil) })
		}
		m, fetched, err := f.Status(ctx)
		if err != nil {
			// The map of the last fetch, where there was one, is still worth a look.
			if m.FetchedAt != 0 && m.Blocked == "" || m.Unshared != "" {
				if e := r.Answer(m, func() error { return showMap(r, m, nil) }); e != nil {
					return e
				}
			}
			return err
		}
		answer, err := cli.Joined(m, "fetch", fetched)
		if err != nil {
			return err
		}
		return r.Answer(answer, func() error { return showMap(r, m, &fetched) })
	})
	return c
}

// showMap writes the map for people: what it is of and how old, the machines,
// the sessions.
func showMap(r *cli.Run, m fleetmap.Map, fetched *fleet.FetchReport) error {
	age := model.Ago(m.FetchAge)
	if m.Behind != nil && *m.Behind {
		age += ", so it is behind the remote; binnacle fleet status fetches"
	}
	lines := []string{"repository", m.Repo, "this machine", m.Machine, "fetched", age}
	if m.Unshared != "" {
		lines = []string{"this machine", m.Machine, "shared", "nothing: " + m.Unshared}
	}
	if m.Alarm != "" {
		lines = append(lines, "alarm", m.Alarm+"; no other machine is believed until binnacle fleet key accept")
	}
	if fetched != nil && len(fetched.Vanished) > 0 {
		lines = append(lines, "gone", strings.Join(fetched.Vanished, ", "))
	}
	if m.Truncated {
		lines = append(lines, "left out", leftOutText(m.LeftOut))
	}
	if err := r.Fields(append(lines, "note", m.Note)...); err != nil {
		return err
	}
	if len(m.Machines) == 0 && len(m.Sessions) == 0 {
		if m.Unshared != "" {
			return r.Say("no session is open here")
		}
		return r.Say("no machine has a summary there, and no session is open here")
	}
	if err := r.Say(""); err != nil {
		return err
	}
	if err := r.Table([]cli.Column{
		{Name: "machine"}, {Name: "age", Right: true}, {Name: "sessions", Right: true}, {Name: "signed by"}, {Name: "note"},
	}, machineRows(m.Machines)); err != nil || len(m.Sessions) == 0 {
		return err
	}
	if err := r.Say(""); err != nil {
		return err
	}
	return r.Table([]cli.Column{
		{Name: "machine"},
		{Name: "actor", Most: 24},
		{Name: "agent", Most: 16},
		{Name: "change", Most: 24},
		{Name: "state"},
		{Name: "age", Right: true},
		{Name: "event", Most: 24},
		{Name: "context", Right: true},
		{Name: "wrote", Most: 40},
		{Name: "note"},
	}, sessionRows(m.Sessions))
}

// leftOutText says that machines are left out, which is not: gone.
func leftOutText(n int) string {
	more := "machines"
	if n > 0 {
		more = cli.Number(int64(n)) + " more than the " + cli.Itoa(fleetmap.MaxMachines) + " that are read"
		return "the remote has " + more + "; binnacle fleet forget MACHINE removes a dead one"
	}
	return "the remote has more " + more + " than the " + cli.Itoa(fleetmap.MaxMachines) + " that are read"
}

func machineRows(list []fleetmap.Machine) [][]string {
	var out [][]string
	for _, m := range list {
		age, signer, notes := model.Age(m.Age), "", []string{}
		if m.Self {
			age, notes = "", append(notes, "this one")
		}
		if m.Signed {
			signer = m.Agent
		}
		if !m.Readable {
			notes = append(notes, "unreadable")
		}
		if m.Code != "" {
			notes = append(notes, string(m.Code)+": "+m.Why)
		}
		if m.Dropped > 0 {
			notes = append(notes, cli.Number(m.Dropped)+" more sessions did not fit")
		}
		if m.Skew >= time.Minute || m.Skew <= -time.Minute {
			way := " ahead"
			if m.Skew < 0 {
				way = " behind"
			}
			notes = append(notes, "its clock is "+model.Age(max(m.Skew, -m.Skew))+way)
		}
		out = append(out, []string{m.Machine, age, cli.Itoa(int64(m.Fresh)), signer, strings.Join(notes, "; ")})
	}
	return out
}

func sessionRows(list []fleetmap.Session) [][]string {
	var out [][]string
	for _, s := range list {
		if s.LiveRow == nil {
			continue
		}
		age, notes := model.Age(s.RowAge), []string{}
		if s.Reason != "" {
			age, notes = "", append(notes, s.Reason)
		}
		if s.Asks != "" {
			notes = append(notes, "asks: "+s.Asks)
		} else if s.Title != "" {
			notes = append(notes, s.Title)
		}
		if s.Behind != nil && *s.Behind {
			notes = append(notes, "trunk moved on")
		}
		wrote := s.LastWrite
		if wrote != "" {
			wrote += " " + model.Age(s.WrittenAge())
		}
		out = append(out, []string{
			s.Machine, s.Actor, s.Agent, s.Change, s.State, age, s.Event, contextUse(s.Ctx), wrote, strings.Join(notes, "; "),
		})
	}
	return out
}

// contextUse is how full a context is: in percent where its size is known.
func contextUse(c session.ContextUse) string {
	switch {
	case c.Used > 0 && c.Max > 0:
		return cli.Itoa(c.Used*100/c.Max) + " %"
	case c.Used >= 1000:
		return cli.Itoa(c.Used/1000) + "k"
	case c.Used > 0:
		return cli.Itoa(c.Used)
	}
	return ""
}
