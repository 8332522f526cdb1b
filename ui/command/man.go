package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/ui/command/cli"
)

func manCommand(r *cli.Run) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "man",
		Short: "Print the manual page, or write a page for every command",
		Long: "Print binnacle's manual page, for man to show. With --dir, write one page for every command into that\n" +
			"folder, which is made when it is not there.",
		Example: "  binnacle man | man -l -\n  binnacle man --dir ~/.local/share/man/man1",
		Args:    cli.Takes(),
	}
	c.Flags().StringVar(&dir, "dir", "", "write binnacle.1, binnacle-ledger.1 … into this folder")
	c.RunE = r.Runs(func(context.Context, []string) error {
		if dir == "" {
			_, err := io.WriteString(r.Out, manPage(c.Root()))
			return err
		}
		dir := r.Path(dir)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return model.Errorf(model.CodeUsage, "the folder %s can't be made: %w", clean.Line(dir), err)
		}
		var names []string
		err := cli.EachCommand(c.Root(), func(cmd *cobra.Command) error {
			name := filepath.Join(dir, manName(cmd)+".1")
			names = append(names, name)
			if err := os.WriteFile(name, []byte(manPage(cmd)), 0o644); err != nil {
				return model.Errorf(model.CodeUsage, "the page %s can't be written: %w", clean.Line(name), err)
			}
			return nil
		})
		if err != nil {
			return err
		}
		return r.Answer(map[string]any{"dir": dir, "pages": len(names)}, func() error {
			return r.Say(fmt.Sprintf("%d pages in %s", len(names), dir))
		})
	})
	return c
}

func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage is a command's page in man(7)'s macros. It has no date, so that the
// same program always prints the same page.
func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	section := func(name string) { b.WriteString(".SH " + name + "\n") }
	b.WriteString(".TH \"" + roff(strings.ToUpper(manName(cmd))) + "\" \"1\" \"\" \"binnacle " + release + "\" \"Binnacle\"\n")
	section("NAME")
	b.WriteString(roff(manName(cmd)) + " \\- " + roff(cmd.Short) + "\n")
	section("SYNOPSIS")
	b.WriteString("\\fB" + roff(cmd.UseLine()) + "\\fR\n")
	section("DESCRIPTION")
	about := cmd.Long
	if about == "" {
		about = cmd.Short + "."
	}
	for i, p := range strings.Split(about, "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		b.WriteString(roff(p) + "\n")
	}
	manFlags(&b, "OPTIONS", cmd.NonInheritedFlags())
	manFlags(&b, "OPTIONS OF EVERY COMMAND", cmd.InheritedFlags())
	if cmd.Example != "" {
		section("EXAMPLES")
		b.WriteString(".nf\n" + roff(cmd.Example) + "\n.fi\n")
	}
	if !cmd.HasParent() {
		section("EXIT STATUS")
		b.WriteString("0 done; 1 a check failed or the operation was refused; 2 usage or validation; " +
			"3 nothing there to serve; 10 blocked.\n")
		section("ENVIRONMENT")
		b.WriteString("BINNACLE_WORKSPACE, BINNACLE_PRODUCER, BINNACLE_JSON (auto, always, never), NO_COLOR.\n")
	}
	var see []string
	if cmd.HasParent() {
		see = append(see, manName(cmd.Parent()))
	}
	for _, sub := range cmd.Commands() {
		if !sub.Hidden && sub.Name() != "help" {
			see = append(see, manName(sub))
		}
	}
	if len(see) > 0 {
		section("SEE ALSO")
		for i, name := range see {
			see[i] = "\\fB" + roff(name) + "\\fR(1)"
		}
		b.WriteString(strings.Join(see, ", ") + "\n")
	}
	return b.String()
}

func manFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	b.WriteString(".SH " + title + "\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name, about := pflag.UnquoteUsage(f)
		b.WriteString(".TP\n\\fB")
		if f.Shorthand != "" {
			b.WriteString(roff("-"+f.Shorthand) + "\\fR, \\fB")
		}
		b.WriteString(roff("--"+f.Name) + "\\fR")
		if name != "" {
			b.WriteString(" \\fI" + roff(name) + "\\fR")
		}
		b.WriteString("\n" + roff(about) + "\n")
	})
}

// roff escapes text so that man shows it as it is.
func roff(s string) string {
	s = strings.NewReplacer("\\", "\\e", "-", "\\-").Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = "\\&" + l
		}
	}
	return strings.Join(lines, "\n")
}
