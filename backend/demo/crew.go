package demo

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"binnacle/backend/coord"
	"binnacle/backend/coord/notes"
	"binnacle/model"
)

// crew are agents without hooks: they declare their sessions by command, and
// write down what they learn about files. It has a die of its own, so that what
// it does changes nothing of what the others do.
type crew struct {
	sessions *coord.Coord
	notes    *notes.Notes
	place    coord.Place
	tree     string // where they write their files
	rng      *rand.Rand
	scene    int
	edits    int
	agents   []declared
	open     []written // notes, the oldest first
}

// declared is an agent and the session that it has declared, "" for none.
type declared struct{ name, task, session string }

// written is a note that stands.
type written struct {
	id, writer string
	lesson     lesson
	stale      bool // its file was written to since
}

const (
	owner        = "ana" // of all files; a person
	reporter     = "reviewer"
	sessionLease = 90 * time.Second
	fewNotes     = 4 // of so few that stand none is taken back
)

func newCrew(e Engines, seed uint64) *crew {
	return &crew{
		sessions: e.Coord, notes: e.Notes, place: e.Place, tree: e.Tree, rng: rand.New(rand.NewPCG(seed, 0x6e6f746573)),
		agents: []declared{{name: "migrator", task: "parser"}, {name: "docs-writer", task: "guide"}, {name: "builder-2", task: "parser"}},
	}
}

// scenes are what the crew does, again and again, in this order: what one leads
// to is there for the next.
func scenes() []func(*crew, context.Context) error {
	return []func(*crew, context.Context) error{
		(*crew).start, (*crew).add, (*crew).start, (*crew).add, (*crew).edit, (*crew).add, (*crew).endorse, (*crew).move,
		(*crew).add, (*crew).report, (*crew).unreport, (*crew).start, (*crew).replace, (*crew).end, (*crew).retract,
	}
}

// step plays the next scene. What an engine refuses because somebody was faster,
// or because an agent has written enough for an hour, is part of the story.
func (c *crew) step(ctx context.Context) error {
	all := scenes()
	scene := all[c.scene%len(all)]
	if c.scene == 0 {
		if err := c.write("CODEOWNERS", "* @"+owner+"\n"); err != nil {
			return err
		}
	}
	c.scene++
	if err := scene(c, ctx); err != nil && !lost(err) && model.CodeOf(err) != model.CodeRate {
		return err
	}
	return nil
}

// begin plays every scene once.
func (c *crew) begin(ctx context.Context) error {
	for range scenes() {
		if err := c.step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func one[T any](c *crew, from []T) *T { return &from[c.rng.IntN(len(from))] }

// start: an agent without a session declares one.
func (c *crew) start(ctx context.Context) error {
	i := slices.IndexFunc(c.agents, func(a declared) bool { return a.session == "" })
	if i < 0 {
		return c.move(ctx)
	}
	a := &c.agents[i]
	d, err := c.sessions.Start(ctx, coord.Start{
		Task: a.task, Model: "demo-1", Paths: []string{*one(c, folders()), *one(c, files())}, Lease: sessionLease, Place: c.place,
		By: coord.Who{Name: a.name},
	})
	if err == nil {
		a.session = d.Key
	}
	return err
}

// busy is an agent that has a session, nil when none has.
func (c *crew) busy() *declared {
	var all []*declared
	for i := range c.agents {
		if c.agents[i].session != "" {
			all = append(all, &c.agents[i])
		}
	}
	if len(all) == 0 {
		return nil
	}
	return *one(c, all)
}

// move: an agent goes on to other paths. One that was silent for too long finds
// its session over.
func (c *crew) move(ctx context.Context) error {
	a := c.busy()
	if a == nil {
		return nil
	}
	_, _, err := c.sessions.SetPaths(ctx, a.session, []string{*one(c, files()), *one(c, files())}, coord.Who{Name: a.name})
	if lost(err) {
		a.session = ""
	}
	return err
}

// end: an agent has landed its work.
func (c *crew) end(ctx context.Context) error {
	a := c.busy()
	if a == nil {
		return nil
	}
	name := a.session
	a.session = ""
	_, _, err := c.sessions.End(ctx, name, "refs/heads/main", coord.Who{Name: a.name})
	return err
}

// add: an agent writes down what it learned.
func (c *crew) add(ctx context.Context) error {
	news := slices.DeleteFunc(lessons(), func(k lesson) bool {
		return slices.ContainsFunc(c.open, func(n written) bool { return n.lesson.path == k.path })
	})
	if len(news) == 0 {
		return c.replace(ctx)
	}
	k, who := *one(c, news), one(c, c.agents).name
	if err := c.touch(k.path, false); err != nil {
		return err
	}
	n, err := c.notes.Add(ctx, notes.Who{Name: who, Agent: true}, notes.New{Path: k.path, Title: k.title, Body: k.body, Model: "demo-1"})
	if err == nil {
		c.open = append(c.open, written{id: n.ID, writer: who, lesson: k})
	}
	return err
}

// edit: the file of the oldest note that is not stale is written to.
func (c *crew) edit(context.Context) error {
	i := slices.IndexFunc(c.open, fresh)
	if i < 0 {
		return nil
	}
	c.open[i].stale = true
	return c.touch(c.open[i].lesson.path, true)
}

func fresh(n written) bool { return !n.stale }

// endorse: the owner of the files says that the newest note holds.
func (c *crew) endorse(ctx context.Context) error {
	for _, n := range slices.Backward(c.open) {
		if fresh(n) {
			_, _, err := c.notes.Endorse(ctx, notes.Who{Name: owner}, n.id)
			return err
		}
	}
	return nil
}

// report hides the newest note; unreport takes the report back.
func (c *crew) report(ctx context.Context) error {
	if len(c.open) == 0 {
		return nil
	}
	_, err := c.notes.Report(ctx, notes.Who{Name: reporter, Agent: true}, c.open[len(c.open)-1].id, "it was so before the split", false)
	return err
}

func (c *crew) unreport(ctx context.Context) error {
	if len(c.open) == 0 {
		return nil
	}
	_, err := c.notes.Unreport(ctx, notes.Who{Name: owner}, c.open[len(c.open)-1].id)
	return err
}

// replace: whoever wrote the oldest note writes what holds now in its place. Of
// those that are stale one is left, for whoever looks.
func (c *crew) replace(ctx context.Context) error {
	i := slices.IndexFunc(c.open, fresh)
	if i > 1 {
		i = 0
	}
	if i < 0 {
		return nil
	}
	n := c.open[i]
	c.open = slices.Delete(c.open, i, i+1)
	w, err := c.notes.Supersede(ctx, notes.Who{Name: n.writer, Agent: true}, n.id, notes.New{
		Title: fmt.Sprintf("%s, as of edit %d", n.lesson.title, c.edits), Body: n.lesson.body, Model: "demo-1",
	})
	if err == nil {
		c.open = append(c.open, written{id: w.ID, writer: n.writer, lesson: n.lesson})
	}
	return err
}

// retract: the writer of the oldest note that is not stale takes it back, once
// there are many.
func (c *crew) retract(ctx context.Context) error {
	i := slices.IndexFunc(c.open, fresh)
	if i < 0 || len(c.open) <= fewNotes {
		return nil
	}
	n := c.open[i]
	c.open = slices.Delete(c.open, i, i+1)
	_, err := c.notes.Retract(ctx, notes.Who{Name: n.writer, Agent: true}, n.id)
	return err
}

// touch makes a file of the work tree, and writes to one that is there where
// again says so.
func (c *crew) touch(path string, again bool) error {
	if _, err := os.Lstat(filepath.Join(c.tree, filepath.FromSlash(path))); err == nil && !again {
		return nil
	}
	c.edits++
	return c.write(path, fmt.Sprintf("edit %d\n", c.edits))
}

func (c *crew) write(path, text string) error {
	file := filepath.Join(c.tree, filepath.FromSlash(path))
	if err := cmp.Or(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		return model.Errorf(model.CodeInternal, "the demonstration can't write: %w", err)
	}
	return nil
}
