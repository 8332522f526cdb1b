package ledger

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/ui/command/cli"
)

// kinds prints the contracts.
func kinds(r *cli.Run) *cobra.Command {
	c := &cobra.Command{
		Use:   "kinds [KIND]",
		Short: "Print the contract of every kind, as JSON Schema",
		Args:  cli.Takes("[KIND]"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return cli.KindNames(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.RunE = r.Runs(func(_ context.Context, args []string) error {
		all := model.Contracts()
		if len(args) == 1 {
			word := cli.Choice{Words: cli.KindNames()}
			if err := word.Set(args[0]); err != nil {
				return err
			}
			for _, k := range all {
				if string(k.Kind) == args[0] {
					all = []model.Contract{k}
				}
			}
		}
		if r.JSON {
			return r.WriteJSON(all)
		}
		var rows [][]string
		for _, k := range all {
			emit := "no"
			if k.Emit {
				emit = "yes"
			}
			rows = append(rows, []string{string(k.Kind), emit, k.Owner, k.Describe})
		}
		if err := r.Table([]cli.Column{{Name: "kind"}, {Name: "emit"}, {Name: "written by"}, {Name: "what it is"}}, rows); err != nil {
			return err
		}
		for _, k := range all {
			if _, err := io.WriteString(r.Out, "\n"+string(k.Kind)+"\n"+indented(k.Schema)+"\n"); err != nil {
				return err
			}
		}
		return nil
	})
	return c
}

// indented is JSON for people.
func indented(raw json.RawMessage) string {
	safe := clean.AppendJSON(nil, raw)
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(json.RawMessage(safe)); err != nil {
		return string(safe)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
