package git

import (
	"context"
	"errors"
	"strings"

	"binnacle/model/clean"
)

// Push pushes one commit to one ref under a lease: old is what the remote must
// have, "" for nothing. There is no plus and no force: either would override
// the lease. why is the reason of a refusal, "" when it landed.
func (b Bare) Push(ctx context.Context, ref, old, id string) (why string, err error) {
	res, err := b.run(ctx, child{
		config: []string{"push.negotiate=false", "push.pushOption=", "push.gpgSign=false"},
		args: []string{
			"push", "--porcelain", "--no-verify", "--no-signed", "--no-follow-tags", "--no-recurse-submodules",
			"--force-with-lease=" + ref + ":" + old, "--", b.Remote.pushURL, id + ":" + ref,
		},
		env: b.Remote.env,
	})
	if err != nil && !errors.Is(err, errTooMuch) {
		return "", err
	}
	why, said := pushVerdict(string(res.out), ref)
	switch {
	case said && why != "":
		return why + res.remarks(), nil
	case said:
		return "", nil
	case res.code == 0:
		return "", nil
	default:
		return "", Unreachable("pushing to the remote", res)
	}
}

// pushVerdict reads push's porcelain line about the ref.
func pushVerdict(out, ref string) (why string, said bool) {
	for _, line := range strings.Split(out, "\n") {
		fields := strings.SplitN(line, "\t", 3)
		if len(fields) != 3 || !strings.HasSuffix(fields[1], ":"+ref) {
			continue
		}
		if fields[0] == "!" {
			return clean.Line(fields[2]), true
		}
		return "", true
	}
	return "", false
}
