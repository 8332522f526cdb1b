package command

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/filter"
	"binnacle/ui/plain"
)

// PlainFlags are the options of --plain.
type PlainFlags struct {
	Plain  bool
	Once   bool
	Replay int
	Since  string
	Filter string
	Kind   []string
	Topic  []string
	Key    []string
	Every  span
	All    bool
}

// plainFlags adds the options of --plain to a command that may open the
// cockpit.
func (a *app) plainFlags(c *cobra.Command) *PlainFlags {
	p := &PlainFlags{}
	f := c.Flags()
	f.BoolVar(&p.Plain, "plain", false, "print JSON lines in place of the cockpit")
	f.BoolVar(&p.Once, "once", false, "with --plain: print what there is, and end")
	f.IntVar(&p.Replay, "replay", 0, "with --plain: first this many of the newest matching events")
	f.StringVar(&p.Since, "since", "", "with --plain: first what came after this cursor (or sequence number)")
	f.BoolVar(&p.All, "catch-up", false, "with --plain: a slow reader gets every event late, in place of a counted gap")
	f.Var(&p.Every, "every", "with --plain: a snapshot each time this has passed, e.g. 5s")
	filterFlags(a, c, &p.Filter, &p.Kind, &p.Topic, &p.Key)
	return p
}

// filterFlags are the filter language, and its commonest clauses as flags.
func filterFlags(a *app, c *cobra.Command, filter *string, kind, topic, key *[]string) {
	f := c.Flags()
	f.StringVar(filter, "filter", "", "only matching events, e.g. 'kind:signal topic:build/* -word'")
	f.StringSliceVar(kind, "kind", nil, "only events of this kind (may be repeated)")
	f.StringArrayVar(topic, "topic", nil, "only events of this topic; * and ? may stand in it")
	f.StringArrayVar(key, "key", nil, "only events about this record")
	_ = c.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(kindNames(), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("topic", a.completeTopics)
	_ = c.RegisterFlagCompletionFunc("filter", a.completeFilter)
}

// filterText joins the flags into one text of the filter language.
func (p *PlainFlags) filterText() (string, error) {
	return filterText(p.Filter, clause{"kind", p.Kind, false}, clause{"topic", p.Topic, true}, clause{"key", p.Key, false})
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
				return "", usage("--%s is empty", c.field)
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

// parseFilter reads a filter's text at this instant.
func (a *app) parseFilter(text string) (filter.Filter, error) { return parseFilter(text, a.env.Now()) }

func parseFilter(text string, now model.Time) (filter.Filter, error) {
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
		return usage("the filter: %s", err).WithHint("%s", model.HintOf(err))
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
	where := "column " + itoa(int64(utf8.RuneCountInString(text[:at])+1))
	if shown == "" {
		where += ", its end"
	} else {
		where += ", " + strconv.Quote(clean.Line(shown))
	}
	return usage("the filter at %s: %s", where, err).WithHint("%s", model.HintOf(err))
}

// options is what the flags mean at the instant now.
func (p *PlainFlags) options(now model.Time) (plain.Options, error) {
	o := plain.Options{Replay: p.Replay, Once: p.Once, Every: time.Duration(p.Every), CatchUp: p.All}
	text, err := p.filterText()
	if err != nil {
		return o, err
	}
	if o.Filter, err = parseFilter(text, now); err != nil {
		return o, err
	}
	switch {
	case p.Since != "" && p.Replay > 0:
		return o, usage("--since and --replay exclude each other")
	case p.Since != "":
		c, err := model.ParseCursor(p.Since)
		if err != nil {
			return o, err
		}
		o.After = &c
	}
	return o, nil
}

// plain writes JSON lines until the run ends. A stream that ends because it was
// told to, by a signal or by --timeout, has done its work.
func (a *app) plain(ctx context.Context, p *PlainFlags) error {
	o, err := p.options(a.env.Now())
	if err != nil {
		return err
	}
	w, err := a.open(ctx, reading)
	if err != nil {
		return err
	}
	if a.env.Environ != nil {
		w.backend.OpenFleet(a.env.Dir, w.project, a.env.Environ())
	}
	if !o.Once {
		w.backend.WatchClock(ctx)
	}
	if !o.Once && o.Every > 0 { // else no line would tell what it finds
		w.backend.WatchChain(ctx)
	}
	o.Workspace = w.project
	return plain.Run(ctx, a.out, w.backend, o)
}
