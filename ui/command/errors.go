package command

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/ui/screen"
)

// errClosedPipe is the cause of a context that ended because nobody reads
// stdout any more.
var errClosedPipe = errors.New("the reader of the output went away")

// signalled is the cause of a context that a signal ended.
type signalled struct{ os.Signal }

func (s signalled) Error() string { return "ended by " + s.Signal.String() }

// left says how the cockpit was left. A signal that the terminal heard of first
// is made what it is for every other command: which of the two hears of it
// first is chance. A panic has been told by the guard that restored the
// terminal.
func (a *app) left(err error) error {
	var s screen.SignalError
	if errors.As(err, &s) {
		return signalled{s.Signal}
	}
	var crash *screen.Crash
	a.quiet = a.quiet || errors.As(err, &crash)
	return err
}

// status is the exit status of a process that the signal ended.
func (s signalled) status() int {
	if n, ok := s.Signal.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return 1
}

// usage makes the refusal of a wrong flag or argument.
func usage(format string, args ...any) *model.Error {
	return model.Errorf(model.CodeUsage, format, args...)
}

// flagError says in one sentence what is wrong with a flag, and which one may
// have been meant.
func flagError(cmd *cobra.Command, err error) error {
	var (
		unknown *pflag.NotExistError
		missing *pflag.ValueRequiredError
		value   *pflag.InvalidValueError
	)
	help := cmd.CommandPath() + " --help lists the flags"
	switch {
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		if s := unknown.GetSpecifiedShortnames(); s != "" && s[0] >= '0' && s[0] <= '9' {
			return usage("%s takes no negative number: -%s", cmd.CommandPath(), clean.Line(s)).WithHint("%s", help)
		}
		dashes := "--"
		if unknown.GetSpecifiedShortnames() != "" {
			dashes = "-"
		}
		e := usage("%s has no flag %s%s", cmd.CommandPath(), dashes, clean.Line(name))
		var names []string
		visit := func(f *pflag.Flag) { names = append(names, f.Name) }
		cmd.Flags().VisitAll(visit)
		cmd.InheritedFlags().VisitAll(visit)
		if near := nearest(name, names); near != "" && dashes == "--" {
			return e.WithHint("did you mean --%s?", near)
		}
		return e.WithHint("%s", help)
	case errors.As(err, &missing):
		return usage("the flag --%s needs a value", missing.GetFlag().Name).WithHint("%s", help)
	case errors.As(err, &value):
		inner := value.Unwrap()
		var coded *model.Error
		if errors.As(inner, &coded) {
			return usage("--%s: %s", value.GetFlag().Name, coded.Message).WithHint("%s", coded.Hint)
		}
		return usage("--%s: %q is %s", value.GetFlag().Name, clean.Line(value.GetValue()), noValue(value.GetFlag().Value.Type(), value.GetValue())).
			WithHint("%s", help)
	}
	return usage("%s", clean.Line(err.Error())).WithHint("%s", help)
}

// noValue says in our words why a text is no value of pflag's type.
func noValue(kind, text string) string {
	switch {
	case kind == "bool":
		return "neither true nor false"
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		if _, err := strconv.ParseInt(text, 0, 64); errors.Is(err, strconv.ErrRange) {
			return "a number out of range"
		}
		return "not a whole number"
	}
	return "not a value of the type " + kind
}

// exclusive are cobra's words for flags that exclude each other.
var exclusive = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^if any flags in the group \[.*\] are set none of the others can be; \[(.*)\] were all set$`)
})

// exclude says it in ours, as laneq does where it has the case.
func exclude(flags []string) error {
	slices.Sort(flags)
	for i := range flags {
		flags[i] = "--" + flags[i]
	}
	if strings.Join(flags, " ") == "--for --until" {
		return model.Errorf(model.CodeRefused, "use either --until or --for, not both")
	}
	return usage("%s exclude each other", strings.Join(flags, " and "))
}

// nearest returns the name that is at most two edits away from what was
// written (ties by name), or "".
func nearest(written string, names []string) string {
	sort.Strings(names)
	best, at := "", 3
	for _, n := range names {
		if d := distance(written, n); d < at && d < len(n) {
			best, at = n, d
		} else if len(written) > 2 && strings.HasPrefix(n, written) && at > 1 {
			best, at = n, 1
		}
	}
	return best
}

// distance is the number of edits (insert, delete, replace, swap of
// neighbours) between two names.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// told is what an error says. One that no part of the program gave its own words
// is told with the file that it is about.
func told(err error) string {
	var known *model.Error
	if errors.As(err, &known) {
		return err.Error()
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return model.Errorf(model.CodeInternal, "the file %s: %w", path.Path, err).Message
	}
	return model.Errorf(model.CodeInternal, "%w", err).Message
}

// report writes err to w: for people, or as one JSON object.
func report(w io.Writer, err error, asJSON bool) {
	f := model.Error{Code: model.CodeOf(err), Message: clean.Line(told(err)), Hint: clean.Line(model.HintOf(err))}
	if asJSON {
		if line, jsonErr := jsonLine(f); jsonErr == nil {
			_, _ = w.Write(line)
		}
		return
	}
	var b strings.Builder
	b.WriteString("binnacle: " + f.Message + "\n")
	if f.Hint != "" {
		b.WriteString("  hint: " + f.Hint + "\n")
	}
	_, _ = io.WriteString(w, b.String())
}

// cause turns an error that is only the echo of an ended context into what
// ended it.
func cause(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	why := context.Cause(ctx)
	echo := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if code := model.CodeOf(err); code == model.CodeCancelled || code == model.CodeTimeout {
		echo = true
	}
	if echo && why != nil {
		return why
	}
	return err
}
