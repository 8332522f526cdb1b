package fleetmap

import (
	"sort"
	"strings"
	"time"

	"binnacle/model"
	"binnacle/model/session"
)

// Picture is the fleet as the cockpit shows it: the map of the last fetch
// with what follows from it.
type Picture struct {
	Map        Map
	At         model.Time // by the wall clock, when the map was made: ages go on from here
	Fault      string     // why the fleet says nothing new, "" when it does
	Code       model.Code // of Fault
	Own        bool       // the map can't be made, because of Fault: Map is what this machine knows by itself
	Collisions []Collision
	// MoreCollisions says that the list ends before they do.
	MoreCollisions bool
	Landings       []model.Event // ref.landed facts, the newest first, at most MaxShownLandings
}

// MaxShownLandings bounds the landings of a Picture.
const MaxShownLandings = 5

// Collision is two live sessions whose paths overlap.
type Collision struct {
	A    string `json:"a"` // their keys (KeyOf), A before B
	B    string `json:"b"`
	Path string `json:"path"` // where: the longer of the two paths
}

// KeyOf names a row of the map: a session by its machine and id, a held
// change without one by its id.
func KeyOf(s Session) string {
	if s.LiveRow == nil || s.Session == "" {
		change := ""
		if s.LiveRow != nil {
			change = s.Change
		}
		return s.Machine + "/change:" + change
	}
	return s.Machine + "/" + s.Session
}

// maxCollisions bounds what Collisions finds: beyond it everybody is in
// everybody's way, and it is said that there are more.
const maxCollisions = 10_000

// listedCollisions is how many a map's JSON lists; all are counted there.
const listedCollisions = 1000

// Collisions finds live sessions that name overlapping paths (session.Overlap).
// Sessions on the same change, which know of each other, collide too.
func Collisions(sessions []Session) []Collision {
	list, _ := CountCollisions(sessions)
	return list
}

// CountCollisions is Collisions that also says whether there are more than the
// 10,000 that it finds.
func CountCollisions(sessions []Session) (list []Collision, more bool) {
	type claim struct {
		key, path string
		session.Reach
	}
	var all []claim
	for _, s := range sessions {
		if !claims(s) {
			continue
		}
		for _, p := range s.Paths {
			all = append(all, claim{KeyOf(s), p, session.ReachOf(p)})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Text < all[j].Text })
	seen := map[[2]string]bool{}
	var out []Collision
	for i := range all {
		// All whose text begins with this one's follow it directly.
		for j := i + 1; j < len(all) && strings.HasPrefix(all[j].Text, all[i].Text); j++ {
			if all[i].key == all[j].key || !all[i].Covers(all[j].Reach) {
				continue
			}
			pair := [2]string{min(all[i].key, all[j].key), max(all[i].key, all[j].key)}
			if !seen[pair] && len(out) == maxCollisions {
				return sortedCollisions(out), true
			}
			if !seen[pair] {
				seen[pair] = true
				out = append(out, Collision{A: pair[0], B: pair[1], Path: all[j].path})
			}
		}
	}
	return sortedCollisions(out), false
}

// claims says whether the row's paths are somebody's who is at work on them.
func claims(s Session) bool {
	return s.LiveRow != nil && s.Session != "" && s.State != session.Ended
}

func sortedCollisions(out []Collision) []Collision {
	sort.Slice(out, func(i, j int) bool {
		if out[i].A != out[j].A {
			return out[i].A < out[j].A
		}
		return out[i].B < out[j].B
	})
	return out
}

// Colliding lists the keys of sessions that collide, each with the other's key.
func (v Picture) Colliding() map[string]Collision {
	out := map[string]Collision{}
	for _, c := range v.Collisions {
		for _, k := range []string{c.A, c.B} {
			if _, ok := out[k]; !ok {
				out[k] = c
			}
		}
	}
	return out
}

// Working counts the sessions at work, and all sessions.
func (v Picture) Working() (working, all int) {
	for _, s := range v.Map.Sessions {
		if s.LiveRow == nil || s.Session == "" || s.State == session.Seen {
			continue
		}
		all++
		if s.State == session.Working {
			working++
		}
	}
	return working, all
}

// Since is how long ago, at now, something was whose age was age when the map
// was made.
func (v Picture) Since(age time.Duration, now model.Time) time.Duration {
	return age + max(0, now.Sub(v.At))
}
