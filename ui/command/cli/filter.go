package cli

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/filter"
)

// KindNames are the kinds of events, in the order in which they are shown.
func KindNames() []string {
	var out []string
	for _, k := range model.Kinds() {
		out = append(out, string(k))
	}
	return out
}

// FilterFlags are the filter language, and its commonest clauses as flags.
type FilterFlags struct {
	Filter           string
	kind, topic, key []string
}

// Add adds the flags to a command.
func (f *FilterFlags) Add(r *Run, c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.Filter, "filter", "", "only matching events, e.g. 'kind:signal topic:build/* -word'")
	fl.StringSliceVar(&f.kind, "kind", nil, "only events of this kind (may be repeated)")
	fl.StringArrayVar(&f.topic, "topic", nil, "only events of this topic; * and ? may stand in it")
	fl.StringArrayVar(&f.key, "key", nil, "only events about this record")
	_ = c.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(KindNames(), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("topic", r.CompleteTopics)
	_ = c.RegisterFlagCompletionFunc("filter", r.CompleteFilter)
}

// Text joins the flags into one text of the filter language.
func (f *FilterFlags) Text() (string, error) {
	return filterText(f.Filter, clause{"kind", f.kind, false}, clause{"topic", f.topic, true}, clause{"key", f.key, false})
}

// clause is a flag that stands for a clause of the filter language.
type clause struct {
	field  string
	values []string
	glob   bool // * and ? in its values keep their meaning
}

func filterText(filter string, clauses ...clause) (string, error) {
	parts := []string{}
	if strings.TrimSpace(filter) != "" {
		parts = append(parts, filter)
	}
	for _, c := range clauses {
		if len(c.values) == 0 {
			continue
		}
		var values []string
		for _, v := range c.values {
			if v == "" {
				return "", Usage("--%s is empty", c.field)
			}
			if !c.glob || !strings.ContainsAny(v, "*?") || strings.ContainsAny(v, "\", \t\n") {
				v = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v) + `"`
			}
			values = append(values, v)
		}
		parts = append(parts, c.field+":"+strings.Join(values, ","))
	}
	return strings.Join(parts, " "), nil
}

// ParseFilter reads a filter's text at this instant.
func (r *Run) ParseFilter(text string) (filter.Filter, error) { return ParseFilter(text, r.Env.Now()) }

func ParseFilter(text string, now model.Time) (filter.Filter, error) {
	f, err := filter.Parse(text, now)
	if err != nil {
		return f, filterError(text, err)
	}
	return f, nil
}

// filterError says where in the filter the mistake is: its column, in
// characters from 1, and what stands there, which is never much.
func filterError(text string, err error) error {
	const most = 40 // characters that are shown
	var fe *filter.Error
	if !errors.As(err, &fe) {
		return Usage("the filter: %s", err).WithHint("%s", model.HintOf(err))
	}
	at := min(fe.Pos, len(text))
	there := []rune(strings.ToValidUTF8(text[at:min(len(text), at+max(fe.Len, 1)+4*most)], "\uFFFD"))
	if n := utf8.RuneCountInString(text[at:min(len(text), at+fe.Len)]); n > 0 {
		there = there[:min(n, len(there))]
	}
	shown := string(there)
	if len(there) > most {
		shown = string(there[:most]) + "…"
	}
	where := "column " + Itoa(int64(utf8.RuneCountInString(text[:at])+1))
	if shown == "" {
		where += ", its end"
	} else {
		where += ", " + strconv.Quote(clean.Line(shown))
	}
	return Usage("the filter at %s: %s", where, err).WithHint("%s", model.HintOf(err))
}
