package command

import (
	"context"
	"io"
	"os"
	"strings"

	"binnacle/backend/fleet/keys"
	"binnacle/model/clean"

	"github.com/spf13/cobra"
)

// maxPublicKey bounds a public key's file, in bytes.
const maxPublicKey = 64 << 10

func (a *app) fleetKey() *cobra.Command {
	return a.group("key", "Whose key may sign for which agent",
		"The key registry, .bay/keys/allowed_signers. What counts is the registry at trunk's fetched tip, never the\n"+
			"work tree's: a key counts once its line has landed. With a registry, a summary that its named agent did\n"+
			"not sign lists no sessions.",
		a.keyNew(), a.keyAdd(), a.keyRemove(), a.keyList(), a.keyAccept(),
	)
}

func (a *app) keyNew() *cobra.Command {
	c := &cobra.Command{
		Use: "new AGENT", Short: "Make a key for an agent in your state folder, unless there is one",
		Long: "Make an ed25519 key for an agent in your state folder, unless there is one, and print its public line.\n" +
			"The private half never leaves that folder. [fleet] agent = \"AGENT\" in config.toml signs with it.",
		Example: "  binnacle fleet key new builder", Args: takes("AGENT"),
	}
	c.RunE = a.fleetRuns(writing, func(_ context.Context, f *fleetPlace, args []string) error {
		line, err := f.KeyNew(args[0])
		if err != nil {
			return err
		}
		return a.answer(map[string]string{"agent": args[0], "line": line}, func() error { return a.say(line) })
	})
	return c
}

func (a *app) keyAdd() *cobra.Command {
	c := &cobra.Command{
		Use:   "add AGENT [PUBLIC…]",
		Short: "Put an agent's public key into this work tree's registry",
		Long: "Put an agent's public key into this work tree's registry. PUBLIC is the line of a .pub file, the file's\n" +
			"name, or - for stdin; without it, a key is made as key new does. Committing and landing the file is left to\n" +
			"you.",
		Example: "  binnacle fleet key add builder\n  binnacle fleet key add reviewer ~/.ssh/id_ed25519.pub",
		Args:    takes("AGENT", "[PUBLIC…]"), ValidArgsFunction: a.completeAgents,
	}
	c.RunE = a.fleetRuns(writing, func(_ context.Context, f *fleetPlace, args []string) error {
		public, err := a.publicKey(args[1:])
		if err != nil {
			return err
		}
		k, err := f.KeyAdd(args[0], public)
		if err != nil {
			return err
		}
		return a.answer(k, func() error {
			return a.say("the key " + k.Fingerprint + " of " + k.Agent + " stands in the registry; it counts once that is landed")
		})
	})
	return c
}

// publicKey is a key's line: as it is written, or from a file or stdin.
func (a *app) publicKey(args []string) (string, error) {
	if len(args) != 1 {
		return strings.Join(args, " "), nil // none, or a line that the shell took apart
	}
	if strings.Contains(args[0], " ") {
		return args[0], nil
	}
	from := a.env.Stdin
	if args[0] != "-" {
		file, err := os.Open(a.path(args[0]))
		if err != nil {
			return "", usage("the public key can't be read: %w", err).WithHint("pass the line of a .pub file, or the file's name")
		}
		defer func() { _ = file.Close() }()
		from = clean.WithoutBOM(file)
	}
	text, err := io.ReadAll(io.LimitReader(from, maxPublicKey))
	if err != nil {
		return "", usage("the public key can't be read: %w", err)
	}
	if strings.TrimSpace(string(text)) == "" {
		return "", usage("there is no public key in %s", clean.Line(args[0]))
	}
	return string(text), nil
}

func (a *app) keyRemove() *cobra.Command {
	fingerprint := ""
	c := &cobra.Command{
		Use: "remove AGENT", Short: "Take an agent's keys out of this work tree's registry",
		Example: "  binnacle fleet key remove builder --fingerprint SHA256:…", Args: takes("AGENT"),
		ValidArgsFunction: a.completeAgents,
	}
	c.Flags().StringVar(&fingerprint, "fingerprint", "", "only this one of its keys")
	c.RunE = a.fleetRuns(writing, func(_ context.Context, f *fleetPlace, args []string) error {
		n, err := f.KeyRemove(args[0], fingerprint)
		if err != nil {
			return err
		}
		return a.answer(map[string]any{"agent": args[0], "removed": n}, func() error {
			return a.say(number(int64(n)) + " of " + args[0] + "'s keys left the registry; that counts once it is landed")
		})
	})
	return c
}

func (a *app) keyList() *cobra.Command {
	c := &cobra.Command{
		Use: "list", Short: "List the registry that counts, and this work tree's", Example: "  binnacle fleet key list", Args: takes(),
	}
	c.RunE = a.fleetRuns(reading, func(ctx context.Context, f *fleetPlace, _ []string) error {
		r, err := f.KeyList(ctx)
		if err != nil {
			return err
		}
		return a.answer(r, func() error { return a.showKeys(r) })
	})
	return c
}

func (a *app) showKeys(r keys.Registry) error {
	if r.Fault != "" {
		if err := a.say("! " + r.Fault); err != nil {
			return err
		}
	}
	if len(r.Trunk)+len(r.Here) == 0 {
		return a.say("there is no registry: summaries need no signature")
	}
	counts := map[keys.Key]bool{}
	var rows [][]string
	for _, k := range r.Trunk {
		counts[k] = true
		rows = append(rows, []string{k.Agent, k.Fingerprint, "counts"})
	}
	here := map[keys.Key]bool{}
	for _, k := range r.Here {
		here[k] = true
		if !counts[k] {
			rows = append(rows, []string{k.Agent, k.Fingerprint, "only here: not landed, or not fetched"})
		}
	}
	for i, k := range r.Trunk {
		if !here[k] {
			rows[i][2] = "counts, but is not in this work tree"
		}
	}
	return a.table([]column{{name: "agent"}, {name: "fingerprint"}, {name: "state"}}, rows)
}

func (a *app) keyAccept() *cobra.Command {
	yes := false
	c := &cobra.Command{
		Use:   "accept",
		Short: "Accept trunk's registry after it vanished, or after trunk was rewound",
		Long: "A registry that was on trunk once is remembered. When it is gone, or trunk does not go on from it, that is an\n" +
			"alarm, and no other machine's sessions are listed: whoever can rewind trunk could otherwise sign as anybody.\n" +
			"This says what would be accepted, and accepts it on a yes; where nobody can be asked, --yes is needed.",
		Example: "  binnacle fleet key accept", Args: takes(),
	}
	c.Flags().BoolVar(&yes, "yes", false, "accept it without being asked")
	c.RunE = a.fleetRuns(writing, func(ctx context.Context, f *fleetPlace, _ []string) error {
		x, err := f.KeyChanged(ctx)
		if err != nil {
			return err
		}
		was, now := "keys of "+strings.Join(x.Was.Agents, ", ")+", seen at "+short(x.Was.Trunk), "no registry: every summary is believed"
		if x.Now.Blob != "" {
			now = "keys of " + strings.Join(x.Now.Agents, ", ")
		}
		now += ", at " + short(x.Now.Trunk)
		if !a.json {
			if err := a.fields("alarm", x.Alarm, "was", was, "would be", now); err != nil {
				return err
			}
		}
		if ok, err := a.agreed(yes, "Accept "+now+"?"); err != nil || !ok {
			return err
		}
		if err := f.KeyAccept(ctx, x); err != nil {
			return err
		}
		return a.answer(x, func() error { return a.say("accepted") })
	})
	return c
}
