package fleet

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"binnacle/backend/fleet/keys"
	"binnacle/model/clean"
	"binnacle/ui/command/cli"
)

// maxPublicKey bounds a public key's file, in bytes.
const maxPublicKey = 64 << 10

func key(r *cli.Run) *cobra.Command {
	return r.Group("key", "Whose key may sign for which agent",
		"The key registry, .bay/keys/allowed_signers. What counts is the registry at trunk's fetched tip, never the\n"+
			"work tree's: a key counts once its line has landed. With a registry, a summary that its named agent did\n"+
			"not sign lists no sessions.",
		keyNew(r), keyAdd(r), keyRemove(r), keyList(r), keyAccept(r),
	)
}

func keyNew(r *cli.Run) *cobra.Command {
	c := &cobra.Command{
		Use: "new AGENT", Short: "Make a key for an agent in your state folder, unless there is one",
		Long: "Make an ed25519 key for an agent in your state folder, unless there is one, and print its public line.\n" +
			"The private half never leaves that folder. [fleet] agent = \"AGENT\" in config.toml signs with it.",
		Example: "  binnacle fleet key new builder", Args: cli.Takes("AGENT"),
	}
	c.RunE = runs(r, cli.Writing, func(_ context.Context, f *cli.Fleet, args []string) error {
		line, err := f.KeyNew(args[0])
		if err != nil {
			return err
		}
		return r.Answer(map[string]string{"agent": args[0], "line": line}, func() error { return r.Say(line) })
	})
	return c
}

func keyAdd(r *cli.Run) *cobra.Command {
	c := &cobra.Command{
		Use:   "add AGENT [PUBLIC…]",
		Short: "Put an agent's public key into this work tree's registry",
		Long: "Put an agent's public key into this work tree's registry. PUBLIC is the line of a .pub file, the file's\n" +
			"name, or - for stdin; without it, a key is made as key new does. Committing and landing the file is left to\n" +
			"you.",
		Example: "  binnacle fleet key add builder\n  binnacle fleet key add reviewer ~/.ssh/id_ed25519.pub",
		Args:    cli.Takes("AGENT", "[PUBLIC…]"), ValidArgsFunction: completeAgents(r),
	}
	c.RunE = runs(r, cli.Writing, func(_ context.Context, f *cli.Fleet, args []string) error {
		public, err := publicKey(r, args[1:])
		if err != nil {
			return err
		}
		k, err := f.KeyAdd(args[0], public)
		if err != nil {
			return err
		}
		return r.Answer(k, func() error {
			return r.Say("the key " + k.Fingerprint + " of " + k.Agent + " stands in the registry; it counts once that is landed")
		})
	})
	return c
}

// publicKey is a key's line: as it is written, or from a file or stdin.
func publicKey(r *cli.Run, args []string) (string, error) {
	if len(args) != 1 {
		return strings.Join(args, " "), nil // none, or a line that the shell took apart
	}
	if strings.Contains(args[0], " ") {
		return args[0], nil
	}
	from := r.Env.Stdin
	if args[0] != "-" {
		file, err := os.Open(r.Path(args[0]))
		if err != nil {
			return "", cli.Usage("the public key can't be read: %w", err).WithHint("pass the line of a .pub file, or the file's name")
		}
		defer func() { _ = file.Close() }()
		from = clean.WithoutBOM(file)
	}
	text, err := io.ReadAll(io.LimitReader(from, maxPublicKey))
	if err != nil {
		return "", cli.Usage("the public key can't be read: %w", err)
	}
	if strings.TrimSpace(string(text)) == "" {
		return "", cli.Usage("there is no public key in %s", clean.Line(args[0]))
	}
	return string(text), nil
}

func keyRemove(r *cli.Run) *cobra.Command {
	fingerprint := ""
	c := &cobra.Command{
		Use: "remove AGENT", Short: "Take an agent's keys out of this work tree's registry",
		Example: "  binnacle fleet key remove builder --fingerprint SHA256:…", Args: cli.Takes("AGENT"),
		ValidArgsFunction: completeAgents(r),
	}
	c.Flags().StringVar(&fingerprint, "fingerprint", "", "only this one of its keys")
	c.RunE = runs(r, cli.Writing, func(_ context.Context, f *cli.Fleet, args []string) error {
		n, err := f.KeyRemove(args[0], fingerprint)
		if err != nil {
			return err
		}
		return r.Answer(map[string]any{"agent": args[0], "removed": n}, func() error {
			return r.Say(cli.Number(int64(n)) + " of " + args[0] + "'s keys left the registry; that counts once it is landed")
		})
	})
	return c
}

func keyList(r *cli.Run) *cobra.Command {
	c := &cobra.Command{
		Use: "list", Short: "List the registry that counts, and this work tree's", Example: "  binnacle fleet key list", Args: cli.Takes(),
	}
	c.RunE = runs(r, cli.Reading, func(ctx context.Context, f *cli.Fleet, _ []string) error {
		reg, err := f.KeyList(ctx)
		if err != nil {
			return err
		}
		return r.Answer(reg, func() error { return showKeys(r, reg) })
	})
	return c
}

func showKeys(r *cli.Run, reg keys.Registry) error {
	if reg.Fault != "" {
		if err := r.Say("! " + reg.Fault); err != nil {
			return err
		}
	}
	if len(reg.Trunk)+len(reg.Here) == 0 {
		return r.Say("there is no registry: summaries need no signature")
	}
	counts := map[keys.Key]bool{}
	var rows [][]string
	for _, k := range reg.Trunk {
		counts[k] = true
		rows = append(rows, []string{k.Agent, k.Fingerprint, "counts"})
	}
	here := map[keys.Key]bool{}
	for _, k := range reg.Here {
		here[k] = true
		if !counts[k] {
			rows = append(rows, []string{k.Agent, k.Fingerprint, "only here: not landed, or not fetched"})
		}
	}
	for i, k := range reg.Trunk {
		if !here[k] {
			rows[i][2] = "counts, but is not in this work tree"
		}
	}
	return r.Table([]cli.Column{{Name: "agent"}, {Name: "fingerprint"}, {Name: "state"}}, rows)
}

func keyAccept(r *cli.Run) *cobra.Command {
	yes := false
	c := &cobra.Command{
		Use:   "accept",
		Short: "Accept trunk's registry after it vanished, or after trunk was rewound",
		Long: "A registry that was on trunk once is remembered. When it is gone, or trunk does not go on from it, that is an\n" +
			"alarm, and no other machine's sessions are listed: whoever can rewind trunk could otherwise sign as anybody.\n" +
			"This says what would be accepted, and accepts it on a yes; where nobody can be asked, --yes is needed.",
		Example: "  binnacle fleet key accept", Args: cli.Takes(),
	}
	c.Flags().BoolVar(&yes, "yes", false, "accept it without being asked")
	c.RunE = runs(r, cli.Writing, func(ctx context.Context, f *cli.Fleet, _ []string) error {
		x, err := f.KeyChanged(ctx)
		if err != nil {
			return err
		}
		was, now := "keys of "+strings.Join(x.Was.Agents, ", ")+", seen at "+short(x.Was.Trunk), "no registry: every summary is believed"
		if x.Now.Blob != "" {
			now = "keys of " + strings.Join(x.Now.Agents, ", ")
		}
		now += ", at " + short(x.Now.Trunk)
		if !r.JSON {
			if err := r.Fields("alarm", x.Alarm, "was", was, "would be", now); err != nil {
				return err
			}
		}
		if ok, err := r.Agreed(yes, "Accept "+now+"?"); err != nil || !ok {
			return err
		}
		if err := f.KeyAccept(ctx, x); err != nil {
			return err
		}
		return r.Answer(x, func() error { return r.Say("accepted") })
	})
	return c
}
