package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"binnacle/backend"
	"binnacle/backend/fleet"
	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/hooks"
	"binnacle/backend/guard"
	"binnacle/backend/store"
	"binnacle/backend/wake"
	"binnacle/model"
)

// Rhythm of the simulated machines.
const (
	machineHeartbeat = 2 * time.Second
	machineStep      = 250 * time.Millisecond
	landEvery        = 40 // steps
)

// Machines are simulated machines that report their agents' sessions through
// real Git refs on one remote: this one, and others with a workspace, a clone
// and a name of their own.
type Machines struct {
	dir    string
	rng    *rand.Rand
	here   *fleet.Fleet
	others []*machine
	agents []*agent
	steps  int
}

// machine is one of the others.
type machine struct {
	clone string
	store store.Store
	fleet *fleet.Fleet
}

// agent is one simulated session.
type agent struct {
	fleet   *fleet.Fleet
	clone   string
	session string
	phase   int // what it does next
}

// Layout lays a remote and the machines' clones out in dir and returns the
// clone in which this machine works.
func Layout(ctx context.Context, dir string) (here string, err error) {
	here = filepath.Join(dir, "harbour")
	return here, git.Scratch(ctx, dir, here, filepath.Join(dir, "laptop"), filepath.Join(dir, "ci"))
}

// NewMachines starts the others on what Layout made; here is this machine's
// engine. Close ends them.
func NewMachines(ctx context.Context, dir string, here *fleet.Fleet, seed uint64) (*Machines, error) {
	m := &Machines{dir: dir, here: here, rng: rand.New(rand.NewPCG(seed, 0x666c656574))}
	clone := filepath.Join(dir, "harbour")
	m.agents = append(m.agents, &agent{fleet: here, clone: clone, session: "harbour-1"}, &agent{fleet: here, clone: clone, session: "harbour-2", phase: 2})
	for _, name := range []string{"laptop", "ci"} {
		o, err := m.start(ctx, name)
		if err != nil {
			m.Close()
			return nil, err
		}
		m.others = append(m.others, o)
		m.agents = append(m.agents, &agent{fleet: o.fleet, clone: o.clone, session: name + "-1", phase: 1})
	}
	return m, nil
}

func (m *Machines) start(ctx context.Context, name string) (*machine, error) {
	o := &machine{clone: filepath.Join(m.dir, name)}
	w, _, err := backend.InitWorkspace(ctx, o.clone, backend.StoreOptions{})
	if err != nil {
		return nil, err
	}
	if o.store, err = backend.OpenStore(ctx, backend.StoreOptions{Dir: w.Dir()}); err != nil {
		return nil, err
	}
	home := filepath.Join(m.dir, "home-"+name)
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, model.Errorf(model.CodeInternal, "the demonstration can't be set up: %w", err)
	}
	o.fleet, err = fleet.Open(fleet.Options{
		RepoDir: o.clone, StateDir: filepath.Join(home, "state"), Store: o.store, Actor: name,
		Environ:   []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home},
		Heartbeat: machineHeartbeat, FetchEvery: -1, Spawn: func() error { return nil },
	})
	if err != nil {
		_ = o.store.Close()
		return nil, err
	}
	return o, nil
}

// Close ends the others.
func (m *Machines) Close() {
	for _, o := range m.others {
		_ = o.store.Close()
	}
}

// Run lets the machines publish and their agents work until ctx ends.
func (m *Machines) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var others guard.Group
	for _, o := range m.others {
		// It ends with ctx; a remote that fails is part of the story.
		others.Go("another machine", func() { _ = o.fleet.Run(ctx) })
	}
	defer func() {
		cancel()
		others.Wait()
	}()
	for {
		if !wake.Sleep(ctx, machineStep) {
			return nil
		}
		if err := m.step(ctx); err != nil {
			return stopped(ctx, err)
		}
	}
}

// files are what the simulated agents write. Two of them sometimes meet.
func files() []string {
	return []string{"parser/reader.go", "parser/printer.go", "docs/guide.md", "queue/retry.go", "build/cache.go", "README.md"}
}

// step lets one agent report what its tool would.
func (m *Machines) step(ctx context.Context) error {
	m.steps++
	if m.steps%landEvery == 0 && len(m.others) > 0 {
		path := files()[m.rng.IntN(len(files()))]
		if err := git.Land(ctx, m.others[0].clone, fmt.Sprintf("step %d of the migration", m.steps/landEvery), path); err != nil {
			return err
		}
	}
	a := m.agents[m.rng.IntN(len(m.agents))]
	event := map[string]any{"session_id": a.session, "cwd": a.clone, "transcript_path": ""}
	a.phase++
	switch n := a.phase % 12; {
	case n == 1:
		event["hook_event_name"], event["source"] = "SessionStart", "startup"
	case n == 2:
		event["hook_event_name"], event["prompt"] = "UserPromptSubmit", "go on"
	case n == 10:
		event["hook_event_name"], event["notification_type"], event["message"] = "Notification", "permission_prompt", "May I?"
	case n == 11:
		event["hook_event_name"], event["stop_hook_active"] = "Stop", false
	default:
		event["hook_event_name"], event["tool_name"] = "PostToolUse", "Edit"
		event["tool_input"] = map[string]any{"file_path": filepath.Join(a.clone, files()[m.rng.IntN(len(files()))])}
		event["tool_response"] = map[string]any{}
	}
	raw, err := json.Marshal(event)
	if err != nil {
		return err
	}
	// No process of its own stands for the simulated tool: 1 is "can't be told".
	_, err = a.fleet.Hook(ctx, hooks.ToolClaude, bytes.NewReader(raw), 1)
	return err
}
