package notes_test

import (
	"testing"
	"time"

	"binnacle/backend/coord/notes"
	"binnacle/model"
	"binnacle/model/note"

	"pgregory.net/rapid"
)

// seen is what the walk knows of a note.
type seen struct {
	state, path        string
	writer             notes.Who
	endorser, reporter string
}

// TestNotesWalk lets people and agents do what they like to notes on a real
// database: what may be done is done, what may not is refused and leaves nothing
// behind, and the tables are the fold of the events all the time.
func TestNotesWalk(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := bareRig(t) // outside of Git nothing is stale, and no process has to say so
		r.write("CODEOWNERS", "/src/ @ann bob\n")
		r.write("src/main.go", "")
		defer func() { must(t, r.store.Close()) }()
		all := map[string]*seen{}
		var ids []string
		record := func(who notes.Who, w notes.Written, path string) {
			ids = append(ids, w.ID)
			all[w.ID] = &seen{state: note.Open, path: path, writer: who}
		}
		whos := rapid.SampledFrom([]notes.Who{ann, bob, bot, rob})
		paths := rapid.SampledFrom([]string{".", "src", "src/main.go", "doc"})
		rt.Repeat(map[string]func(*rapid.T){
			"": func(rt *rapid.T) {
				l, err := r.List(bg(), notes.ListOptions{All: true, Limit: notes.MaxList})
				must(t, err)
				if len(l.Items) != len(all) {
					rt.Fatalf("%d notes of %d", len(l.Items), len(all))
				}
				for _, i := range l.Items {
					want := all[i.ID]
					if i.State != want.state || i.EndorsedBy != want.endorser || i.ReportedBy != want.reporter || i.Untrusted.Path != want.path {
						rt.Fatalf("%+v, want %+v", i, want)
					}
				}
			},
			"add": func(rt *rapid.T) {
				who, p := whos.Draw(rt, "who"), paths.Draw(rt, "path")
				w, err := r.Add(bg(), who, titled(p, "t"))
				if model.CodeOf(err) == model.CodeRate && err != nil {
					r.clock.Advance(2 * time.Hour)
					return
				}
				must(t, err)
				record(who, w, p)
			},
			"act": func(rt *rapid.T) {
				if len(ids) == 0 {
					rt.Skip("no note")
				}
				who, id := whos.Draw(rt, "who"), rapid.SampledFrom(ids).Draw(rt, "id")
				n := all[id]
				mine := who.Name == n.writer.Name
				act := rapid.SampledFrom([]string{note.ActSupersede, note.ActEndorse, note.ActRetract, note.ActReport, note.ActUnreport}).Draw(rt, "act")
				to, legal := note.Machine().To(n.state, act)
				before := len(r.events())
				var err error
				var w notes.Written
				may := legal
				switch act {
				case note.ActSupersede:
					may = legal && (!who.Agent || mine || n.writer.Agent && n.endorser == "")
					w, err = r.Supersede(bg(), who, id, titled("", "u"))
				case note.ActEndorse:
					may = legal && !who.Agent && !mine && (n.path == "src" || n.path == "src/main.go")
					err = r.endorse(who, id)
				case note.ActRetract:
					may = legal && mine
					err = one(r.Retract(bg(), who, id))
				case note.ActReport:
					err = one(r.Report(bg(), who, id, "why", false))
				case note.ActUnreport:
					may = legal && (!who.Agent || n.reporter == who.Name)
					err = one(r.Unreport(bg(), who, id))
				}
				if err != nil && model.CodeOf(err) == model.CodeRate {
					r.clock.Advance(2 * time.Hour)
					may = false
				}
				if (err == nil) != may {
					rt.Fatalf("%s by %s of %+v: %v", act, who.Name, *n, err)
				}
				if err != nil {
					if after := len(r.events()); after != before {
						rt.Fatalf("a refused %s left %d events", act, after-before)
					}
					return
				}
				n.state, n.reporter = to, ""
				switch act {
				case note.ActSupersede:
					record(who, w, n.path)
				case note.ActEndorse:
					n.endorser = who.Name
				case note.ActReport:
					n.reporter = who.Name
				}
			},
		})
		r.verify()
		open := 0
		for _, n := range all {
			if n.state == note.Open {
				open++
			}
		}
		l, err := r.List(bg(), notes.ListOptions{Limit: notes.MaxList})
		if err != nil || len(l.Items)+l.More != open {
			rt.Fatalf("%v: %d of %d are listed", err, len(l.Items), open)
		}
	})
}
