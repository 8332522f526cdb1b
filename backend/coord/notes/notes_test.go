package notes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"binnacle/backend/coord/notes"
	"binnacle/model"
	"binnacle/model/note"
)

func TestANoteGoesStale(t *testing.T) {
	r := newRig(t)
	id := r.add(bot, "src/main.go").ID
	r.want(id, "open fresh agent")
	r.write("src/main.go", "package other\n")
	r.want(id, "open stale agent")
	r.write("src/main.go", "package main\n")
	r.want(id, "open fresh agent")
	must(t, os.Remove(filepath.Join(r.tree, "src/main.go")))
	r.want(id, "open stale agent")
	must(t, os.Mkdir(filepath.Join(r.tree, "src/main.go"), 0o755))
	r.want(id, "open stale agent")
}

func TestANoteAtARevision(t *testing.T) {
	r := newRig(t)
	r.write("src/main.go", "package other\n")
	w, err := r.Add(bg(), ann, notes.New{Path: "src/main.go", At: "HEAD", Title: "of the commit"})
	must(t, err)
	r.want(w.ID, "open stale human")
	if w.At != r.git("rev-parse", "HEAD") || w.Blob != r.git("rev-parse", "HEAD:src/main.go") {
		t.Errorf("it is at %s, %s", w.At, w.Blob)
	}
	r.want(r.add(ann, "src/main.go").ID, "open fresh human")
	r.git("commit", "-q", "-a", "-m", "second")
	r.git("checkout", "-q", w.At)
	r.want(w.ID, "open fresh human")
	for _, rev := range []string{"nowhere", "-x", "HEAD\nHEAD", "HEAD:src/main.go", "HEAD^{tree}"} {
		r.refuses(model.CodeInvalid, func() error {
			return one(r.Add(bg(), ann, notes.New{Path: "src/main.go", At: rev, Title: "x"}))
		})
	}
	w, err = r.Add(bg(), ann, notes.New{Path: "not/there", At: "HEAD", Title: "of a file to come"})
	must(t, err)
	r.want(w.ID, "open unknown human")
}

func TestWhereFreshnessIsUnknown(t *testing.T) {
	out := bareRig(t)
	out.write("a", "x")
	id := out.add(bot, "a").ID
	out.want(id, "open unknown agent")
	out.refuses(model.CodeInvalid, func() error {
		return one(out.Add(bg(), bot, notes.New{Path: "a", At: "HEAD", Title: "no repository"}))
	})

	r := newRig(t)
	r.write("a", "x")
	elsewhere := filepath.Join(t.TempDir(), "b")
	must(t, os.WriteFile(elsewhere, []byte("x"), 0o644))
	must(t, os.Symlink(elsewhere, filepath.Join(r.tree, "link")))
	for _, p := range []string{"src", ".", "link", "not/there", `"quoted`} {
		r.want(r.add(bot, p).ID, "open unknown agent")
	}
	known := r.add(bot, "a").ID
	must(t, os.Remove(filepath.Join(r.tree, "a")))
	must(t, os.Symlink(elsewhere, filepath.Join(r.tree, "a")))
	r.want(known, "open unknown agent")
	// Not readable, beside one that is.
	if os.Getuid() != 0 {
		must(t, os.Chmod(filepath.Join(r.tree, "CODEOWNERS"), 0))
		r.want(r.add(bot, "CODEOWNERS").ID, "open unknown agent")
	}
	r.write(`"quoted`, "y")
	r.want(r.add(bot, `"quoted`).ID, "open fresh agent")
	// The database is read at another place: a repository that is gone is no error.
	must(t, os.RemoveAll(filepath.Join(r.tree, ".git")))
	r.want(known, "open unknown agent")
	r.look()
	r.want(known, "open unknown agent")
}

// TestNoProgramOfTheRepository: what the repository's own configuration names is
// not run by looking whether a note is stale.
func TestNoProgramOfTheRepository(t *testing.T) {
	r := newRig(t)
	mark := filepath.Join(t.TempDir(), "ran")
	r.git("config", "filter.evil.clean", "touch "+mark+"; cat")
	r.git("config", "filter.evil.required", "true")
	r.write(".gitattributes", "* filter=evil\n")
	r.want(r.add(bot, "src/main.go").ID, "open fresh agent")
	if _, err := os.Stat(mark); err == nil {
		t.Error("the filter ran")
	}
}

func TestEndorsement(t *testing.T) {
	r := newRig(t)
	id := r.add(bot, "src/main.go").ID
	r.refuses(model.CodeRefused, func() error { return r.endorse(rob, id) })
	r.refuses(model.CodeRefused, func() error { return r.endorse(notes.Who{Name: "eve"}, id) })
	r.refuses(model.CodeNotFound, func() error { return r.endorse(ann, "77") })
	must(t, r.endorse(ann, id)) // @ann of CODEOWNERS is ann@desk here
	r.want(id, "open fresh endorsed")
	events := len(r.events())
	if _, already, err := r.Endorse(bg(), ann, id); err != nil || !already || len(r.events()) != events {
		t.Fatalf("again: %v, %v", already, err)
	}
	must(t, r.endorse(bob, id))

	// It lapses while the note is stale, and nobody endorses it then.
	r.write("src/main.go", "package other\n")
	r.want(id, "open stale agent")
	if i := r.get(id); !i.Lapsed() || i.EndorsedBy != "bob" {
		t.Errorf("%+v", i)
	}
	r.refuses(model.CodeRefused, func() error { return r.endorse(ann, id) })
	r.write("src/main.go", "package main\n")
	r.want(id, "open fresh endorsed")

	own := r.add(ann, "src/main.go").ID
	r.refuses(model.CodeRefused, func() error { return r.endorse(ann, own) })
	must(t, r.endorse(bob, own))
	nobodys := r.add(bot, "README").ID
	r.refuses(model.CodeRefused, func() error { return r.endorse(ann, nobodys) })
	// A folder can't be stale; a file that was known and can't be read may be.
	must(t, r.endorse(ann, r.add(bot, "src").ID))
	gone := r.add(bot, "src/main.go").ID
	must(t, os.RemoveAll(filepath.Join(r.tree, ".git")))
	r.look()
	r.refuses(model.CodeRefused, func() error { return r.endorse(ann, gone) })
	must(t, one(r.Retract(bg(), bot, gone)))
	r.refuses(model.CodeRefused, func() error { return r.endorse(ann, gone) })
	r.verify()
}

// TestWhoOwns goes through the files that name owners.
func TestWhoOwns(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		path  string
		may   bool
		code  string // of the refusal's text, "" for any
	}{
		"the last rule counts":         {map[string]string{"CODEOWNERS": "* @ann\n/src/ @eve\n"}, "src/main.go", false, "@eve"},
		"by mail":                      {map[string]string{"CODEOWNERS": "* t@example.invalid\n"}, "src/main.go", true, ""},
		"in .github":                   {map[string]string{".github/CODEOWNERS": "* @ANN\n", "CODEOWNERS": "* @eve\n"}, "src/main.go", true, ""},
		"a rule for a folder":          {map[string]string{"CODEOWNERS": "src/ @ann\n"}, "src", true, ""},
		"the whole project":            {map[string]string{"CODEOWNERS": "* @ann\n"}, ".", true, ""},
		"a rule without owners":        {map[string]string{"CODEOWNERS": "* @ann\n/src/\n"}, "src/main.go", false, "nobody owns"},
		"a team is nobody":             {map[string]string{"CODEOWNERS": "* @org/ann\n"}, "src/main.go", false, "@org/ann"},
		"a broken file":                {map[string]string{"CODEOWNERS": "* @ann\n/src/ \\"}, "src/main.go", false, "CODEOWNERS can't be read"},
		"a line that is too long":      {map[string]string{"CODEOWNERS": "* @ann\n#" + strings.Repeat("x", 1<<16) + "\n* @eve\n"}, "src/main.go", false, "CODEOWNERS can't be read"},
		"approvers":                    {map[string]string{"CODEOWNERS": "", "src/OWNERS": "approvers:\n- ann\n"}, "src/main.go", true, ""},
		"approvers above":              {map[string]string{"CODEOWNERS": "", "OWNERS": "approvers: [ann]\n"}, "src/main.go", true, ""},
		"not of a folder below":        {map[string]string{"CODEOWNERS": "", "src/OWNERS": "approvers: [ann]\n"}, "other", false, "nobody owns"},
		"no_parent_owners":             {map[string]string{"CODEOWNERS": "", "OWNERS": "approvers: [ann]\n", "src/OWNERS": "approvers: [eve]\noptions: {no_parent_owners: true}\n"}, "src/main.go", false, "eve"},
		"filters":                      {map[string]string{"CODEOWNERS": "", "OWNERS": "filters:\n  '\\.go$': {approvers: [ann]}\n"}, "src/main.go", true, ""},
		"a filter that does not fit":   {map[string]string{"CODEOWNERS": "", "OWNERS": "filters:\n  '\\.md$': {approvers: [ann]}\n"}, "src/main.go", false, "nobody owns"},
		"a broken filter":              {map[string]string{"CODEOWNERS": "", "OWNERS": "filters:\n  '(': {approvers: [ann]}\n"}, "src/main.go", false, "OWNERS can't be read"},
		"aliases":                      {map[string]string{"CODEOWNERS": "", "OWNERS": "approvers: [core]\n", "OWNERS_ALIASES": "aliases:\n  core: [ann, bob]\n"}, "src/main.go", true, ""},
		"a plain list":                 {map[string]string{"CODEOWNERS": "", "src/OWNERS": "# people\n@ann # first\neve@example.invalid\n"}, "src/main.go", true, ""},
		"a plain list, set noparent":   {map[string]string{"CODEOWNERS": "", "OWNERS": "ann\n", "src/OWNERS": "set noparent\neve\n"}, "src/main.go", false, "eve"},
		"a plain list with more":       {map[string]string{"CODEOWNERS": "", "OWNERS": "ann\nper-file *.go = eve\n"}, "src/main.go", false, "OWNERS can't be read"},
		"reviewers do not own":         {map[string]string{"CODEOWNERS": "", "OWNERS": "reviewers: [ann]\n"}, "src/main.go", false, "nobody owns"},
		"a folder is not a rules file": {map[string]string{"CODEOWNERS": "", "OWNERS/x": ""}, "src/main.go", false, "nobody owns"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.git("config", "user.email", "t@example.invalid")
			for file, text := range c.files {
				r.write(file, text)
			}
			id := r.add(bot, c.path).ID
			err := r.endorse(notes.Who{Name: "ann"}, id)
			if (err == nil) != c.may {
				t.Fatalf("%v", err)
			}
			if !c.may && !strings.Contains(err.Error()+model.HintOf(err), c.code) {
				t.Errorf("%v (%s), want %q in it", err, model.HintOf(err), c.code)
			}
		})
	}
}

func TestAReportHides(t *testing.T) {
	r := newRig(t)
	id, other := r.add(ann, "src/main.go").ID, r.add(bot, "src").ID
	w, err := r.Report(bg(), rob, id, "it is\nwrong", false)
	must(t, err)
	if w.State != note.Reported || w.ReportedBy != "rob" || w.Untrusted.Why != "it is\nwrong" {
		t.Errorf("%+v", w)
	}
	if got := r.listed(notes.ListOptions{Path: "src/main.go"}); got != other {
		t.Errorf("listed: %s", got)
	}
	if got := r.listed(notes.ListOptions{All: true}); got != id+" "+other {
		t.Errorf("all: %s", got)
	}
	r.refuses(model.CodeRefused, func() error { return one(r.Report(bg(), bob, id, "", false)) })
	r.refuses(model.CodeRefused, func() error { return r.endorse(bob, id) })
	r.refuses(model.CodeRefused, func() error { return one(r.Unreport(bg(), bot, id)) })
	must(t, one(r.Unreport(bg(), bob, id)))
	if i := r.get(id); i.State != note.Open || i.ReportedBy != "" || i.Untrusted.Why != "" {
		t.Errorf("%+v", i)
	}
	if got := r.listed(notes.ListOptions{}); got != id+" "+other {
		t.Errorf("listed again: %s", got)
	}
	must(t, one(r.Report(bg(), rob, id, "", false)))
	must(t, one(r.Report(bg(), rob, other, "too", false)))
	r.refuses(model.CodeRefused, func() error { return one(r.UnreportAll(bg(), bot, "rob")) })
	ids, err := r.UnreportAll(bg(), ann, "rob")
	if err != nil || !slices.Equal(ids, []string{id, other}) {
		t.Errorf("%v, %v", ids, err)
	}
	must(t, one(r.Report(bg(), rob, id, "", false)))
	must(t, one(r.Unreport(bg(), rob, id)))
	must(t, one(r.Report(bg(), rob, id, "", false)))
	must(t, one(r.Retract(bg(), ann, id)))
	r.verify()
}

func TestReportsAreCapped(t *testing.T) {
	r := newRig(t)
	id := r.add(bot, "src").ID
	for range note.HourlyReports {
		must(t, one(r.Report(bg(), rob, id, "", false)))
		must(t, one(r.Unreport(bg(), rob, id)))
		r.clock.Advance(time.Minute)
	}
	r.refuses(model.CodeRate, func() error { return one(r.Report(bg(), rob, id, "again", false)) })
	must(t, one(r.Report(bg(), bot, id, "", false)))
	must(t, one(r.Unreport(bg(), bot, id)))
	r.clock.Advance(30 * time.Minute) // the first of them is an hour old
	must(t, one(r.Report(bg(), rob, id, "", false)))
	r.verify()
}

func TestNotesAreCapped(t *testing.T) {
	r := newRig(t)
	for n := range note.DailyNotes {
		if n > 0 && n%note.HourlyNotes == 0 {
			err := one(r.Add(bg(), bot, titled("src", "too many")))
			wantCode(t, err, model.CodeRate)
			if !strings.Contains(err.Error(), "30 notes within an hour") || !strings.Contains(model.HintOf(err), "in 1:00:00") {
				t.Errorf("%v (%s)", err, model.HintOf(err))
			}
			r.clock.Advance(time.Hour)
		}
		r.add(bot, "src")
	}
	r.clock.Advance(time.Hour)
	var err error
	r.refuses(model.CodeRate, func() error { err = one(r.Add(bg(), bot, titled("src", "the 101st"))); return err })
	if !strings.Contains(err.Error(), "100 notes within a day") {
		t.Error(err)
	}
	id := r.add(rob, "src").ID
	r.refuses(model.CodeRate, func() error { return one(r.Supersede(bg(), bot, id, titled("", "in its place"))) })
	r.clock.Advance(20 * time.Hour) // the first of them are a day old
	r.add(bot, "src")
}

func TestSupersede(t *testing.T) {
	r := newRig(t)
	old := r.add(bot, "src/main.go").ID
	w, err := r.Supersede(bg(), rob, old, titled("", "better"))
	must(t, err)
	if w.Supersedes != old || w.Untrusted.Path != "src/main.go" || r.get(old).SupersededBy != w.ID {
		t.Errorf("%+v, %+v", w, r.get(old))
	}
	r.want(old, "superseded fresh agent")
	err = one(r.Supersede(bg(), rob, old, titled("", "again")))
	wantCode(t, err, model.CodeRefused)
	if !strings.Contains(model.HintOf(err), w.ID) {
		t.Errorf("the hint is %q", model.HintOf(err))
	}
	r.refuses(model.CodeNotFound, func() error { return one(r.Supersede(bg(), rob, "77", titled("a", "of none"))) })
	r.refuses(model.CodeNotFound, func() error { return one(r.Supersede(bg(), rob, "77", titled("", "of none"))) })
	// A person's, and one that a person endorsed.
	persons := r.add(ann, "src").ID
	r.refuses(model.CodeRefused, func() error { return one(r.Supersede(bg(), bot, persons, titled("", "no"))) })
	must(t, r.endorse(ann, w.ID))
	r.refuses(model.CodeRefused, func() error { return one(r.Supersede(bg(), bot, w.ID, titled("", "no"))) })
	must(t, one(r.Supersede(bg(), rob, w.ID, titled("src", "its writer may"))))
	must(t, one(r.Supersede(bg(), bob, persons, titled("", "a person may"))))
	r.verify()
}

func TestRetract(t *testing.T) {
	r := newRig(t)
	id := r.add(bot, "src").ID
	r.refuses(model.CodeRefused, func() error { return one(r.Retract(bg(), ann, id)) })
	must(t, one(r.Retract(bg(), bot, id)))
	r.want(id, "retracted unknown agent")
	r.refuses(model.CodeRefused, func() error { return one(r.Retract(bg(), bot, id)) })
	r.refuses(model.CodeRefused, func() error { return one(r.Report(bg(), bot, id, "", false)) })
}

func TestAList(t *testing.T) {
	r := newRig(t)
	top := r.add(bot, ".").ID
	dir := r.add(bot, "src").ID
	file := r.add(bot, "src/main.go").ID
	human := r.add(ann, ".").ID
	other := r.add(bot, "doc").ID
	for o, want := range map[notes.ListOptions][]string{
		{Path: "src/main.go"}:           {human, file, dir, top},
		{Path: "src"}:                   {human, dir, top},
		{Path: "doc/a/b"}:               {human, other, top},
		{Path: "."}:                     {human, top},
		{}:                              {human, file, other, dir, top}, // fresh first
		{Path: "src/main.go", Limit: 2}: {human, file},
	} {
		l, err := r.List(bg(), o)
		must(t, err)
		if got := r.listed(o); got != strings.Join(want, " ") {
			t.Errorf("%+v: %s, want %v", o, got, want)
		}
		if o.Limit > 0 && l.More != 2 {
			t.Errorf("%d more", l.More)
		}
	}
	must(t, r.endorse(ann, dir))
	if got := r.listed(notes.ListOptions{Path: "src/main.go"}); got != strings.Join([]string{dir, human, file, top}, " ") {
		t.Errorf("with an endorsed one: %s", got)
	}
	for _, o := range []notes.ListOptions{{Limit: -1}, {Limit: notes.MaxList + 1}} {
		wantCode(t, one(r.List(bg(), o)), model.CodeUsage)
	}
	for _, p := range []string{"/a", "a/../b", strings.Repeat("a/", 128) + "a"} {
		wantCode(t, one(r.List(bg(), notes.ListOptions{Path: p})), model.CodeInvalid)
		r.refuses(model.CodeInvalid, func() error { return one(r.Add(bg(), bot, titled(p, "x"))) })
	}
	wantCode(t, one(r.Get(bg(), "77")), model.CodeNotFound)
}

// TestFactsHoldNoProse writes a mark wherever an agent writes, and looks for it in
// the facts; each fact stands beside its text.
func TestFactsHoldNoProse(t *testing.T) {
	r := newRig(t)
	const mark = "XPROSEX"
	n := notes.New{Path: "src/main.go", Title: mark, Body: mark + "\n\n" + mark, Anchor: mark, Model: mark}
	w, err := r.Add(bg(), bot, n)
	must(t, err)
	must(t, one(r.Report(bg(), rob, w.ID, mark, false)))
	must(t, one(r.Unreport(bg(), ann, w.ID)))
	must(t, r.endorse(ann, w.ID))
	x, err := r.Supersede(bg(), bot, w.ID, n)
	must(t, err)
	must(t, one(r.Retract(bg(), bot, x.ID)))
	var topics []string
	for _, e := range r.events() {
		if e.Kind != model.KindCoord {
			if e.Kind != model.KindNote || e.Topic != note.TopicText || !strings.Contains(string(e.Payload), mark) {
				t.Errorf("%+v", e)
			}
			continue
		}
		topics = append(topics, e.Topic+" "+e.State)
		if !strings.Contains(string(e.Payload), `"untrusted":{"path":"src/main.go"}`) {
			t.Errorf("%s does not name the path: %s", e.Topic, e.Payload)
		}
		if strings.Contains(fmt.Sprintf("%+v %s", e, e.Payload), mark) {
			t.Errorf("%s holds prose: %s", e.Topic, e.Payload)
		}
	}
	want := []string{
		"note.added open", "note.reported reported", "note.unreported open", "note.endorsed open", "note.added open",
		"note.superseded superseded", "note.retracted retracted",
	}
	if !slices.Equal(topics, want) {
		t.Errorf("the facts are %q", topics)
	}
	if i := r.get(x.ID); i.Untrusted.Body != n.Body || i.Untrusted.Title != mark || i.Untrusted.Anchor != mark || i.Untrusted.Model != mark {
		t.Errorf("%+v", i)
	}
}

// TestSecrets: they are replaced in what is written, and refused in names.
func TestSecrets(t *testing.T) {
	r := newRig(t)
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	w, err := r.Add(bg(), bot, notes.New{Path: "src", Title: "the token", Body: "it is " + secret})
	must(t, err)
	if strings.Contains(w.Untrusted.Body, secret) || len(w.Redacted) == 0 {
		t.Errorf("%+v", w)
	}
	r.refuses(model.CodeSecret, func() error { return one(r.Add(bg(), bot, titled("src/"+secret, "x"))) })
	w, err = r.Add(bg(), bot, notes.New{Path: "src", Title: "the token", Body: "it is " + secret, AllowSecret: true})
	must(t, err)
	if w.Untrusted.Body != "it is "+secret {
		t.Errorf("%+v", w)
	}
}
