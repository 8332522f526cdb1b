package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/filter"
)

// completeWithin bounds what a completion may cost: a shell waits for it.
const completeWithin = time.Second

// complete asks the workspace for names. Whatever fails, there are just none:
// a shell's line is no place for errors.
func (a *app) complete(cmd *cobra.Command, ask func(context.Context, *workspace) []string) ([]string, cobra.ShellCompDirective) {
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, stop := context.WithTimeout(ctx, completeWithin)
	defer stop()
	w, err := a.open(ctx, reading)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return ask(ctx, w), cobra.ShellCompDirectiveNoFileComp
}

// completeTopics completes the first argument, or a flag, with topics.
func (a *app) completeTopics(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.complete(cmd, func(ctx context.Context, w *workspace) []string {
		return w.backend.Values(ctx, string(filter.FieldTopic))
	})
}

// completeKeys completes the first argument with the keys of records.
func (a *app) completeKeys(kind model.Kind) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.complete(cmd, func(ctx context.Context, w *workspace) []string { return w.keys(ctx, kind) })
	}
}

// completeFilter completes the last part of a filter's text.
func (a *app) completeFilter(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	names, directive := a.complete(cmd, func(ctx context.Context, w *workspace) []string {
		var out []string
		for _, s := range filter.Complete(typed, len(typed), func(field string) []string { return w.backend.Values(ctx, field) }) {
			out = append(out, clean.Line(typed[:s.From]+s.Text))
		}
		return out
	})
	return names, directive | cobra.ShellCompDirectiveNoSpace
}

// keys lists the keys of records that can be acted on.
func (w *workspace) keys(ctx context.Context, kind model.Kind) []string {
	var out []string
	snap, err := w.backend.Snapshot(ctx)
	if err != nil {
		return nil
	}
	switch kind {
	case model.KindSignal:
		for _, s := range snap.Signals {
			out = append(out, described(s.Key, s.State+": "+s.Summary))
		}
	case model.KindWork:
		for _, x := range snap.Work {
			out = append(out, described(x.Key, x.Executor))
		}
	case model.KindDirective:
		for _, l := range snap.Lanes {
			for _, d := range l.Directives {
				out = append(out, described(itoa(d.ID), d.Status+": "+d.Summary()))
			}
		}
	}
	return out
}

// described is a completion with the words that a shell shows beside it.
func described(name, about string) string { return clean.Line(name) + "\t" + clean.Line(about) }
