package verify_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"binnacle/backend/ledger"
	"binnacle/backend/ledger/ledgertest"
	"binnacle/backend/ledger/verify"
	"binnacle/backend/parts"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
	"binnacle/model"
	"binnacle/model/desk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rehash recomputes an event's hash as somebody would who knows how.
func rehash(t testing.TB, path string, seq int64) {
	t.Helper()
	s, err := storetest.OpenAt(path, storetest.Options{Parts: parts.All()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var e model.Event
	if err := s.Read(context.Background(), func(r store.Reader) error { e, err = r.Event(seq); return err }); err != nil {
		t.Fatal(err)
	}
	storetest.Tamper(t, path, fmt.Sprintf("UPDATE events SET hash = '%s' WHERE seq = %d", model.HashOf(e.AppendCanonical(nil)), seq))
}

func TestVerifyNamesTheFirstDivergence(t *testing.T) {
	exchange := func(a, b int) []string {
		return []string{
			fmt.Sprintf("UPDATE events SET seq = -1 WHERE seq = %d", a),
			fmt.Sprintf("UPDATE events SET seq = %d WHERE seq = %d", a, b),
			fmt.Sprintf("UPDATE events SET seq = %d WHERE seq = -1", b),
		}
	}
	for _, c := range []struct {
		name string
		sql  []string
		hash int64 // an event that is hashed again
		what verify.What
		seq  int64 // 0: not compared
		says string

		spans bool // over a ledger of some spans
	}{
		{name: "payload", sql: []string{`UPDATE events SET payload = '{"text":"forged"}' WHERE seq = 7`}, what: verify.WhatPayload, seq: 7, says: "payload of event 7"},
		{name: "payload, same length", sql: []string{`UPDATE events SET payload = replace(payload, 'note', 'nope') WHERE seq = 7`}, what: verify.WhatPayload, seq: 7},
		{name: "payload of the last", sql: []string{`UPDATE events SET payload = '{}' WHERE seq = (SELECT max(seq) FROM events)`}, what: verify.WhatPayload},
		{name: "payload, white space", sql: []string{`UPDATE events SET payload = payload || ' ' WHERE seq = 8`}, what: verify.WhatPayload, seq: 8},
		{name: "payload hashed again", sql: []string{`UPDATE events SET payload = '{"text":"forged"}' WHERE seq = 9`}, hash: 9, what: verify.WhatPayload, seq: 9, says: "hashed again"},
		{name: "topic", sql: []string{`UPDATE events SET topic = 'other' WHERE seq = 11`}, what: verify.WhatEnvelope, seq: 11},
		{name: "producer", sql: []string{`UPDATE events SET producer = 'other' WHERE seq = 11`}, what: verify.WhatEnvelope, seq: 11},
		{name: "kind", sql: []string{`UPDATE events SET kind = 'generic' WHERE seq = 11`}, what: verify.WhatEnvelope, seq: 11},
		{name: "key", sql: []string{`UPDATE events SET key = 'k' WHERE seq = 11`}, what: verify.WhatEnvelope, seq: 11},
		{name: "state", sql: []string{`UPDATE events SET state = 's' WHERE seq = 11`}, what: verify.WhatEnvelope, seq: 11},
		{name: "causation", sql: []string{`UPDATE events SET causation = 3 WHERE seq = 11`}, what: verify.WhatEnvelope, seq: 11},
		{name: "time", sql: []string{`UPDATE events SET ts = ts + 1 WHERE seq = 11`}, what: verify.WhatEnvelope, seq: 11},
		{name: "hash", sql: []string{`UPDATE events SET hash = '` + model.Genesis + `' WHERE seq = 12`}, what: verify.WhatEnvelope, seq: 12, says: "hash of event 12"},
		{name: "topic hashed again", sql: []string{`UPDATE events SET topic = 'other' WHERE seq = 13`}, hash: 13, what: verify.WhatLink, seq: 14},
		{name: "prev", sql: []string{`UPDATE events SET prev = '` + model.Genesis + `' WHERE seq = 14`}, what: verify.WhatLink, seq: 14, says: "prev"},
		{name: "prev hashed again", sql: []string{`UPDATE events SET prev = '` + model.Genesis + `' WHERE seq = 14`}, hash: 14, what: verify.WhatLink, seq: 14},
		{name: "neighbours exchanged", sql: exchange(20, 21), what: verify.WhatOrder, seq: 20, says: "event 20 stands as event 21"},
		{name: "far ones exchanged", sql: exchange(5, 35), what: verify.WhatOrder, seq: 5, says: "event 5 stands as event 35"},
		{name: "one removed", sql: []string{`DELETE FROM events WHERE seq = 17`}, what: verify.WhatMissing, seq: 17, says: "event 17 is missing"},
		{name: "the first removed", sql: []string{`DELETE FROM events WHERE seq = 1`}, what: verify.WhatMissing, seq: 1},
		{name: "several removed", sql: []string{`DELETE FROM events WHERE seq BETWEEN 17 AND 19`}, what: verify.WhatMissing, seq: 17, says: "events 17 to 19 are missing"},
		{name: "removed and closed up", sql: []string{`DELETE FROM events WHERE seq = 17`, `UPDATE events SET seq = seq - 1 WHERE seq > 17`}, what: verify.WhatMissing, seq: 17, says: "event 18 stands in its place"},
		{name: "end cut off", sql: []string{`DELETE FROM events WHERE seq > 50`}, what: verify.WhatMissing, seq: 51, says: "cut off"},
		{
			name: "end cut off, head edited", sql: []string{
				`DELETE FROM events WHERE seq > 50`,
				`UPDATE head SET seq = 50, hash = (SELECT hash FROM events WHERE seq = 50), ts = (SELECT ts FROM events WHERE seq = 50)`,
			}, what: verify.WhatMissing, seq: 51, says: "cut off",
		},
		{name: "everything removed", sql: []string{`DELETE FROM events`}, what: verify.WhatMissing, seq: 1},
		{name: "head too low", sql: []string{`UPDATE head SET seq = 30, hash = (SELECT hash FROM events WHERE seq = 30)`}, what: verify.WhatHead, seq: 30},
		{name: "head hash", sql: []string{`UPDATE head SET hash = '` + model.Genesis + `'`}, what: verify.WhatHead},
		{name: "head time", sql: []string{`UPDATE head SET ts = ts + 5`}, what: verify.WhatHead},
		{name: "head too high", sql: []string{`UPDATE head SET seq = seq + 3`}, what: verify.WhatMissing},
		{name: "total", sql: []string{`UPDATE planes SET count = count + 1 WHERE plane = 'record' AND name = 'total'`}, what: verify.WhatCount, says: "total"},
		{name: "count of a state", sql: []string{`UPDATE planes SET count = 7 WHERE plane = 'signal' AND name = 'pending'`}, what: verify.WhatCount, says: "pending"},
		{name: "count removed", sql: []string{`DELETE FROM planes WHERE plane = 'work' AND name = 'done'`}, what: verify.WhatCount},
		{name: "count added", sql: []string{`INSERT INTO planes VALUES ('queue', 'other/P0/pending', 2)`}, what: verify.WhatCount},
		{name: "signal state", sql: []string{`UPDATE signals SET state = 'cleared' WHERE key = 's1'`}, what: verify.WhatRecord, seq: 43, says: `signal "s1" stands as cleared`},
		{name: "signal field", sql: []string{`UPDATE signals SET holder = 'eve' WHERE key = 's1'`}, what: verify.WhatRecord, seq: 43, says: "holder"},
		{name: "signal removed", sql: []string{`DELETE FROM signals WHERE key = 's2'`}, what: verify.WhatRecord, seq: 42, says: "missing"},
		{name: "signal added", sql: []string{`INSERT INTO signals SELECT 's0', state, topic, summary, producer, holder, raised, since, expires, first_seq, last_seq, rev FROM signals WHERE key = 's1'`}, what: verify.WhatRecord, says: "no event made it"},
		{name: "work token", sql: []string{`UPDATE work_items SET token_hash = 'x' WHERE key = 'w2'`}, what: verify.WhatRecord, says: "token_hash"},
		{name: "work evidence", sql: []string{`UPDATE work_items SET evidence = '{"ok":false}' WHERE key = 'w1'`}, what: verify.WhatRecord, says: "evidence"},
		{name: "work removed", sql: []string{`DELETE FROM work_items WHERE key = 'w1'`}, what: verify.WhatRecord, says: "missing"},
		{name: "work added", sql: []string{`INSERT INTO work_items (key, state, topic, executor, attempt, claimed_at, since, first_seq, last_seq, rev) VALUES ('w9', 'done', 't', 'e', 1, 1, 1, 1, 1, 1)`}, what: verify.WhatRecord, says: "no event made it"},
		{name: "directive body", sql: []string{`UPDATE directives SET body = 'rm -rf' WHERE id = 2`}, what: verify.WhatRecord, says: "body"},
		{name: "directive lane", sql: []string{`UPDATE directives SET lane = 'other' WHERE id = 2`}, what: verify.WhatRecord, says: "lane"},
		{name: "directive removed", sql: []string{`DELETE FROM directives WHERE id = 1`}, what: verify.WhatRecord, says: "missing"},
		{name: "dependency removed", sql: []string{`DELETE FROM directive_blocks WHERE id = 3 AND blocked_by = 1`}, what: verify.WhatRecord, says: "directive \"3\" has"},
		{name: "dependency added", sql: []string{`INSERT INTO directive_blocks VALUES (1, 3)`}, what: verify.WhatRecord, says: "directive \"1\" has"},
		{name: "dependency of nothing", sql: []string{`INSERT INTO directive_blocks VALUES (900, 3)`}, what: verify.WhatRecord, says: "directive \"900\" has"},
		{name: "span counts", spans: true, sql: []string{`UPDATE event_spans SET count = count + 1 WHERE value = 'rare' AND span = 5`}, what: verify.WhatSpan, seq: 3071, says: "events 2560 to 3071"},
		{name: "span removed", spans: true, sql: []string{`DELETE FROM event_spans WHERE span = 2 AND field = 'kind'`}, what: verify.WhatSpan, seq: 1535},
		{name: "span added", spans: true, sql: []string{`INSERT INTO event_spans VALUES ('producer', 'eve', 1, 1)`}, what: verify.WhatSpan, seq: 1023},
		{name: "span before its time", sql: []string{`INSERT INTO event_spans VALUES ('producer', 'eve', 0, 1)`}, what: verify.WhatSpan, says: "not full"},

		{name: "an empty holder", sql: []string{`UPDATE signals SET holder = '' WHERE key = 's2'`}, what: verify.WhatRecord, seq: 42, says: "in holder"},
		{name: "an expiry of 0", sql: []string{`UPDATE signals SET expires = 0 WHERE key = 's1'`}, what: verify.WhatRecord, seq: 43, says: "in expires"},
		{name: "a text as a blob", sql: []string{`UPDATE signals SET state = CAST(state AS BLOB) WHERE key = 's2'`}, what: verify.WhatRecord, seq: 42, says: "in state"},
		{name: "an empty reason of work", sql: []string{`UPDATE work_items SET reason = '' WHERE key = 'w2'`}, what: verify.WhatRecord, says: "in reason"},
		{name: "a lease of 0", sql: []string{`UPDATE work_items SET lease_until = 0 WHERE key = 'w1'`}, what: verify.WhatRecord, says: "in lease_until"},
		{name: "a boot in work", sql: []string{`UPDATE work_items SET lease_boot = '' WHERE key = 'w1'`}, what: verify.WhatRecord, says: "in lease_boot"},
		{name: "empty evidence", sql: []string{`UPDATE work_items SET evidence = '' WHERE key = 'w2'`}, what: verify.WhatRecord, says: "in evidence"},
		{name: "no evidence", sql: []string{`UPDATE work_items SET evidence = NULL WHERE key = 'w1'`}, what: verify.WhatRecord, says: "evidence"},
		{name: "a parent of 0", sql: []string{`UPDATE directives SET parent = 0 WHERE id = 2`}, what: verify.WhatRecord, says: "in parent"},
		{name: "an empty taker", sql: []string{`UPDATE directives SET taken_by = '' WHERE id = 2`}, what: verify.WhatRecord, says: "in taken_by"},
		{name: "dependencies in another form", sql: []string{`UPDATE directives SET blocked_by = '[1, 2]' WHERE id = 3`}, what: verify.WhatRecord, says: "in blocked_by"},
		{name: "dependencies that can't be read", sql: []string{`UPDATE directives SET blocked_by = 'x' WHERE id = 2`}, what: verify.WhatRecord, says: "in blocked_by"},
		{name: "no dependencies, spelt out", sql: []string{`UPDATE directives SET blocked_by = '[]' WHERE id = 2`}, what: verify.WhatRecord, says: "in blocked_by"},

		{name: "trigger added", sql: []string{`CREATE TRIGGER evil AFTER INSERT ON signals BEGIN SELECT 1; END`}, what: verify.WhatSchema, says: `the trigger "evil" was added to the table signals`},
		{name: "table added", sql: []string{`CREATE TABLE loot (x)`}, what: verify.WhatSchema, says: `the table "loot" was added`},
		{name: "view added", sql: []string{`CREATE VIEW seen AS SELECT * FROM events`}, what: verify.WhatSchema, says: `the view "seen" was added`},
		{name: "index added", sql: []string{`CREATE INDEX more ON events (hash)`}, what: verify.WhatSchema, says: `the index "more" was added to the table events`},
		{name: "index dropped", sql: []string{`DROP INDEX events_topic`}, what: verify.WhatSchema, says: `the index events_topic of the table events is missing`},
		{name: "index altered", sql: []string{`DROP INDEX directives_ready`, `CREATE INDEX directives_ready ON directives (lane, priority, id) WHERE status = 'done'`}, what: verify.WhatSchema, says: `the index directives_ready is not`},
		{name: "column added", sql: []string{`ALTER TABLE events ADD COLUMN more TEXT`}, what: verify.WhatSchema, says: `the table events is not`},
		{name: "column renamed", sql: []string{`ALTER TABLE work_items RENAME COLUMN reason TO because`}, what: verify.WhatSchema, says: `the table work_items is not`},
		{name: "table dropped", sql: []string{`DROP TABLE checks`}, what: verify.WhatSchema, says: `the table checks is missing`},
		{name: "a view in a table's place", sql: []string{`ALTER TABLE planes RENAME TO hidden`, `CREATE VIEW planes AS SELECT * FROM hidden`}, what: verify.WhatSchema, says: `planes should be of the kind table, and is of the kind view`},
		{name: "meta, its date", sql: []string{`DELETE FROM meta WHERE name = 'created'`}, what: verify.WhatSchema, says: `the row "created" of the table meta is missing`},
		{name: "meta, another row", sql: []string{`INSERT INTO meta VALUES ('more', 'x')`}, what: verify.WhatSchema, says: `has a row "more"`},
		{name: "meta, another kind of epoch", sql: []string{`UPDATE meta SET value = 'mine' WHERE name = 'epoch'`}, what: verify.WhatSchema, says: `the row "epoch" of the table meta is not`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := ledgertest.Open(t)
			f.Furnish()
			if c.spans {
				f.Throng()
			}
			f.Good()
			storetest.Tamper(t, f.Path, c.sql...)
			if c.hash > 0 {
				rehash(t, f.Path, c.hash)
			}
			before := ledgertest.Files(t, strings.TrimSuffix(f.Path, "/binnacle.db"))["binnacle.db"]
			v, err := verify.Run(context.Background(), f.Store(), verify.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if v.OK || v.Finding == nil || v.Finding.What != c.what || c.seq > 0 && v.Finding.Seq != c.seq || !strings.Contains(v.Finding.Message, c.says) {
				t.Fatalf("found %+v; want %s at %d, saying %q", v.Finding, c.what, c.seq, c.says)
			}
			ledgertest.WantCode(t, v.Finding.Err(), model.CodeCorrupt)
			if ledgertest.Files(t, strings.TrimSuffix(f.Path, "/binnacle.db"))["binnacle.db"] != before {
				t.Fatal("verify wrote")
			}
			slow := verify.NewVerifier(f.Store(), verify.VerifierOptions{Clock: f.Clock.Read, Share: 1})
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan error, 1)
			go func() { done <- slow.Run(ctx) }()
			ledgertest.Eventually(t, "the background verification fails", func() bool { return slow.Verified().State == desk.VerifyFailed })
			cancel()
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			if got := slow.Verified(); got.Finding != v.Finding.Message || got.At != v.Finding.Seq {
				t.Errorf("in the background: %+v", got)
			}
		})
	}
}

// An event whose hash is right, but whose step its record does not have: what
// only somebody who writes past the program can make.
func TestVerifyFindsImpossibleHistory(t *testing.T) {
	f := ledgertest.Open(t)
	f.Furnish()
	var head model.Head
	if err := f.Store().Read(context.Background(), func(r store.Reader) (err error) { head, err = r.Head(); return err }); err != nil {
		t.Fatal(err)
	}
	d := model.Draft{Topic: "build/alert", Producer: "eve", Kind: model.KindSignal, Key: "s2", State: "cleared", Payload: []byte(`{}`)}
	e, _, _ := head.Link(d, ledgertest.Start, nil)
	storetest.Tamper(t, f.Path, fmt.Sprintf(`INSERT INTO events (seq, ts, topic, producer, kind, key, state, payload, prev, hash)
			VALUES (%d, %d, '%s', '%s', '%s', '%s', '%s', '%s', '%s', '%s')`, e.Seq, e.TS, e.Topic, e.Producer, e.Kind, e.Key, e.State, e.Payload, e.Prev, e.Hash),
		fmt.Sprintf(`UPDATE head SET seq = %d, hash = '%s', ts = %d`, e.Seq, e.Hash, e.TS))
	v, err := verify.Run(context.Background(), f.Store(), verify.Options{})
	if err != nil || v.Finding == nil || v.Finding.What != verify.WhatHistory || v.Finding.Seq != e.Seq || v.Finding.Key != "s2" {
		t.Fatalf("%+v %v", v.Finding, err)
	}
}

func TestVerifyFrom(t *testing.T) {
	f := ledgertest.Open(t)
	f.Furnish()
	storetest.Tamper(t, f.Path, `UPDATE events SET payload = '{}' WHERE seq = 7`, `UPDATE planes SET count = 0`)
	v, err := verify.Run(context.Background(), f.Store(), verify.Options{From: 8})
	if err != nil || !v.OK || v.Derived || v.From != 8 || v.Events != v.To-7 {
		t.Fatalf("%+v %v", v, err)
	}
	storetest.Tamper(t, f.Path, `UPDATE events SET payload = '{}' WHERE seq = 9`)
	if v, err = verify.Run(context.Background(), f.Store(), verify.Options{From: 8}); err != nil || v.OK || v.Finding.Seq != 9 || v.To != 8 {
		t.Fatalf("%+v %+v %v", v, v.Finding, err)
	}
	_, err = verify.Run(context.Background(), f.Store(), verify.Options{From: 10_000})
	ledgertest.WantCode(t, err, model.CodeUsage)
}

func TestVerifyWhileOthersWrite(t *testing.T) {
	f := ledgertest.Open(t)
	f.Notes(10_000)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		for i := 0; ctx.Err() == nil; i++ {
			key := fmt.Sprintf("k%d", i)
			if _, err := f.Emit(context.Background(), ledger.EmitRequest{Topic: "a", Kind: model.KindSignal, Key: key, Payload: ledgertest.Object("summary", "x")}); err != nil {
				done <- err
				return
			}
			if _, err := f.Signal(context.Background(), ledger.SignalRequest{Action: ledger.SignalClaim, Key: key}); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for range 5 {
		var calls int
		v, err := verify.Run(context.Background(), f.Store(), verify.Options{Jobs: 2, Progress: func(n, total int64) { calls++ }})
		if err != nil || !v.OK || !v.Derived || calls == 0 {
			t.Fatalf("%+v %+v %v", v, v.Finding, err)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// The background verification goes on with what is committed, and stands still
// at what it finds.
func TestVerifierFollows(t *testing.T) {
	f := ledgertest.Open(t)
	f.Furnish()
	var seen []desk.Verified
	v := verify.NewVerifier(f.Store(), verify.VerifierOptions{Clock: f.Clock.Read, Share: 1, Changed: func(x desk.Verified) { seen = append(seen, x) }})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- v.Run(ctx) }()
	reaches := func(seq int64) {
		t.Helper()
		ledgertest.Eventually(t, fmt.Sprintf("verified up to %d", seq), func() bool {
			x := v.Verified()
			return x.State == desk.VerifyOK && x.Seq == seq
		})
	}
	reaches(f.Note("a", "one").Seq)
	reaches(f.Raise("s9", 0).Seq)
	if _, err := f.Signal(context.Background(), ledger.SignalRequest{Action: ledger.SignalClaim, Key: "s9", By: "x"}); err != nil {
		t.Fatal(err)
	}
	reaches(f.Note("a", "two").Seq)
	f.Throng()
	reaches(f.Note("a", "behind the spans").Seq)
	// A record that is edited shows when its next event comes.
	storetest.Tamper(t, f.Path, `UPDATE signals SET holder = 'eve' WHERE key = 's9'`)
	if _, err := f.Signal(context.Background(), ledger.SignalRequest{Action: ledger.SignalRelease, Key: "s9", By: "x"}); err != nil {
		t.Fatal(err)
	}
	storetest.Tamper(t, f.Path, `UPDATE planes SET count = 99 WHERE plane = 'signal' AND name = 'pending'`)
	last := f.Note("a", "three").Seq
	ledgertest.Eventually(t, "the edited count is found", func() bool { return v.Verified().State == desk.VerifyFailed })
	if x := v.Verified(); x.At != last || !strings.Contains(x.Finding, "pending") {
		t.Fatalf("%+v", x)
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if len(seen) == 0 {
		t.Fatal("nothing was told")
	}
}
