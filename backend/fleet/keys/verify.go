package keys

import (
	"bytes"
	"encoding/hex"
	"strings"

	"binnacle/backend/fleet/git"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/fleetmap"
)

// MaxCommitBytes bounds a summary's commit.
const MaxCommitBytes = 8 << 10

// Verdict is what a summary's commit turned out to be. It depends on nothing
// but the commit, the registry and the repository's name, so it is kept by
// (commit, registry); what depends on more (seq, ages) is added by the caller.
type Verdict struct {
	Commit   string
	Registry string // the registry's version
	Blob     string // of live.json, "" when it can't be told
	Readable bool
	Signed   bool
	Code     model.Code
	Why      string
	Live     fleetmap.Live // cleaned
}

// parts is a summary on its way through the checks.
type parts struct {
	name   string
	commit git.Object
	tree   git.Object
	blob   git.Object
	err    string
}

// JudgeAll reads the named machines' commits from the cache and judges them,
// in a fixed number of exchanges with one process. refs are what to read, by
// position.
func JudgeAll(rd *git.Reader, names, refs []string, reg *Signers, repo string, now model.Time) ([]Verdict, error) {
	all := make([]parts, len(names))
	commits, err := rd.Read(refs, MaxCommitBytes)
	if err != nil {
		return nil, err
	}
	trees := make([]string, len(names))
	heads := make([]CommitParts, len(names))
	for i := range names {
		all[i].name, all[i].commit = names[i], commits[i]
		heads[i], all[i].err = checkCommit(commits[i])
		trees[i] = heads[i].Tree
	}
	found, err := rd.Read(trees, MaxCommitBytes)
	if err != nil {
		return nil, err
	}
	blobs := make([]string, len(names))
	for i := range names {
		all[i].tree = found[i]
		if all[i].err == "" {
			blobs[i], all[i].err = CheckTree(found[i], trees[i])
		}
	}
	if found, err = rd.Read(blobs, fleetmap.MaxLiveBytes); err != nil {
		return nil, err
	}
	out := make([]Verdict, len(names))
	for i := range names {
		all[i].blob = found[i]
		out[i] = judge(&all[i], heads[i], blobs[i], reg, repo, now)
	}
	return out, nil
}

// judge goes through the checks behind the tree's, in the order of the
// contract.
func judge(p *parts, head CommitParts, blob string, reg *Signers, repo string, now model.Time) Verdict {
	v := Verdict{Commit: p.commit.ID, Registry: reg.Version(now), Blob: blob}
	structural := func(code model.Code, why string) Verdict {
		v.Code, v.Why = code, why
		return v
	}
	if p.err != "" {
		return structural(model.CodeMalformed, p.err)
	}
	switch {
	case p.blob.Missing, p.blob.Body == nil && p.blob.Kind == "blob":
		return structural(model.CodeOversized, "live.json is larger than 32768 bytes")
	case p.blob.Kind != "blob":
		return structural(model.CodeMalformed, "live.json is not a file")
	case git.FormatOf(blob).ObjectID("blob", p.blob.Body) != blob:
		return structural(model.CodeMalformed, "live.json has another content than its name says")
	}
	live, err := fleetmap.ParseLive(p.blob.Body)
	if err != nil {
		return structural(model.CodeOf(err), err.Error())
	}
	if live.Machine != p.name {
		return structural(model.CodeMalformed, "live.json is about the machine "+clean.Line(live.Machine))
	}
	v.Readable, v.Live = true, live.Cleaned()
	switch {
	case reg.Err != nil:
		v.Code, v.Why = model.CodeRegistry, reg.Err.Error()
	case !reg.absent():
		v.Code, v.Why = reg.verify(live.Agent, head.body, head.signature, now)
		v.Signed = v.Code == ""
	}
	if v.Code == "" && live.Repo != repo {
		v.Code, v.Why = model.CodeOtherRepo, "the summary is about "+clean.Line(live.Repo)+", and this is "+clean.Line(repo)+"; [fleet] repo in config.toml names it alike for all"
	}
	if v.Code != "" {
		v.Live.Rows = nil
	}
	return v
}

// CommitParts is a commit's body, taken apart: what was signed, and the
// signature.
type CommitParts struct {
	Tree      string
	body      []byte
	signature []byte
}

// checkCommit demands a commit of at most 8 KiB whose hash is its name, with
// exactly a tree, an author, a committer and at most one signature.
func checkCommit(o git.Object) (CommitParts, string) {
	switch {
	case o.Missing:
		return CommitParts{}, "its commit is not there"
	case o.Kind != "commit":
		return CommitParts{}, "it is not a commit but a " + clean.Line(o.Kind)
	case o.Body == nil:
		return CommitParts{}, "its commit is larger than 8 KiB"
	case git.FormatOf(o.ID).ObjectID("commit", o.Body) != o.ID:
		return CommitParts{}, "its commit has another content than its name says"
	}
	return SplitCommit(o.Body, git.FormatOf(o.ID))
}

// SplitCommit takes apart a commit that has a tree, an author, a committer and at
// most one signature; why says what is wrong with any other.
func SplitCommit(body []byte, o git.Format) (CommitParts, string) {
	const shape = "its commit has other headers than tree, author, committer and one signature"
	end := bytes.Index(body, []byte("\n\n"))
	if end < 0 {
		return CommitParts{}, shape
	}
	var c CommitParts
	signature := "gpgsig "
	if o == git.SHA256 {
		signature = "gpgsig-sha256 "
	}
	want := []string{"tree ", "author ", "committer ", signature}
	step := 0
	for at := 0; at <= end; {
		next := at + bytes.IndexByte(body[at:], '\n') + 1
		line := string(body[at : next-1])
		if step == len(want) || !strings.HasPrefix(line, want[step]) {
			return CommitParts{}, shape
		}
		value := line[len(want[step]):]
		switch step {
		case 0:
			if c.Tree = value; !fleetmap.HexID(value) || len(value) != 2*o.Size() {
				return CommitParts{}, shape
			}
		case 3:
			sig := []byte(value + "\n")
			stop := next
			for stop <= end && body[stop] == ' ' {
				n := stop + bytes.IndexByte(body[stop:], '\n') + 1
				sig = append(sig, body[stop+1:n]...)
				stop = n
			}
			c.signature = sig
			c.body = append(append([]byte(nil), body[:at]...), body[stop:]...)
			next = stop
		}
		step++
		at = next
	}
	if step < 3 {
		return CommitParts{}, shape
	}
	if c.body == nil {
		c.body = body
	}
	return c, ""
}

// CheckTree demands a tree of exactly one plain file, live.json, and names it.
func CheckTree(o git.Object, id string) (blob, why string) {
	const shape = "its tree holds something other than the one file live.json"
	const entry = "100644 live.json\x00"
	f := git.FormatOf(id)
	switch {
	case o.Missing:
		return "", "its tree is not there"
	case o.Kind != "tree", len(o.Body) != len(entry)+f.Size(), !bytes.HasPrefix(o.Body, []byte(entry)):
		return "", shape
	case f.ObjectID("tree", o.Body) != id:
		return "", "its tree has another content than its name says"
	}
	return hex.EncodeToString(o.Body[len(entry):]), ""
}
