package cli

import (
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"binnacle/backend/ledger"
	"binnacle/model"
)

// A flag that was given says something: nothing and 0 are values, and not the
// same as leaving the flag away. Where such a value can mean nothing, it is
// refused here, once for all commands, before anything is opened.

// mayBeEmpty are the flags of text that MayBeEmpty is true for.
// The scripts of the fleet pass on what a tool did not tell.
var mayBeEmpty = []string{
	"body", "claim-token", "evidence", "filter", "reason", "session", "text", "title", "token", "why",
}

// MayBeEmpty says whether a flag of text says something when it is empty, or its
// command refuses that in words of its own.
func MayBeEmpty(flag string) bool { return slices.Contains(mayBeEmpty, flag) }

// mayBeZero are the spans for which 0 means what it says.
var mayBeZero = []string{"grace", "reap-stale-seconds", "retry-after", "stale-seconds", "wait"}

// leastNumber are the numbers that begin with 1.
var leastNumber = []string{"causation", "if-rev"}

// checkGiven refuses flags that were given and say nothing.
func checkGiven(cmd *cobra.Command) error {
	var wrong error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if wrong == nil {
			wrong = checkFlag(f)
		}
	})
	return wrong
}

func checkFlag(f *pflag.Flag) error {
	value := f.Value.String()
	switch f.Value.Type() {
	case "string":
		if value == "" && !MayBeEmpty(f.Name) {
			return Usage("--%s is empty", f.Name).WithHint("leave the flag out where it has nothing to say")
		}
	case "int":
		if value[0] == '-' {
			return Usage("--%s must not be negative", f.Name)
		}
	case "int64":
		if slices.Contains(leastNumber, f.Name) && (value == "0" || value[0] == '-') {
			return Usage("--%s is %s, and begins with 1", f.Name, value)
		}
		if f.Name == "parent" && (value == "0" || value[0] == '-') {
			return model.Errorf(model.CodeNotFound, "no directive #%s", value)
		}
		if f.Name == "lease-seconds" && (value == "0" || value[0] == '-') {
			return tooShort("--"+f.Name, 0)
		}
	case "duration":
		d, ok := f.Value.(*Span)
		switch {
		case !ok || slices.Contains(mayBeZero, f.Name):
		case f.Name == "lease" && time.Duration(*d) < ledger.MinLease:
			return tooShort("--lease", time.Duration(*d))
		case *d == 0:
			return Usage("--%s is not a length of time", f.Name).WithHint("write it like 90s, 45m, 2h30m, 1d or 2w")
		}
	}
	return nil
}

func tooShort(flag string, d time.Duration) error {
	return Usage("a lease of %s is too short (%s)", d, flag).WithHint("leases last from one second to 30 days, e.g. 45m")
}

// Flags are the ones that every command takes.
type Flags struct {
	Workspace string
	json      bool
	noJSON    bool
	timeout   Span
	ReadOnly  bool
	ASCII     bool
	Theme     string
}

// PersistentFlags are the flags of every command.
func (r *Run) PersistentFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&r.Flags.Workspace, "workspace", "", "the project, or its .binnacle folder (default: found upward from here)")
	f.BoolVar(&r.Flags.json, "json", false, "write JSON, also to a terminal")
	f.BoolVar(&r.Flags.noJSON, "no-json", false, "write for people, also to a pipe")
	f.Var(&r.Flags.timeout, "timeout", "give up after this long, e.g. 5 (seconds) or 2m")
	f.BoolVar(&r.Flags.ReadOnly, "read-only", false, "refuse every change")
	f.BoolVar(&r.Flags.ASCII, "ascii", false, "draw with plain ASCII")
	f.StringVar(&r.Flags.Theme, "theme", "", "auto, dark, light, ansi, mono, or a theme of yours")
	_ = root.RegisterFlagCompletionFunc("theme", cobra.FixedCompletions(
		[]string{"auto", "dark", "light", "ansi", "mono"}, cobra.ShellCompDirectiveNoFileComp))
}
