package fleet

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/hooks"
	"binnacle/backend/fleet/keys"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/fleetmap"
)

// Doctor looks at everything that the fleet rests on, and says what it found,
// the remote last, for that may take a while. It changes nothing. A finding is
// no error: Doctor fails only when ctx ends.
func (f *Fleet) Doctor(ctx context.Context) ([]fleetmap.Finding, error) {
	d := &doctor{f: f}
	for _, step := range []func(context.Context){d.git, d.clock, d.machine, d.hooks, d.unreported, d.unknown, d.kept, d.notify, d.remote} {
		step(ctx)
		if err := ctx.Err(); err != nil {
			return d.list, model.Errorf(model.CodeTimeout, "looking at the fleet was cancelled: %w", err)
		}
	}
	return d.list, nil
}

type doctor struct {
	f    *Fleet
	list []fleetmap.Finding
}

func (d *doctor) say(level fleetmap.FindingLevel, what, hint, format string, args ...any) {
	d.list = append(d.list, fleetmap.Finding{Level: level, What: what, Text: fmt.Sprintf(format, args...), Hint: hint})
}

func (d *doctor) fail(what string, err error) {
	d.say(fleetmap.FindingBad, what, model.HintOf(err), "%s", err.Error())
}

func (d *doctor) git(ctx context.Context) {
	version, err := d.f.repo.Version(ctx)
	if err != nil {
		d.fail("git", err)
		return
	}
	if !gitAtLeast(version, 2, 36) {
		d.say(fleetmap.FindingBad, "git", "install git 2.36 or newer", "git %s is too old: the fleet needs 2.36", clean.Line(version))
		return
	}
	d.say(fleetmap.FindingOK, "git", "", "git %s", clean.Line(version))
}

func gitAtLeast(version string, major, minor int) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	a, err := strconv.Atoi(parts[0])
	b, err2 := strconv.Atoi(strings.TrimRight(parts[1], "-abcdefghijklmnopqrstuvwxyz"))
	return err == nil && err2 == nil && (a > major || a == major && b >= minor)
}

func (d *doctor) clock(context.Context) {
	now := d.f.now()
	if now.Boot == "" {
		d.say(fleetmap.FindingWarn, "clock", "", "the machine's boot can't be told, so ages follow the wall clock")
		return
	}
	d.say(fleetmap.FindingOK, "clock", "", "ages count by this boot's own clock, up for %s", model.Age(now.Up))
}

func (d *doctor) machine(context.Context) {
	d.say(fleetmap.FindingOK, "machine", "", "this machine is %s, and keeps the fleet in %s", d.f.Machine(), clean.Line(d.f.opts.StateDir))
}

func (d *doctor) hooks(context.Context) {
	any := false
	for _, tool := range hooks.Tools() {
		for _, project := range []bool{false, true} {
			s, err := d.f.Hooks().Show(hooks.Options{Tool: tool, Project: project})
			if err != nil {
				d.fail("hooks", model.Errorf(model.CodeOf(err), "%s: %w", tool, err).WithHint("%s", model.HintOf(err)))
				continue
			}
			d.hooksOf(s, project, &any)
		}
	}
	if !any {
		d.say(fleetmap.FindingWarn, "hooks", "binnacle fleet hooks install TOOL", "no tool's hooks are installed, so sessions here are untracked")
	}
}

func (d *doctor) hooksOf(s hooks.State, project bool, any *bool) {
	path := clean.Line(s.Path)
	again := "binnacle fleet hooks install " + s.Tool
	if project {
		again += " --project"
	}
	switch {
	case s.Fault != "":
		d.say(fleetmap.FindingBad, "hooks", "", "%s: %s: %s", s.Tool, path, s.Fault)
	case len(s.Gone) > 0:
		*any = true
		for _, program := range s.Gone {
			d.say(fleetmap.FindingBad, "hooks", again, "%s: the settings name %s, which is not there: %s", s.Tool, clean.Line(program), path)
		}
	case s.Other != "":
		*any = true
		d.say(fleetmap.FindingOK, "hooks", "", "%s: the hooks stand in %s, and call %s", s.Tool, path, clean.Line(s.Other))
	case s.Partly:
		*any = true
		d.say(fleetmap.FindingWarn, "hooks", again, "%s: the hooks in %s are not those that this version installs", s.Tool, path)
	case s.Installed:
		*any = true
		d.say(fleetmap.FindingOK, "hooks", "", "%s: the hooks stand in %s", s.Tool, path)
	case s.Present && !project:
		d.say(fleetmap.FindingInfo, "hooks", again, "%s: no hooks in %s", s.Tool, path)
	}
	if s.Installed || s.Partly {
		for _, off := range s.Off {
			d.say(fleetmap.FindingBad, "hooks", "", "%s: the hooks do not run: %s", s.Tool, off)
		}
	}
	if s.Installed || s.Partly {
		for _, n := range s.Notes {
			d.say(fleetmap.FindingInfo, "hooks", "", "%s: %s", s.Tool, n)
		}
	}
}

func (d *doctor) unknown(ctx context.Context) {
	list, err := d.f.Unknown(ctx)
	if err != nil {
		d.fail("hooks", err)
	}
	for _, u := range list {
		d.say(fleetmap.FindingInfo, "hooks", "", "%s sent %d events %q that this version does not know (members: %s)",
			u.Tool, u.Count, clean.Line(u.Event), clean.Line(u.Members))
	}
}

// unreported lists agent programs that run here without a hook that was heard.
func (d *doctor) unreported(ctx context.Context) {
	rows, err := d.f.readRows(ctx)
	if err != nil {
		return // the next step says so
	}
	for _, p := range d.f.unreported(rows, d.f.keptOthers(), d.f.now()) {
		d.say(fleetmap.FindingWarn, "hooks", "binnacle fleet hooks show "+p.Tool, "%s runs in %s and reports nothing (process %d)", p.Tool, clean.Line(p.Folder), p.PID)
	}
}

// kept says what of the hooks' reports could not be kept.
func (d *doctor) kept(ctx context.Context) {
	lost, skipped, err := d.f.NotKept(ctx)
	if err != nil {
		d.fail("hooks", err)
	}
	if lost > 0 {
		d.say(fleetmap.FindingBad, "hooks", "free room on the disk", "%d reports of hooks were lost, because there was no room for them", lost)
	}
	if skipped > 0 {
		d.say(fleetmap.FindingWarn, "hooks", "", "%d lines of the hooks' spool were passed over, because no hook wrote them whole", skipped)
	}
}

// Unknown lists what tools sent that this program does not know.
func (f *Fleet) Unknown(ctx context.Context) ([]UnknownEvents, error) {
	if f.opts.Store == nil {
		return nil, nil
	}
	var out []UnknownEvents
	err := f.opts.Store.Read(ctx, func(r store.Reader) error {
		out = nil
		rows, err := r.Query(`SELECT tool, event, count, seen, members FROM fleet_unknown ORDER BY tool, event LIMIT 100`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var u UnknownEvents
			if err := rows.Scan(&u.Tool, &u.Event, &u.Count, &u.Seen, &u.Members); err != nil {
				return err
			}
			out = append(out, u)
		}
		return rows.Err()
	})
	return out, err
}

func (d *doctor) notify(context.Context) {
	command, runs := d.f.NotifyState()
	switch {
	case command == "":
	case runs:
		d.say(fleetmap.FindingOK, "notify", "", "notices go to %s; %d were lost", clean.Line(command), d.f.Lost())
	default:
		d.say(fleetmap.FindingWarn, "notify", "look at it, then: binnacle trust", "the repository's notify command %s does not run: it is not trusted", clean.Line(command))
	}
}

func (d *doctor) remote(ctx context.Context) {
	r, err := d.f.remoteFor(ctx)
	if err != nil {
		d.fail("remote", err)
		return
	}
	if note := r.Note(); note != "" {
		d.say(fleetmap.FindingWarn, "trust", "look at .git/config, then: binnacle trust", "%s", note)
	}
	if d.f.opts.Offline {
		d.say(fleetmap.FindingInfo, "remote", "", "--read-only asks the remote nothing")
		d.lastFetch(r)
		d.keys(ctx)
		return
	}
	refs, err := r.Refs(ctx)
	if err != nil {
		d.fail("remote", err)
		d.lastFetch(r)
		return
	}
	d.say(fleetmap.FindingOK, "remote", "", "%s answers: %d machines, %d changes, %d logs", clean.Line(git.HideSecret(r.URL)), len(refs.Live), len(refs.Changes), len(refs.Logs))
	if refs.Trunk == "" {
		d.say(fleetmap.FindingWarn, "remote", "push a branch, or set trunk", "the remote has no trunk: its HEAD leads nowhere")
	}
	if len(refs.Live) > fleetmap.MaxMachines {
		d.say(fleetmap.FindingWarn, "refs", "binnacle fleet forget MACHINE removes one that is gone", "%d live refs: only %d are read", len(refs.Live), fleetmap.MaxMachines)
	}
	d.lastFetch(r)
	d.published(r, refs)
	d.keys(ctx)
}

func (d *doctor) lastFetch(r *git.Remote) {
	state, err := loadFetched(r)
	switch {
	case err != nil:
		d.fail("fetch", err)
	case state.At == nil:
		d.say(fleetmap.FindingInfo, "fetch", "binnacle fleet status", "nothing was fetched from this remote yet")
	default:
		d.say(fleetmap.FindingOK, "fetch", "", "the last whole fetch ended %s", model.Ago(fleetmap.Elapsed(*state.At, d.f.now())))
	}
	if err == nil && state.Failures > 0 {
		d.say(fleetmap.FindingWarn, "fetch", "", "%d attempts in a row failed, the last with: %s", state.Failures, state.Failure)
	}
	if err == nil {
		for _, id := range slices.Sorted(maps.Keys(state.Bad)) {
			d.say(fleetmap.FindingWarn, "fetch", "", "the commit %.12s is left out: %s", id, state.Bad[id])
		}
	}
}

func (d *doctor) published(r *git.Remote, refs git.Refs) {
	j, err := loadJournal(r, d.f.opts.Prefix+"/live/"+d.f.Machine())
	if err != nil {
		d.fail("refs", err)
		return
	}
	at := refs.Live[d.f.Machine()]
	switch {
	case at != "" && !d.f.ours(j, at):
		d.say(fleetmap.FindingBad, "refs", "binnacle fleet doctor --new-name", "%s: another machine publishes under this machine's name (%.12s)", model.CodeConflict, at)
	case j.Refused != "":
		d.say(fleetmap.FindingBad, "refs", "allow refs under "+d.f.opts.Prefix+", or configure another prefix", "%s: %s", model.CodeRefRefused, j.Refused)
	case j.Pushed == nil:
		d.say(fleetmap.FindingInfo, "refs", "binnacle fleet push", "nothing was published from here yet, so it is not known whether the host takes such refs")
	default:
		d.say(fleetmap.FindingOK, "refs", "", "the host takes them: %s was published %s", j.Ref, model.Ago(fleetmap.Elapsed(*j.Pushed, d.f.now())))
	}
}

func (d *doctor) keys(ctx context.Context) {
	k, err := d.f.KeyList(ctx)
	if err != nil {
		d.fail("keys", err)
		return
	}
	if k.Fault != "" {
		d.say(fleetmap.FindingBad, "keys", "repair "+keys.RegistryPath+" on trunk", "%s", k.Fault)
	}
	if !k.Landed {
		d.say(fleetmap.FindingWarn, "keys", "commit and land it", "%s here is not the one on trunk, and only that one counts", keys.RegistryPath)
	}
	if d.f.opts.Agent == "" {
		if len(k.Trunk) > 0 {
			d.say(fleetmap.FindingWarn, "keys", "set agent, and binnacle fleet key add NAME", "trunk has a key registry, and this machine signs nothing: others list none of its sessions")
		}
		return
	}
	d.ownKey(k)
}

func (d *doctor) ownKey(k keys.Registry) {
	signer, done, err := d.f.own().Signer()
	if err != nil {
		d.fail("keys", err)
		return
	}
	defer done()
	if info, err := os.Stat(d.f.own().File()); err == nil && !strings.HasSuffix(d.f.own().File(), ".pub") && info.Mode().Perm()&0o077 != 0 {
		d.say(fleetmap.FindingWarn, "keys", "chmod 600 "+filepath.Base(d.f.own().File()), "others can read the private key %s", clean.Line(d.f.own().File()))
	}
	line := keys.PublicLine(signer.PublicKey())
	for _, key := range k.Trunk {
		if key.Agent == d.f.opts.Agent && key.Line == line {
			d.say(fleetmap.FindingOK, "keys", "", "summaries are signed as %s, whose key %s is on trunk", key.Agent, key.Fingerprint)
			return
		}
	}
	level := fleetmap.FindingInfo
	if len(k.Trunk) > 0 {
		level = fleetmap.FindingBad
	}
	d.say(level, "keys", "binnacle fleet key add "+d.f.opts.Agent+", and land it", "the key of %s is not in trunk's registry", d.f.opts.Agent)
}
