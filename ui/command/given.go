package command

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

// mayBeEmpty are the flags of text that say something when they are empty, or
// that their command refuses in words of its own.
// The scripts of the fleet pass on what a tool did not tell.
var mayBeEmpty = []string{
	"body", "claim-token", "evidence", "filter", "reason", "session", "text", "title", "token", "why",
}

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
		if value == "" && !slices.Contains(mayBeEmpty, f.Name) {
			return usage("--%s is empty", f.Name).WithHint("leave the flag out where it has nothing to say")
		}
	case "int":
		if value[0] == '-' {
			return usage("--%s must not be negative", f.Name)
		}
	case "int64":
		if slices.Contains(leastNumber, f.Name) && (value == "0" || value[0] == '-') {
			return usage("--%s is %s, and begins with 1", f.Name, value)
		}
		if f.Name == "parent" && (value == "0" || value[0] == '-') {
			return model.Errorf(model.CodeNotFound, "no directive #%s", value)
		}
		if f.Name == "lease-seconds" && (value == "0" || value[0] == '-') {
			return tooShort("--"+f.Name, 0)
		}
	case "duration":
		d, ok := f.Value.(*span)
		switch {
		case !ok || slices.Contains(mayBeZero, f.Name):
		case f.Name == "lease" && time.Duration(*d) < ledger.MinLease:
			return tooShort("--lease", time.Duration(*d))
		case *d == 0:
			return usage("--%s is not a length of time", f.Name).WithHint("write it like 90s, 45m, 2h30m, 1d or 2w")
		}
	}
	return nil
}

func tooShort(flag string, d time.Duration) error {
	return usage("a lease of %s is too short (%s)", d, flag).WithHint("leases last from one second to 30 days, e.g. 45m")
}
