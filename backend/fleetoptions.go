package backend

import (
	"path/filepath"

	"binnacle/backend/fleet"
	"binnacle/backend/workspace"
)

// FleetOptions are the fleet's options as config.toml has them, and the actor as
// the surroundings say. file is that
// config.toml: a notify command in it came with the repository, so it runs only
// once somebody trusted it.
func (c Config) FleetOptions(file string, world workspace.World) fleet.Options {
	o := fleet.Options{
		Remote: c.Fleet.Remote, Prefix: c.Fleet.Prefix, Trunk: c.Fleet.Trunk, Repo: c.Fleet.Repo,
		Actor: world.Actor(c.Fleet.Actor, c.Producer), Agent: c.Fleet.Agent, ShareTitles: c.Fleet.ShareTitles, KeyFile: c.Fleet.Key,
		Heartbeat: span(c.Fleet.Heartbeat, 0), Window: span(c.Fleet.Takeover, 0), FetchEvery: span(c.Fleet.Fetch, 0),
		Notify: fleet.Notify{Command: c.Notify.Command, File: file},
	}
	redactor, err := c.redactor()
	if err != nil {
		// A pattern that can't be read must not let out what every rule finds.
		redactor, err = Config{}.redactor()
	}
	if err == nil {
		o.Redactor = redactor
	}
	if o.KeyFile != "" && !filepath.IsAbs(o.KeyFile) {
		o.KeyFile = filepath.Join(filepath.Dir(filepath.Dir(file)), o.KeyFile)
	}
	return o
}

// FleetFolder is the folder whose repository has the fleet: the first that lies
// in a repository, else the last. A command's own folder comes before the
// project, so that each linked work tree is a view of its own.
func FleetFolder(folders ...string) string {
	last := ""
	for _, dir := range folders {
		if dir == "" {
			continue
		}
		if inRepository(dir) {
			return dir
		}
		last = dir
	}
	return last
}
