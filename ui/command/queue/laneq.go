package queue

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/ui/command/cli"
)

// What binnacle queue keeps of laneq besides its verbs: its exit statuses, and
// no silence about settings of its that mean another place.

// Bare says whether the arguments of the program are a verb whose answer is text
// also where stdout gets JSON.
func Bare(args []string) bool {
	return len(args) > 1 && args[0] == "queue" && (args[1] == "next" || args[1] == "peek")
}

// runs wraps the code of one of laneq's verbs.
func runs(r *cli.Run, fn cli.Action) func(*cobra.Command, []string) error {
	return refuses(r)(func(ctx context.Context, args []string) error {
		if err := elsewhere(r); err != nil {
			return err
		}
		return fn(ctx, args)
	})
}

// runsBare is runs for a verb whose answer is text also where stdout gets JSON.
func runsBare(r *cli.Run, fn cli.Action) func(*cobra.Command, []string) error {
	return refuses(r)(func(ctx context.Context, args []string) error {
		r.Bare = true
		if err := elsewhere(r); err != nil {
			return err
		}
		return fn(ctx, args)
	})
}

// refuses wraps code whose refusals exit as laneq's do.
func refuses(r *cli.Run) cli.Wrap {
	return func(fn cli.Action) func(*cobra.Command, []string) error {
		return r.Runs(func(ctx context.Context, args []string) error { return refusal(fn(ctx, args)) })
	}
}

// elsewhere refuses laneq's variables that say where its queue is.
func elsewhere(r *cli.Run) error {
	names := []string{"LANEQ_DB"}
	if r.Env.Environ != nil {
		for _, v := range r.Env.Environ() {
			if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "CODEX_Q_") {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		v := r.Env.Getenv(name)
		if v == "" {
			continue
		}
		return cli.Usage("%s names laneq's own queue, which is not this one", clean.Line(name)).
			WithHint("binnacle ledger import PATH brings its directives here, and BINNACLE_WORKSPACE says which workspace is meant; then unset %s", clean.Line(name))
	}
	return nil
}

// refusal gives a refusal of laneq's own validation its exit status, 1: the
// command was read, and what it asks for can't be. What can't be read at all
// exits with 2 in both programs, and so does what laneq has no word for.
func refusal(err error) error {
	var e *model.Error
	if !errors.As(err, &e) || e.Code != model.CodeInvalid {
		return err
	}
	c := *e
	c.Code = model.CodeRefused
	return &c
}

// getenv is the first variable of the environment that is set, by its
// BINNACLE_ name or laneq's.
func getenv(r *cli.Run, name string) string {
	if v := r.Env.Getenv("BINNACLE_" + name); v != "" {
		return v
	}
	return r.Env.Getenv("LANEQ_" + name)
}

// seconds reads a variable that holds seconds.
func seconds(r *cli.Run, name string, otherwise time.Duration) (time.Duration, error) {
	v := getenv(r, name)
	if v == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(v, 10, 32)
	if err != nil || n < 1 {
		return 0, cli.Usage("%s is %q, which is not a number of seconds", name, clean.Line(v)).WithHint("it is read from BINNACLE_%s and LANEQ_%s", name, name)
	}
	return time.Duration(n) * time.Second, nil
}
