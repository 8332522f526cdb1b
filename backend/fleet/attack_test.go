package fleet

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/keys"
	"binnacle/model"
	"binnacle/model/fleetmap"
	"binnacle/model/session"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// forge writes objects and refs straight into the remote, as somebody with the
// right to push could.
type forge struct {
	w *world
}

func (g forge) object(kind string, body []byte) string {
	g.w.t.Helper()
	id, err := git.Bare{Remote: &git.Remote{Format: git.SHA1}, Dir: g.w.remote}.Store(kind, body)
	must(g.w.t, err)
	return id
}

func (g forge) ref(name, id string) {
	g.w.t.Helper()
	path := filepath.Join(g.w.remote, filepath.FromSlash(name))
	must(g.w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(g.w.t, os.WriteFile(path, []byte(id+"\n"), 0o644))
}

func (g forge) dropRef(name string) {
	g.w.t.Helper()
	must(g.w.t, os.Remove(filepath.Join(g.w.remote, filepath.FromSlash(name))))
}

func (g forge) tree(entries ...string) string {
	var b bytes.Buffer
	for _, e := range entries { // "mode name id"
		f := strings.Fields(e)
		raw, err := hex.DecodeString(f[2])
		must(g.w.t, err)
		b.WriteString(f[0] + " " + f[1] + "\x00")
		b.Write(raw)
	}
	return g.object("tree", b.Bytes())
}

const who = "x <x@example.invalid> 1790000000 +0000"

func plainCommit(tree string) []byte {
	return []byte("tree " + tree + "\nauthor " + who + "\ncommitter " + who + "\n\nlive\n")
}

// live is an innocent summary.
func live(machine string, seq int64, rows ...fleetmap.LiveRow) fleetmap.Live {
	if rows == nil {
		rows = []fleetmap.LiveRow{{Session: "s", Actor: "eve", State: session.Working, Age: time.Second}}
	}
	return fleetmap.Live{Repo: "example.invalid/app", Machine: machine, Boot: "b", Seq: seq, WrittenAt: 1e15, Rows: rows}
}

func (g forge) summary(l fleetmap.Live, sign func(body []byte) []byte) string {
	tree := g.tree("100644 live.json " + g.object("blob", l.Encode()))
	body := plainCommit(tree)
	if sign != nil {
		body = sign(body)
	}
	return g.object("commit", body)
}

func (g forge) publish(machine string, l fleetmap.Live, sign func([]byte) []byte) {
	g.ref("refs/bay/live/"+machine, g.summary(l, sign))
}

func TestAttacksOnShapeAndContent(t *testing.T) {
	w := newWorld(t)
	g := forge{w}
	good := live("m-good", 1)
	blob := g.object("blob", good.Encode())
	tree := g.tree("100644 live.json " + blob)
	commit := g.object("commit", plainCommit(tree))
	text := func(machine, old, with string) string {
		l := live(machine, 1)
		raw := string(l.Encode())
		out := strings.Replace(raw, old, with, 1)
		if out == raw {
			t.Fatalf("%q is not in %s", old, raw)
		}
		return g.object("commit", plainCommit(g.tree("100644 live.json "+g.object("blob", []byte(out)))))
	}
	content := func(body string) string {
		return g.object("commit", plainCommit(g.tree("100644 live.json "+g.object("blob", []byte(body)))))
	}
	header := func(lines string) string {
		return g.object("commit", []byte("tree "+tree+"\n"+lines+"\n\nlive\n"))
	}
	people := "author " + who + "\ncommitter " + who
	want := map[string]model.Code{"m-hostile": ""}
	for _, a := range []struct {
		name string
		id   string
		code model.Code
	}{
		{"a-blob", blob, model.CodeMalformed},
		{"a-tree", tree, model.CodeMalformed},
		{"a-tag", g.object("tag", []byte("object "+commit+"\ntype commit\ntag v1\ntagger "+who+"\n\nx\n")), model.CodeMalformed},
		{"parent", header("parent " + commit + "\n" + people), model.CodeMalformed},
		{"two-parents", header("parent " + commit + "\nparent " + commit + "\n" + people), model.CodeMalformed},
		{"encoding", header(people + "\nencoding latin1"), model.CodeMalformed},
		{"extra-header", header(people + "\nmergetag x"), model.CodeMalformed},
		{"two-signatures", header(people + "\ngpgsig a\n b\ngpgsig c"), model.CodeMalformed},
		{"header-continued", header(people + "\n continued"), model.CodeMalformed},
		{"long-commit", g.object("commit", append(plainCommit(tree), bytes.Repeat([]byte("x"), keys.MaxCommitBytes)...)), model.CodeMalformed},
		{"two-files", g.object("commit", plainCommit(g.tree("100644 extra "+blob, "100644 live.json "+blob))), model.CodeMalformed},
		{"executable", g.object("commit", plainCommit(g.tree("100755 live.json "+blob))), model.CodeMalformed},
		{"symlink", g.object("commit", plainCommit(g.tree("120000 live.json "+blob))), model.CodeMalformed},
		{"folder", g.object("commit", plainCommit(g.tree("40000 live.json "+tree))), model.CodeMalformed},
		{"other-name", g.object("commit", plainCommit(g.tree("100644 Live.json "+blob))), model.CodeMalformed},
		{"empty-tree", g.object("commit", plainCommit(g.tree())), model.CodeMalformed},
		{"oversized", content(strings.Repeat(" ", fleetmap.MaxLiveBytes+1)), model.CodeOversized},
		{"megabyte", content(strings.Repeat("x", 1<<20)), model.CodeOversized},
		{"empty", content(""), model.CodeMalformed},
		{"no-json", content("hello"), model.CodeMalformed},
		{"second-value", text("second-value", "]}\n", "]}{}"), model.CodeMalformed},
		{"duplicate", text("duplicate", `"boot":`, `"machine":"x","boot":`), model.CodeMalformed},
		{"capital", text("capital", `"boot":`, `"Rows":[],"boot":`), model.CodeMalformed},
		{"deep", text("deep", `"boot":`, `"x":`+strings.Repeat("[", 17)+strings.Repeat("]", 17)+`,"boot":`), model.CodeMalformed},
		{"number", text("number", `"seq":1`, `"seq":1e999`), model.CodeMalformed},
		{"negative", text("negative", `"age_ms":1000`, `"age_ms":-1`), model.CodeMalformed},
		{"schema", text("schema", "live/1", "live/9"), model.CodeMalformed},
		{"not-utf8", text("not-utf8", `"actor":"eve"`, "\"actor\":\"\xff\""), model.CodeMalformed},
		{"other-machine", text("m-good", `"seq":1`, `"seq":2`), model.CodeMalformed},
		{"other-repo", text("other-repo", "example.invalid/app", "example.invalid/other"), model.CodeOtherRepo},
		{"m-good", commit, ""},
	} {
		g.ref("refs/bay/live/"+a.name, a.id)
		want[a.name] = a.code
	}
	hostile := live("m-hostile", 1, fleetmap.LiveRow{
		Session: "s\x1b]52;c;!\x07", Actor: "\u202eeve\u009b2J", State: session.Working, View: "a\nb", Paths: []string{"\x1b[6n"},
	})
	g.publish("m-hostile", hostile, nil)
	for _, bad := range []string{"UPPER", "m-a.b", strings.Repeat("a", 64), "m-dir/sub", "-m"} {
		g.ref("refs/bay/live/"+bad, commit)
	}
	g.ref("refs/heads/refs/bay/live/m-liar", commit) // ends like one
	n := w.node("reader")
	r := n.fetch()
	if r.Machines != len(want) || len(r.Quarantined) != 0 {
		t.Fatalf("%d machines, quarantined %v", r.Machines, r.Quarantined)
	}
	m := n.fleet()
	for _, x := range m.Machines {
		code := want[x.Machine]
		if x.Code != code {
			t.Errorf("%s: %q (%s), want %q", x.Machine, x.Code, x.Why, code)
		}
		if x.Readable != (code == "" || code == model.CodeOtherRepo) {
			t.Errorf("%s: readable %v", x.Machine, x.Readable)
		}
		if code != "" && (x.Why == "" || x.Fresh != 0) {
			t.Errorf("%s: why %q, fresh %d", x.Machine, x.Why, x.Fresh)
		}
	}
	if len(m.Sessions) != 2 {
		t.Errorf("sessions %+v", m.Sessions)
	}
	for _, s := range m.Sessions {
		if all := s.Session + s.Actor + s.View + strings.Join(s.Paths, ""); strings.ContainsAny(all, "\x1b\u202e\u009b\n\x07") {
			t.Errorf("not cleaned: %q", all)
		}
	}
	if size := folderSize(t, filepath.Join(w.dir, "reader-state", "remotes")); size > 4<<20 {
		t.Errorf("the cache has %d bytes: the filter did not hold", size)
	}
}

func folderSize(t testing.TB, dir string) int64 {
	t.Helper()
	var n int64
	must(t, filepath.Walk(dir, func(_ string, i os.FileInfo, err error) error {
		if err == nil && i.Mode().IsRegular() {
			n += i.Size()
		}
		return err
	}))
	return n
}

func newKey(t testing.TB) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	s, err := ssh.NewSignerFromKey(private)
	must(t, err)
	return s
}

func signWith(t testing.TB, key ssh.Signer) func([]byte) []byte {
	return func(body []byte) []byte {
		out, err := keys.SignCommit(body, git.SHA1, key)
		must(t, err)
		return out
	}
}

func TestAttacksOnSignatures(t *testing.T) {
	w := newWorld(t)
	g := forge{w}
	ci, other, stranger, old, later, filer := newKey(t), newKey(t), newKey(t), newKey(t), newKey(t), newKey(t)
	line := func(agent, options string, k ssh.Signer) string {
		return agent + options + " " + keys.PublicLine(k.PublicKey()) + "\n"
	}
	w.land(keys.RegistryPath, "# keys\n"+line("ci", ` namespaces="git"`, ci)+line("other", "", other)+
		line("old", ` valid-before="20200101Z"`, old)+line("later", ` valid-after="20990101Z"`, later)+line("filer", ` namespaces="file"`, filer), "keys")
	agent := func(machine, name string) fleetmap.Live {
		l := live(machine, 10)
		l.Agent = name
		return l
	}
	armor := func(namespace string, key ssh.Signer) func([]byte) []byte {
		return func(body []byte) []byte {
			sig, err := sshsig.Sign(bytes.NewReader(body), key, sshsig.HashSHA512, namespace)
			must(t, err)
			return git.WithSignature(body, git.SHA1, sshsig.Armor(sig))
		}
	}
	raw := func(text string) func([]byte) []byte {
		return func(body []byte) []byte { return git.WithSignature(body, git.SHA1, []byte(text)) }
	}
	copied := func(body []byte) []byte {
		sig, err := sshsig.Sign(strings.NewReader("something else"), ci, sshsig.HashSHA512, "git")
		must(t, err)
		return git.WithSignature(body, git.SHA1, sshsig.Armor(sig))
	}
	tampered := func(body []byte) []byte {
		return bytes.Replace(signWith(t, ci)(body), []byte("\n\nlive\n"), []byte("\n\nlove\n"), 1)
	}
	want := map[string]model.Code{}
	for _, a := range []struct {
		name  string
		agent string
		sign  func([]byte) []byte
		code  model.Code
	}{
		{"good", "ci", signWith(t, ci), ""},
		{"unsigned", "ci", nil, model.CodeUnsigned},
		{"nobody", "", nil, model.CodeUnsigned},
		{"borrowed-key", "ci", signWith(t, other), model.CodeWrongKey},
		{"strange-key", "ci", signWith(t, stranger), model.CodeWrongKey},
		{"no-such-agent", "nobody", signWith(t, ci), model.CodeWrongKey},
		{"no-agent", "", signWith(t, ci), model.CodeWrongKey},
		{"pattern", "*", signWith(t, ci), model.CodeWrongKey},
		{"list", "ci,other", signWith(t, ci), model.CodeWrongKey},
		{"other-namespace", "ci", armor("file", ci), model.CodeBadSig},
		{"copied", "ci", copied, model.CodeBadSig},
		{"tampered", "ci", tampered, model.CodeBadSig},
		{"garbage", "ci", raw("garbage"), model.CodeBadSig},
		{"empty-armor", "ci", raw("-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----\n"), model.CodeBadSig},
		{"pgp", "ci", raw("-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----\n"), model.CodeBadSig},
		{"expired", "old", signWith(t, old), model.CodeWrongKey},
		{"not-yet", "later", signWith(t, later), model.CodeWrongKey},
		{"other-use", "filer", signWith(t, filer), model.CodeWrongKey},
	} {
		g.publish(a.name, agent(a.name, a.agent), a.sign)
		want[a.name] = a.code
	}
	n := w.node("reader")
	n.fetch()
	m := n.fleet()
	for _, x := range m.Machines {
		if x.Code != want[x.Machine] || x.Signed != (want[x.Machine] == "") {
			t.Errorf("%s: %q (%s) signed %v, want %q", x.Machine, x.Code, x.Why, x.Signed, want[x.Machine])
		}
		if !x.Readable {
			t.Errorf("%s: not readable; a signature is no matter of shape", x.Machine)
		}
	}
	if len(m.Machines) != len(want) || len(m.Sessions) != 1 || len(m.Actors) != 1 {
		t.Errorf("%d machines, sessions %+v, actors %+v", len(m.Machines), m.Sessions, m.Actors)
	}

	// Removing the key acts at the next read of the new trunk, though the
	// summary is the same.
	w.land(keys.RegistryPath, line("other", "", other), "drop ci")
	n.fetch()
	if x := machineOf(t, n.fleet(), "good"); x.Code != model.CodeWrongKey {
		t.Errorf("after its key was removed: %+v", x)
	}
	// A registry that can't be read lists nobody.
	w.land(keys.RegistryPath, line("ci", "", ci)+"ci ssh-ed25519 not-a-key\n", "break it")
	n.fetch()
	m = n.fleet()
	if x := machineOf(t, m, "good"); x.Code != model.CodeRegistry || len(m.Sessions) != 0 || m.Note == "" {
		t.Errorf("with a broken registry: %+v, note %q", x, m.Note)
	}
	must(t, os.Remove(filepath.Join(w.dir, "seed", keys.RegistryPath)))
	must(t, os.Symlink("../../README", filepath.Join(w.dir, "seed", keys.RegistryPath)))
	w.land("x", "x", "a link for a registry")
	n.fetch()
	if x := machineOf(t, n.fleet(), "good"); x.Code != model.CodeRegistry {
		t.Errorf("with a link for a registry: %+v", x)
	}
	// The work tree's registry counts for nothing.
	must(t, os.MkdirAll(filepath.Join(n.repo, ".bay", "keys"), 0o755))
	must(t, os.WriteFile(filepath.Join(n.repo, keys.RegistryPath), []byte(line("ci", "", ci)), 0o644))
	if x := machineOf(t, n.fleet(), "good"); x.Code != model.CodeRegistry {
		t.Errorf("the work tree's registry counted: %+v", x)
	}
}

func TestReplaysAndFirstSights(t *testing.T) {
	w := newWorld(t)
	g := forge{w}
	n := w.node("reader")
	at := func(name string) (fleetmap.Machine, []fleetmap.Session) {
		t.Helper()
		n.fetch()
		m := n.fleet()
		return machineOf(t, m, name), sessionsOf(m, name)
	}
	one := live("m-x", 100)
	g.publish("m-x", one, nil)
	if m, s := at("m-x"); m.Age != 0 || len(s) != 1 {
		t.Fatalf("first: %+v %v", m, s)
	}
	// 10: the same bytes in a new commit go on ageing.
	n.clock.add(20 * time.Second)
	tree := g.tree("100644 live.json " + g.object("blob", one.Encode()))
	g.ref("refs/bay/live/m-x", g.object("commit", append(plainCommit(tree), "again\n"...)))
	if m, s := at("m-x"); m.Age != 20*time.Second || len(s) != 1 || s[0].RowAge != 21*time.Second {
		t.Fatalf("10: %+v %v", m, s)
	}
	// 11, 12: gone after the next fetch; back with the same bytes, the age goes on.
	g.dropRef("refs/bay/live/m-x")
	n.clock.add(10 * time.Second)
	if r := n.fetch(); len(r.Vanished) != 1 || len(n.fleet().Machines) != 0 {
		t.Fatalf("11: %+v", r)
	}
	g.publish("m-x", one, nil)
	n.clock.add(10 * time.Second)
	if m, _ := at("m-x"); m.Age != 40*time.Second {
		t.Fatalf("12: %+v", m)
	}
	// 7: new bytes begin anew.
	n.clock.add(160 * time.Second)
	g.publish("m-x", live("m-x", 200), nil)
	if m, s := at("m-x"); m.Age != 0 || len(s) != 1 {
		t.Fatalf("7: %+v", m)
	}
	// 8: back to the old bytes: their own age, and no sessions.
	g.publish("m-x", one, nil)
	if m, s := at("m-x"); m.Code != model.CodeReplayed || m.Age != 200*time.Second || len(s) != 0 {
		t.Fatalf("8: %+v %v", m, s)
	}
	// 9: new bytes with an old number.
	g.publish("m-x", live("m-x", 150), nil)
	if m, s := at("m-x"); m.Code != model.CodeReplayed || len(s) != 0 {
		t.Fatalf("9: %+v %v", m, s)
	}
	// Deleting the ref is no way round it, nor is another process.
	g.dropRef("refs/bay/live/m-x")
	n.fetch()
	g.publish("m-x", live("m-x", 199), nil)
	again := w.node("reader")
	again.clock.add(time.Hour)
	again.fetch()
	if m := machineOf(t, again.fleet(), "m-x"); m.Code != model.CodeReplayed {
		t.Fatalf("after a delete: %+v", m)
	}
	// A number that failed verification must not count: that would lock the
	// machine out.
	bad := live("m-x", 1<<50)
	bad.Repo = "example.invalid/other"
	g.publish("m-x", bad, nil)
	again.fetch()
	g.publish("m-x", live("m-x", 201), nil)
	again.fetch()
	if m := machineOf(t, again.fleet(), "m-x"); m.Code != "" {
		t.Fatalf("an unverified number was believed: %+v", m)
	}
}

func TestHostileObjectsAreQuarantinedAlone(t *testing.T) {
	w := newWorld(t)
	g := forge{w}
	for i := range 6 {
		name := fmt.Sprintf("m-%d", i)
		g.publish(name, live(name, 1), nil)
	}
	tree := g.tree("100644 live.json " + g.object("blob", []byte("{}")))
	g.ref("refs/bay/live/m-bad", g.object("commit", []byte("tree "+tree+"\ncommitter "+who+"\n\nno author\n")))
	n := w.node("reader")
	r := n.fetch()
	if len(r.Quarantined) != 1 || r.Quarantined["m-bad"] == "" || r.Machines != 7 {
		t.Fatalf("%+v", r)
	}
	m := n.fleet()
	if x := machineOf(t, m, "m-bad"); x.Code != model.CodeQuarantined || x.Readable || len(m.Sessions) != 6 {
		t.Fatalf("%+v, sessions %d", x, len(m.Sessions))
	}
	// It is not asked for again, until it is another.
	started := n.Fleet.repo.Started()
	n.fetch()
	if got := n.Fleet.repo.Started() - started; got != 2 { // config, ls-remote
		t.Errorf("%d processes for a fetch without a change", got)
	}
	g.publish("m-bad", live("m-bad", 2), nil)
	n.fetch()
	if x := machineOf(t, n.fleet(), "m-bad"); x.Code != "" {
		t.Errorf("after it was mended: %+v", x)
	}
}

func TestAHostWithoutFilters(t *testing.T) {
	w := newWorld(t)
	w.git(w.remote, "config", "uploadpack.allowFilter", "false")
	g := forge{w}
	for i := range 3 {
		name := fmt.Sprintf("m-%d", i)
		g.publish(name, live(name, 1), nil)
	}
	junk := make([]byte, 3<<20)
	_, err := rand.Read(junk)
	must(t, err)
	g.ref("refs/bay/live/m-huge", g.object("commit", plainCommit(g.tree("100644 live.json "+g.object("blob", junk)))))
	n := w.node("reader")
	n.fetch()
	m := n.fleet()
	if x := machineOf(t, m, "m-huge"); x.Code == "" || len(m.Sessions) != 3 {
		t.Fatalf("%+v, sessions %d", x, len(m.Sessions))
	}
	if size := folderSize(t, filepath.Join(w.dir, "reader-state", "remotes")); size > 2<<20 {
		t.Errorf("%d bytes were kept", size)
	}
}
