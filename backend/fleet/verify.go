package fleet

import (
	"bytes"
	"encoding/hex"
	"strings"

	"binnacle/model"
)

// maxCommitBytes bounds a summary's commit.
const maxCommitBytes = 8 << 10

// verdict is what a summary's commit turned out to be. It depends on nothing
// but the commit, the registry and the repository's name, so it is kept by
// (commit, registry); what depends on more (seq, ages) is added by the caller.
type verdict struct {
	commit   string
	registry string // the registry's version
	blob     string // of live.json, "" when it can't be told
	readable bool
	signed   bool
	code     model.Code
	why      string
	live     model.Live // cleaned
}

// parts is a summary on its way through the checks.
type parts struct {
	name   string
	commit object
	tree   object
	blob   object
	err    string
}

// judgeAll reads the named machines' commits from the cache and judges them,
// in a fixed number of exchanges with one process. refs are what to read, by
// position.
func judgeAll(rd *reader, names, refs []string, reg *registry, repo string, now model.Time) ([]verdict, error) {
	all := make([]parts, len(names))
	commits, err := rd.read(refs, maxCommitBytes)
	if err != nil {
		return nil, err
	}
	trees := make([]string, len(names))
	heads := make([]commitParts, len(names))
	for i := range names {
		all[i].name, all[i].commit = names[i], commits[i]
		heads[i], all[i].err = checkCommit(commits[i])
		trees[i] = heads[i].tree
	}
	found, err := rd.read(trees, maxCommitBytes)
	if err != nil {
		return nil, err
	}
	blobs := make([]string, len(names))
	for i := range names {
		all[i].tree = found[i]
		if all[i].err == "" {
			blobs[i], all[i].err = checkTree(found[i], trees[i])
		}
	}
	if found, err = rd.read(blobs, model.MaxLiveBytes); err != nil {
		return nil, err
	}
	out := make([]verdict, len(names))
	for i := range names {
		all[i].blob = found[i]
		out[i] = judge(&all[i], heads[i], blobs[i], reg, repo, now)
	}
	return out, nil
}

// judge goes through the checks behind the tree's, in the order of the
// contract.
func judge(p *parts, head commitParts, blob string, reg *registry, repo string, now model.Time) verdict {
	v := verdict{commit: p.commit.id, registry: reg.version(now), blob: blob}
	structural := func(code model.Code, why string) verdict {
		v.code, v.why = code, why
		return v
	}
	if p.err != "" {
		return structural(model.CodeMalformed, p.err)
	}
	switch {
	case p.blob.missing, p.blob.body == nil && p.blob.kind == "blob":
		return structural(model.CodeOversized, "live.json is larger than 32768 bytes")
	case p.blob.kind != "blob":
		return structural(model.CodeMalformed, "live.json is no file")
	case formatOf(blob).objectID("blob", p.blob.body) != blob:
		return structural(model.CodeMalformed, "live.json has another content than its name says")
	}
	live, err := model.ParseLive(p.blob.body)
	if err != nil {
		return structural(model.CodeOf(err), err.Error())
	}
	if live.Machine != p.name {
		return structural(model.CodeMalformed, "live.json is about the machine "+model.Clean(live.Machine))
	}
	v.readable, v.live = true, live.Cleaned()
	switch {
	case reg.err != nil:
		v.code, v.why = model.CodeRegistry, reg.err.Error()
	case !reg.absent():
		v.code, v.why = reg.verify(live.Agent, head.body, head.signature, now)
		v.signed = v.code == ""
	}
	if v.code == "" && live.Repo != repo {
		v.code, v.why = model.CodeOtherRepo, "the summary is about "+model.Clean(live.Repo)+", and this is "+model.Clean(repo)+"; [fleet] repo in config.toml names it alike for all"
	}
	if v.code != "" {
		v.live.Rows = nil
	}
	return v
}

// commitParts is a commit's body, taken apart: what was signed, and the
// signature.
type commitParts struct {
	tree      string
	body      []byte
	signature []byte
}

// checkCommit demands a commit of at most 8 KiB whose hash is its name, with
// exactly a tree, an author, a committer and at most one signature.
func checkCommit(o object) (commitParts, string) {
	switch {
	case o.missing:
		return commitParts{}, "its commit is not there"
	case o.kind != "commit":
		return commitParts{}, "it is no commit but a " + model.Clean(o.kind)
	case o.body == nil:
		return commitParts{}, "its commit is larger than 8 KiB"
	case formatOf(o.id).objectID("commit", o.body) != o.id:
		return commitParts{}, "its commit has another content than its name says"
	}
	return splitCommit(o.body, formatOf(o.id))
}

func splitCommit(body []byte, o format) (commitParts, string) {
	const shape = "its commit has other headers than tree, author, committer and one signature"
	end := bytes.Index(body, []byte("\n\n"))
	if end < 0 {
		return commitParts{}, shape
	}
	var c commitParts
	signature := "gpgsig "
	if o == formatSHA256 {
		signature = "gpgsig-sha256 "
	}
	want := []string{"tree ", "author ", "committer ", signature}
	step := 0
	for at := 0; at <= end; {
		next := at + bytes.IndexByte(body[at:], '\n') + 1
		line := string(body[at : next-1])
		if step == len(want) || !strings.HasPrefix(line, want[step]) {
			return commitParts{}, shape
		}
		value := line[len(want[step]):]
		switch step {
		case 0:
			if c.tree = value; !model.HexID(value) || len(value) != 2*o.size() {
				return commitParts{}, shape
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
		return commitParts{}, shape
	}
	if c.body == nil {
		c.body = body
	}
	return c, ""
}

// checkTree demands a tree of exactly one plain file, live.json, and names it.
func checkTree(o object, id string) (blob, why string) {
	const shape = "its tree holds something other than the one file live.json"
	const entry = "100644 live.json\x00"
	f := formatOf(id)
	switch {
	case o.missing:
		return "", "its tree is not there"
	case o.kind != "tree", len(o.body) != len(entry)+f.size(), !bytes.HasPrefix(o.body, []byte(entry)):
		return "", shape
	case f.objectID("tree", o.body) != id:
		return "", "its tree has another content than its name says"
	}
	return hex.EncodeToString(o.body[len(entry):]), ""
}
