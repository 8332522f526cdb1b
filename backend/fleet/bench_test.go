package fleet

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/keys"
	"binnacle/model/fleetmap"
	"binnacle/model/session"

	"golang.org/x/crypto/ssh"
)

// fullFleet is a remote with 256 signed summaries of 64 rows, and a reader that
// fetched them.
func fullFleet(b *testing.B) (*node, ssh.Signer, forge) {
	b.Helper()
	w := newWorld(b)
	g := forge{w}
	key := newKey(b)
	w.land(keys.RegistryPath, "ci "+keys.PublicLine(key.PublicKey())+"\n", "keys")
	var lines strings.Builder
	for i := range fleetmap.MaxMachines {
		name := fmt.Sprintf("m-%03d", i)
		fmt.Fprintf(&lines, "%s refs/bay/live/%s\n", g.summary(fullLive(name, 1), signWith(b, key)), name)
	}
	head := w.git(w.remote, "rev-parse", "refs/heads/main")
	must(b, os.WriteFile(filepath.Join(w.remote, "packed-refs"), []byte("# pack-refs with: peeled fully-peeled sorted \n"+lines.String()+head+" refs/heads/main\n"), 0o644))
	w.git(w.remote, "repack", "-a", "-d", "-q")
	n := w.node("reader")
	n.fetch()
	if m := n.fleet(); len(m.Sessions) != 64*256 {
		b.Fatalf("%d sessions; %+v", len(m.Sessions), m.Machines[0])
	}
	return n, key, g
}

func fullLive(name string, seq int64) fleetmap.Live {
	l := live(name, seq)
	l.Agent, l.Rows = "ci", nil
	for i := range 64 {
		l.Rows = append(l.Rows, fleetmap.LiveRow{
			Session: fmt.Sprintf("session-%s-%02d-0123456789abcdef", name, i), Actor: "ada", Agent: "claude-code", Change: fmt.Sprintf("C-%d", i),
			Base: strings.Repeat("0", 40), State: session.Working, Event: "PostToolUse", EventSeq: int64(i), Age: time.Duration(i) * time.Second,
			Ctx: session.ContextUse{Used: 37128, Max: 258400}, LastWrite: "backend/fleet/verify.go", WriteAge: time.Second,
			Paths: []string{"backend/fleet/", "model/live.go"}, View: "/home/ada/src/app",
		})
	}
	return l
}

// BenchmarkRead measures reading, verifying and parsing summaries: all 256
// cold, 10 that changed, and beside them what `git verify-commit` alone takes
// for 256 (from 4 of them).
func BenchmarkRead(b *testing.B) {
	n, _, _ := fullFleet(b)
	forget := func(changed int) {
		n.mirror.mu.Lock()
		defer n.mirror.mu.Unlock()
		known := n.memory.verdicts
		n.memory.state, n.memory.machines = nil, nil
		if changed == fleetmap.MaxMachines {
			n.memory.verdicts = nil
			return
		}
		next := map[string]keys.Verdict{}
		for name, v := range known {
			next[name] = v
		}
		for i := range changed {
			delete(next, fmt.Sprintf("m-%03d", i))
		}
		n.memory.verdicts = next
	}
	for _, changed := range []int{fleetmap.MaxMachines, 10} {
		b.Run(fmt.Sprintf("changed=%d", changed), func(b *testing.B) {
			for b.Loop() {
				forget(changed)
				if _, err := n.look(bg()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("git-verify-commit=256", func(b *testing.B) {
		r, err := n.remoteFor(bg())
		must(b, err)
		signers := filepath.Join(b.TempDir(), "signers")
		must(b, os.WriteFile(signers, []byte(n.w.git(n.w.remote, "show", "main:"+keys.RegistryPath)+"\n"), 0o600))
		for b.Loop() {
			began := time.Now()
			for i := range 4 {
				cmd := exec.Command("git", "--git-dir="+r.Live().Dir, "-c", "gpg.format=ssh", "-c", "gpg.ssh.allowedSignersFile="+signers, "verify-commit", liveRef(fmt.Sprintf("m-%03d", i)))
				cmd.Env = n.w.env
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v %s", err, out)
				}
			}
			b.ReportMetric(float64(time.Since(began).Milliseconds())*64, "ms/256")
		}
	})
}

// BenchmarkMap is `status --fleet` from a running process's memory.
func BenchmarkMap(b *testing.B) {
	n, _, _ := fullFleet(b)
	for b.Loop() {
		n.clock.add(time.Millisecond)
		if _, err := n.Map(bg()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRefresh is a fetch with 10 changed refs of 256, and beside it the
// two git calls that it needs.
func BenchmarkRefresh(b *testing.B) {
	n, key, g := fullFleet(b)
	seq := int64(1)
	change := func() []string {
		seq++
		var names []string
		for i := range 10 {
			name := fmt.Sprintf("m-%03d", (int(seq)*10+i)%250)
			g.publish(name, fullLive(name, seq), signWith(b, key))
			names = append(names, name)
		}
		return names
	}
	r, err := n.remoteFor(bg())
	must(b, err)
	var ours, gits time.Duration
	for b.Loop() {
		change()
		began := time.Now()
		if rep := n.fetch(); len(rep.Changed) != 10 {
			b.Fatalf("%+v", rep)
		}
		ours += time.Since(began)
		names := change()
		began = time.Now()
		if _, err := r.Refs(bg()); err != nil {
			b.Fatal(err)
		}
		var lines strings.Builder
		for _, name := range names {
			lines.WriteString("+refs/bay/live/" + name + ":" + liveRef(name) + "\n")
		}
		if _, why, err := r.Live().Fetch(bg(), git.FetchJob{
			Filter: "blob:limit=32769", More: []string{"--depth=1"}, Config: []string{"fetch.negotiationAlgorithm=noop"}, Specs: lines.String(),
		}); err != nil || why != "" {
			b.Fatal(err, why)
		}
		gits += time.Since(began)
		n.fetch() // the state learns what git's part brought
	}
	b.ReportMetric(float64(ours)/float64(gits), "ratio")
	b.ReportMetric(float64(ours.Milliseconds())/float64(b.N), "ms/ours")
	b.ReportMetric(float64(gits.Milliseconds())/float64(b.N), "ms/git")
}

// BenchmarkPublish is making a signed summary, without sending it.
func BenchmarkPublish(b *testing.B) {
	w := newWorld(b)
	n := w.node("a", func(o *Options) { o.Agent = "ci" })
	_, err := n.KeyNew("ci")
	must(b, err)
	r, err := n.remoteFor(bg())
	must(b, err)
	l := fullLive("m-a", 1)
	for b.Loop() {
		l.Seq++
		if _, _, err := n.own().Commit(r.Publish(), keys.FileCommit{Name: "live.json", Content: l.Encode(), Message: "live " + n.Machine(), At: l.WrittenAt}); err != nil {
			b.Fatal(err)
		}
	}
}
