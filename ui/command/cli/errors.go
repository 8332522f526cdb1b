package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"binnacle/model"
	"binnacle/model/clean"
)

// errClosedPipe is the cause of a context that ended because nobody reads
// stdout any more.
var errClosedPipe = errors.New("the reader of the output went away")

// Signalled is the cause of a context that a signal ended.
type Signalled struct{ os.Signal }

func (s Signalled) Error() string { return "ended by " + s.Signal.String() }

// status is the exit status of a process that the signal ended.
func (s Signalled) status() int {
	if n, ok := s.Signal.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return 1
}

// Usage makes the refusal of a wrong flag or argument.
func Usage(format string, args ...any) *model.Error {
	return model.Errorf(model.CodeUsage, format, args...)
}

// FlagError says in one sentence what is wrong with a flag, and which one may
// have been meant.
func FlagError(cmd *cobra.Command, err error) error {
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
			return Usage("%s takes no negative number: -%s", cmd.CommandPath(), clean.Line(s)).WithHint("%s", help)
		}
		dashes := "--"
		if unknown.GetSpecifiedShortnames() != "" {
			dashes = "-"
		}
		e := Usage("%s has no flag %s%s", cmd.CommandPath(), dashes, clean.Line(name))
		var names []string
		visit := func(f *pflag.Flag) { names = append(names, f.Name) }
		cmd.Flags().VisitAll(visit)
		cmd.InheritedFlags().VisitAll(visit)
		if near := nearest(name, names); near != "" && dashes == "--" {
			return e.WithHint("did you mean --%s?", near)
		}
		return e.WithHint("%s", help)
	case errors.As(err, &missing):
		return Usage("the flag --%s needs a value", missing.GetFlag().Name).WithHint("%s", help)
	case errors.As(err, &value):
		inner := value.Unwrap()
		var coded *model.Error
		if errors.As(inner, &coded) {
			return Usage("--%s: %s", value.GetFlag().Name, coded.Message).WithHint("%s", coded.Hint)
		}
		return Usage("--%s: %q is %s", value.GetFlag().Name, clean.Line(value.GetValue()), noValue(value.GetFlag().Value.Type(), value.GetValue())).
			WithHint("%s", help)
	}
	return Usage("%s", clean.Line(err.Error())).WithHint("%s", help)
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
	return Usage("%s exclude each other", strings.Join(flags, " and "))
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
		if line, jsonErr := JSONLine(f); jsonErr == nil {
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

// cobraError gives an error of the argument parser its code.
func cobraError(err error) error {
	var coded *model.Error
	if errors.As(err, &coded) {
		return err
	}
	if m := exclusive().FindStringSubmatch(err.Error()); m != nil {
		return exclude(strings.Fields(m[1]))
	}
	return Usage("%s", clean.Line(err.Error())).WithHint("binnacle --help lists the commands")
}
