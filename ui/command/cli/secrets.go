package cli

import (
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/redact"
)

// SecretFlags are the two ways on for a text that looks like it holds a secret.
func SecretFlags(c *cobra.Command, to *redact.Secrets) {
	for _, way := range []struct {
		name, help string
		as         redact.Secrets
	}{
		{"redact", "put marks in the place of what looks like a secret", redact.SecretsRedact},
		{"allow-secret", "keep what looks like a secret; it can't be taken out later", redact.SecretsAllow},
	} {
		f := c.Flags().VarPF(&secretFlag{to, way.as}, way.name, "", way.help)
		f.NoOptDefVal = "true"
	}
	c.MarkFlagsMutuallyExclusive("redact", "allow-secret")
}

// secretFlag is one of them: a bool that sets its way.
type secretFlag struct {
	to *redact.Secrets
	as redact.Secrets
}

func (f *secretFlag) String() string {
	if f.to == nil {
		return "false"
	}
	return strconv.FormatBool(*f.to == f.as)
}

func (f *secretFlag) Set(text string) error {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return model.Errorf(model.CodeUsage, "%q is neither true nor false", clean.Line(text))
	}
	if on {
		*f.to = f.as
	}
	return nil
}

func (*secretFlag) Type() string { return "bool" }

// SayRedacted tells whoever emits that the payload was changed.
func (r *Run) SayRedacted(rules []string) {
	if len(rules) > 0 {
		_, _ = io.WriteString(r.Env.Stderr, "binnacle: what looks like a secret was replaced ("+clean.Line(strings.Join(rules, ", "))+"); --allow-secret keeps it\n")
	}
}
