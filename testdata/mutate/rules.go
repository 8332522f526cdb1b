// Package mutate breaks the house's rules one at a time and looks whether the
// tests notice: a rule whose test passes all the same is not held by anything.
// `.ci/run mutate` runs it; rules.go is the table, and every run of the tests
// looks whether it still fits the code.
package mutate

// rule is one rule of the house, how it is broken, and the test that must then
// fail.
type rule struct {
	rule    string
	file    string
	text    string // stands in the file once
	becomes string
	test    string
	pkg     string // where the test is, "" for the file's folder
}

func rules() []rule {
	return []rule{
		// The ledger.
		{
			rule: "an event names the hash of the one before it",
			file: "model/chain.go", text: `Prev: h.Prev(),`, becomes: `Prev: Genesis,`, test: "TestChainProperties",
		},
		{
			rule: "time never goes back in the ledger",
			file: "model/chain.go", text: `TS: max(now, h.TS),`, becomes: `TS: now,`, test: "TestChainProperties",
		},
		{
			rule: "a write is acknowledged once its commit returned, and not where it failed",
			file: "backend/store/sqlite/committer.go", text: `		res := err
`, becomes: `		res := error(nil)
`, test: "TestDiskFull",
		},
		{
			rule: "a refused write rolls back alone",
			file: "backend/store/sqlite/txn.go", text: `		if failed {
			t.undo()`, becomes: `		if failed && t.saved {
			t.undo()`, test: "TestContract",
		},
		{
			rule: "nothing is written behind a hole",
			file: "backend/store/sqlite/committer.go", text: `newest.Seq == h.Seq && newest.Hash == h.Hash {`, becomes: `newest.Seq <= h.Seq {`,
			test: "TestNothingIsWrittenPastAHole",
		},
		{
			rule: "nothing is acknowledged into a file that was replaced",
			file: "backend/store/sqlite/ground.go", text: `case err == nil && os.SameFile(now, f.info):`, becomes: `case err == nil && now != nil:`,
			test: "TestNothingIsAcknowledgedIntoAFileThatIsGone",
		},
		{
			rule: "a lock is held by one process",
			file: "backend/workspace/lock.go", text: `			if errors.Is(err, syscall.EWOULDBLOCK) {
				return nil, lockedBy(path)
			}
			return nil, store.Explain("lock "+path, err)
		}
		pen,`, becomes: `		}
		pen,`, test: "TestLock",
		},
		{
			rule: "verify finds an event that does not follow the one before it",
			file: "backend/ledger/verify/walk.go", text: `|| e.Prev != w.hash ||`, becomes: `||`, test: "TestVerifyNamesTheFirstDivergence",
		},
		{
			rule: "a fact that the machine does not have leaves the record as it was",
			file: "model/session/session.go", text: `if !ok || to != e.State || (to == Ended) != (e.Topic == TopicEnded) {`,
			becomes: `if !ok && to == e.State {`, test: "TestRefusedFactLeavesTheSession",
		},
		{
			rule: "a segment is read only as it was sealed",
			file: "backend/store/segment/segment.go", text: `int64(len(file)) != s.Bytes || got != s.SHA256`, becomes: `got == ""`,
			test: "TestVerifyNamesASegment", pkg: "backend/ledger/archive",
		},
		{
			rule: "a segment's lines are a chain",
			file: "backend/store/segment/segment.go", text: `at != s.Last+1 || prev != s.Hash`, becomes: `at != s.Last+1`, test: "TestUnpackRefuses",
		},
		{
			rule: "only what continues the sealed part is sealed",
			file: "backend/store/sqlite/segments.go", text: `s.First != end.Seq+1 || s.Prev != end.Prev() || `, becomes: ``,
			test: "TestSealRefuses", pkg: "backend/ledger/archive",
		},
		{
			rule: "the newest event is never sealed",
			file: "backend/store/sqlite/segments.go", text: `|| s.Last >= x.t.head.Seq {`, becomes: `{`,
			test: "TestSealRefuses", pkg: "backend/ledger/archive",
		},
		{
			rule: "rows are shed only where they are sealed",
			file: "backend/store/sqlite/segments.go", text: `min(s.Last+1, oldest+int64(limit))`, becomes: `min(max(s.Last+1, x.t.head.Seq), oldest+int64(limit))`,
			test: "TestContract",
		},
		{
			rule: "a backup has the sealed events in it",
			file: "backend/store/sqlite/backup.go", text: `if err := packInto(ctx, temp, with); err != nil {`, becomes: `if err := error(nil); err != nil {`,
			test: "TestABackupHasTheSegments", pkg: "backend/ledger/archive",
		},
		{
			rule: "a signal is cleared by whoever claimed it, not from pending",
			file: "model/machine.go", text: `{SignalClaimed, "clear", SignalCleared},`, becomes: `{SignalPending, "clear", SignalCleared}, {SignalClaimed, "clear", SignalCleared},`,
			test: "TestMachineArrows",
		},
		{
			rule: "secrets are replaced before the event is hashed",
			file: "backend/ledger/emit.go", text: `		d.Payload = out
`, becomes: `		_ = out
`, test: "TestRedactionIsBeforeHashing",
		},
		{
			rule: "a formula in an exported table is defused",
			file: "backend/ledger/export/export.go", text: `case '=', '+', '-', '@', '\t', '\r', '\n':`, becomes: `case '+', '-', '@', '\t', '\r', '\n':`,
			test: "TestExportCSVDefusesFormulas",
		},
		{
			rule: "what was left out of a stream is counted to the event",
			file: "backend/ledger/subscribe.go", text: `				s.notice.Late++
`, becomes: `				s.notice.Late += 2
`, test: "TestLateIsExact",
		},
		{
			rule: "a cursor of another epoch is refused",
			file: "backend/ledger/subscribe.go", text: `if c.Epoch != "" && c.Epoch != l.store.Epoch() {`, becomes: `if c.Epoch == "-" {`,
			test: "TestSubscribe",
		},
		{
			rule: "a filter's clause with a minus keeps what it names away",
			file: "model/filter/match.go", text: `		if c.matchEvent(e) == c.Not {`, becomes: `		if !c.matchEvent(e) {`, test: "TestFilterMatch",
		},
		// The queue.
		{
			rule: "a lease goes by the clock that nobody can set",
			file: "model/lease.go", text: `if l.Boot != "" && l.Boot == now.Boot {`, becomes: `if l.Boot == "-" {`, test: "TestLeaseGoesByItsOwnClock",
		},
		{
			rule: "a lease's last instant is the one before its end",
			file: "model/lease.go", text: `l.Left(now) <= 0 }`, becomes: `l.Left(now) < 0 }`, test: "TestLeaseLastInstant",
		},
		{
			rule: "a stale token changes nothing",
			file: "backend/lease/token.go", text: `[]byte(hash)) == 1`, becomes: `[]byte(hash)) >= 0`,
			test: "TestStaleToken", pkg: "backend/queue",
		},
		{
			rule: "a token is worth nothing once its lease is over",
			file: "backend/queue/change.go", text: `		if !d.Lapsed(tx.Clocks()) {`, becomes: `		if d.ID != 0 {`, test: "TestStaleToken",
		},
		{
			rule: "an act is refused where the record moved on since it was on screen",
			file: "backend/queue/change.go", text: `a.IfRev != 0 && d.Rev != a.IfRev {`, becomes: `a.IfRev < 0 {`, test: "TestIfRev",
		},
		{
			rule: "an undo does not touch what others built on",
			file: "backend/queue/undo.go", text: `, IfRev: c.After.Rev}`, becomes: `}`, test: "TestUndo",
		},
		{
			rule: "what lapses again and again is parked",
			file: "backend/queue/reap.go", text: `return v.maxAttempts > 0 && d.Lapses+1 >= v.maxAttempts`, becomes: `return v.maxAttempts > 0 && d.Lapses > v.maxAttempts`,
			test: "TestPoison",
		},
		{
			rule: "the order of a lane is total",
			file: "model/directive/order.go", text: `cmp.Compare(x.ID, y.ID))`, becomes: `0)`, test: "TestAgeingIsATotalOrder",
		},
		// Workers.
		{
			rule: "a claim that was lost ends its command",
			file: "backend/queue/work/watch.go", text: `		if !s.Held {`, becomes: `		if !s.Held && s.Own {`, test: "TestTwentyDirectives",
		},
		{
			rule: "a command that finished its directive itself is left alone",
			file: "backend/queue/standing.go", text: `s.Own = !p.Forced &&`, becomes: `s.Own = p.Forced &&`, test: "TestTheCommandFinishesItself", pkg: "backend/queue/work",
		},
		{
			rule: "a worker that is killed takes its commands with it",
			file: "backend/queue/work/guardian.go", text: `kill -s KILL -- "-$i"`, becomes: `kill -s CONT -- "-$i"`, test: "TestAKilledWorkerTakesItsCommandsWithIt",
		},
		{
			rule: "what a command left behind ends with it",
			file: "backend/queue/work/child.go", text: `	c.signal(syscall.SIGKILL)
	c.w`, becomes: `	c.signal(syscall.SIGCONT)
	c.w`, test: "TestTheWholeGroupEnds",
		},
		{
			rule: "what a worker gives back because it stops does not count",
			file: "backend/queue/work/outcome.go", text: `		return Returned
`, becomes: `		return Failed
`, test: "TestDecide",
		},
		{
			rule: "past its timeout nothing is done, whatever it says",
			file: "backend/queue/work/outcome.go", text: `	case why == tooLong:
`, becomes: `	case why == tooLong && exit != 0:
`, test: "TestDecide",
		},
		{
			rule: "a lease is renewed in time",
			file: "backend/queue/work/run.go", text: `time.NewTimer(o.Lease / 3)`, becomes: `time.NewTimer(o.Lease * 3)`, test: "TestTheLeaseIsRenewed",
		},
		{
			rule: "failures that repeat park",
			file: "backend/queue/fail.go", text: `if !q.poisoned(d) {`, becomes: `if !q.poisoned(d) || d.Lapses > 0 {`, test: "TestRepeatedFailuresPark", pkg: "backend/queue/work",
		},
		{
			rule: "no secret stands in a log",
			file: "backend/queue/work/output.go", text: `n > 0 {
		p =`, becomes: `n < 0 {
		p =`, test: "TestSecretsInTheOutput",
		},
		{
			rule: "a log is bounded",
			file: "backend/queue/work/output.go", text: `n := int(max(0, min(room, int64(len(p)))))`, becomes: `n := int(max(0, max(room, int64(len(p)))))
	n = min(n, len(p))`, test: "TestOutputIsBounded",
		},

		// Coordination.
		{
			rule: "a cursor past the newest event has expired",
			file: "model/feed/page.go", text: `	case c.Seq > head.Seq:
`, becomes: `	case c.Seq > head.Seq+100:
`, test: "TestCursors", pkg: "backend/coord/feed",
		},
		{
			rule: "the feed's ring is asked for no place that it does not know",
			file: "backend/coord/feed/tail.go", text: `|| after.Seq < t.from ||`, becomes: `|| after.Seq < 0 ||`, test: "TestBehindTheRing",
		},
		{
			rule: "whoever finds no place to wait is refused before anything is read",
			file: "backend/coord/feed/feed.go", text: `case p.by[principal] >= p.each:`, becomes: `case p.by[principal] > p.each:`, test: "TestAdmission",
		},
		{
			rule: "a reader follows only sessions of its own",
			file: "backend/coord/declare.go", text: `		if by.Owns(&s) {
`, becomes: `		if s.Actor != "" {
`, test: "TestFilters", pkg: "backend/coord/feed",
		},
		{
			rule: "the feed serves no text of anybody's",
			file: "model/feed/event.go", text: `	if s == "" || model.IsWord(s) {
`, becomes: `	if s != "-" {
`, test: "TestNoProse", pkg: "backend/coord/feed",
		},
		{
			rule: "an endorsement lapses while its note is stale",
			file: "model/note/rank.go", text: `case n.EndorsedBy != "" && f != Stale:`, becomes: `case n.EndorsedBy != "":`,
			test: "TestEndorsement", pkg: "backend/coord/notes",
		},
		{
			rule: "nobody floods the notes",
			file: "backend/coord/notes/add.go", text: `, who, int64(now-within), most-1)`, becomes: `, who, int64(now-within), most)`,
			test: "TestNotesAreCapped",
		},
		{
			rule: "what can't be seen is refused in each text of a note",
			file: "model/note/text.go", text: `		if f.may && f.text == "" {`, becomes: `		if f.may {`, test: "TestTextRule",
		},
		// The fleet.
		{
			rule: "a spool's report counts once",
			file: "backend/fleet/take.go", text: `			return m.At
`, becomes: `			return 0
`, test: "TestASpoolThatStaysIsNotTakenTwice",
		},
		{
			rule: "a session that comes back is another incarnation",
			file: "model/session/session.go", text: `Incarnation: s.Incarnation + 1, Parent: p.Parent, Actor: p.Actor, Change: p.Change,`,
			becomes: `Incarnation: 1, Parent: p.Parent, Actor: p.Actor, Change: p.Change,`, test: "TestSessionIncarnationsAndReason",
		},
		{
			rule: "a repository's command runs only as it was trusted",
			file: "backend/fleet/trust.go", text: `if t[f.dir] != hash {`, becomes: `if t[f.dir] == "" && hash != "" {`, test: "TestNotifyRunsOnlyWhenTrusted",
		},
		{
			rule: "a summary that its agent did not sign is not believed",
			file: "backend/fleet/keys/verify.go", text: `v.Code, v.Why = reg.verify(`, becomes: `_, v.Why = reg.verify(`,
			test: "TestAttacksOnSignatures", pkg: "backend/fleet",
		},
		{
			rule: "a ledger that was cut off is told from the witnesses' heads",
			file: "model/fleetmap/witness.go", text: `			case "":
				f.OK, f.Text = false,`, becomes: `			case "":
				f.OK, f.Text = true,`, test: "TestCompareWitness",
		},
		{
			rule: "Git's children do not get the caller's environment",
			file: "backend/fleet/git/environ.go", text: `ok && passed(name) {`, becomes: `ok && (passed(name) || strings.HasPrefix(name, "GIT_")) {`, test: "TestClosedEnvironment",
		},
		// The cockpit.
		{
			rule: "the painter leaves the terminal as the next frame is meant to be",
			file: "ui/screen/diff.go", text: `		p.use(Style{})
		d.trial = p.dst`, becomes: `		d.trial = p.dst`, test: "TestLawOfDiff",
		},
		{
			rule: "hostile text is cleaned before it is shown",
			file: "model/clean/clean.go", text: `	case Unsafe(r):
		return n, c.stand('>', runeHex)`, becomes: `	case Unsafe(r) && r < 0xa0:
		return n, c.stand('>', runeHex)`, test: "TestClean",
		},
		{
			rule: "what is pasted never acts",
			file: "ui/keys.go", text: `if k.Paste {`, becomes: `if k.Paste = false; k.Paste {`, test: "TestPasteNeverActs",
		},
		{
			rule: "waking up is coalesced",
			file: "backend/wake/wake.go", text: `ready = end.Add(max(l.Least, time.Duration(l.Share*float64(end.Sub(begin)))))`,
			becomes: `ready = end.Add(time.Duration(l.Share * float64(end.Sub(begin))))`, test: "TestWakeUpsAreCoalesced",
		},
		{
			rule: "a panic in any goroutine restores the terminal",
			file: "backend/guard/guard.go", text: `	if h == nil {
		return //`, becomes: `	if h != nil {
		return //`, test: "TestAPanicReachesTheHandler",
		},
	}
}
