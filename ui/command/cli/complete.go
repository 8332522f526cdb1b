package cli

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

// CompletionContext ends when a shell has waited for as long as it does.
func CompletionContext(cmd *cobra.Command) (context.Context, context.CancelFunc) {
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	return context.WithTimeout(ctx, completeWithin)
}

// Complete asks the workspace for names. Whatever fails, there are just none:
// a shell's line is no place for errors.
func (r *Run) Complete(cmd *cobra.Command, ask func(context.Context, *Workspace) []string) ([]string, cobra.ShellCompDirective) {
	ctx, stop := CompletionContext(cmd)
	defer stop()
	w, err := r.Open(ctx, Reading)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return ask(ctx, w), cobra.ShellCompDirectiveNoFileComp
}

// CompleteTopics completes the first argument, or a flag, with topics.
func (r *Run) CompleteTopics(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return r.Complete(cmd, func(ctx context.Context, w *Workspace) []string {
		return w.Backend.Values(ctx, string(filter.FieldTopic))
	})
}

// CompleteKeys completes the first argument with the keys of records.
func (r *Run) CompleteKeys(kind model.Kind) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return r.Complete(cmd, func(ctx context.Context, w *Workspace) []string { return w.keys(ctx, kind) })
	}
}

// CompleteFilter completes the last part of a filter's text.
func (r *Run) CompleteFilter(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	names, directive := r.Complete(cmd, func(ctx context.Context, w *Workspace) []string {
		var out []string
		for _, s := range filter.Complete(typed, len(typed), func(field string) []string { return w.Backend.Values(ctx, field) }) {
			out = append(out, clean.Line(typed[:s.From]+s.Text))
		}
		return out
	})
	return names, directive | cobra.ShellCompDirectiveNoSpace
}

// keys lists the keys of records that can be acted on.
func (w *Workspace) keys(ctx context.Context, kind model.Kind) []string {
	var out []string
	snap, err := w.Backend.Snapshot(ctx)
	if err != nil {
		return nil
	}
	switch kind {
	case model.KindSignal:
		for _, s := range snap.Signals {
			out = append(out, Described(s.Key, s.State+": "+s.Summary))
		}
	case model.KindWork:
		for _, x := range snap.Work {
			out = append(out, Described(x.Key, x.Executor))
		}
	case model.KindDirective:
		for _, l := range snap.Lanes {
			for _, d := range l.Directives {
				out = append(out, Described(Itoa(d.ID), d.Status+": "+d.Summary()))
			}
		}
	}
	return out
}

// Described is a completion with the words that a shell shows beside it.
func Described(name, about string) string { return clean.Line(name) + "\t" + clean.Line(about) }

// VerbOf is the command of that name below cmd, nil where there is none.
func VerbOf(cmd *cobra.Command, name string) *cobra.Command {
	for _, c := range cmd.Commands() {
		if c.Name() == name || c.HasAlias(name) {
			return c
		}
	}
	return nil
}
