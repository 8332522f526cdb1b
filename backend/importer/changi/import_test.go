package changi_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"binnacle/backend/importer"
	"binnacle/backend/importer/changi"
	"binnacle/backend/ledger"
	"binnacle/backend/ledger/ledgertest"
	"binnacle/backend/ledger/query"
	"binnacle/model"
	"binnacle/model/redact"
)

var ofChangi = []importer.Importer{changi.Importer{}}

const changiFixture = "../../../testdata/changi/.changi"

// changiRow is one entry of a Changi ledger made by a test.
type changiRow struct {
	topic, producer, payload string
	causation                any
}

// makeChangi writes a Changi ledger with the given entries, numbered from 1.
func makeChangi(t *testing.T, journal string, rows ...changiRow) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".changi")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	db := changiDB(t, filepath.Join(dir, "events.db"), journal)
	defer db.Close()
	for _, r := range rows {
		if _, err := db.Exec(`INSERT INTO events (topic, producer_id, timestamp, schema_version, payload, causation_id) VALUES (?, ?, ?, ?, ?, ?)`,
			r.topic, r.producer, "2026-11-30T20:05:27Z", "1.0", r.payload, r.causation); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func changiDB(t *testing.T, path, journal string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode("+journal+")")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`CREATE TABLE IF NOT EXISTS events (event_id INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL,
		producer_id TEXT NOT NULL, timestamp TEXT NOT NULL, schema_version TEXT NOT NULL, payload TEXT NOT NULL, causation_id INTEGER NULL)`); err != nil {
		t.Fatal(err)
	}
	return db
}

func TestImportChangiAgreesWithItsOwnStatus(t *testing.T) {
	f := ledgertest.Open(t)
	before := ledgertest.Files(t, changiFixture)
	rep, err := importer.Import(context.Background(), f.Ledger, changiFixture, importer.Options{Importers: ofChangi})
	if err != nil {
		t.Fatal(err)
	}
	if after := ledgertest.Files(t, changiFixture); !reflect.DeepEqual(before, after) {
		t.Fatal("the source was changed")
	}
	raw, err := os.ReadFile("../../../testdata/changi/status.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Record struct {
			Count int64 `json:"count"`
		} `json:"record"`
		Signal struct {
			Claimed int64 `json:"claimed_count"`
			Cleared int64 `json:"cleared_count"`
			Expired int64 `json:"expired_count"`
			Pending int64 `json:"pending_count"`
		} `json:"signal"`
		Work struct {
			InFlight int64 `json:"in_flight_count"`
			Verified int64 `json:"verified_count"`
		} `json:"work"`
	}
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	s, err := f.Status(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	system := s.Planes["record"]["system"]
	for name, pair := range map[string][2]int64{
		"read":      {rep.Read, want.Record.Count},
		"written":   {rep.Written, want.Record.Count},
		"record":    {s.Planes["record"]["total"] - system, want.Record.Count},
		"system":    {system, 1},
		"claimed":   {s.Planes["signal"]["claimed"], want.Signal.Claimed},
		"cleared":   {s.Planes["signal"]["cleared"], want.Signal.Cleared},
		"expired":   {s.Planes["signal"]["expired"], want.Signal.Expired},
		"pending":   {s.Planes["signal"]["pending"], want.Signal.Pending},
		"in flight": {s.Planes["work"]["claimed"], want.Work.InFlight},
		"verified":  {s.Planes["work"]["done"], want.Work.Verified},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %d here, %d there", name, pair[0], pair[1])
		}
	}
	f.Good()
	checkOriginals(t, f, filepath.Join(changiFixture, "events.db"))

	// What is in flight stays so until its lease runs out, not until the next reaping.
	if r, err := f.Reap(context.Background(), ledger.ReapOptions{}); err != nil || r.Work+r.Signals != 0 {
		t.Fatalf("%+v %v", r, err)
	}
}

// checkOriginals compares every imported event with its entry: the payload, the
// topic, the producer and the cause must be there or recoverable.
func checkOriginals(t *testing.T, f *ledgertest.Fixture, path string) {
	t.Helper()
	record, adjusted := importRecord(t, f)
	seqs := map[int64]int64{}
	for _, row := range record {
		seqs[row.id] = row.seq
	}
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro&immutable=1")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`SELECT event_id, topic, producer_id, timestamp, payload, causation_id FROM events`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var id int64
		var topic, producer, timestamp, payload string
		var cause sql.NullInt64
		if err := rows.Scan(&id, &topic, &producer, &timestamp, &payload, &cause); err != nil {
			t.Fatal(err)
		}
		e, err := f.Event(context.Background(), seqs[id])
		if err != nil {
			t.Fatalf("entry %d: %v", id, err)
		}
		if record[n].timestamp != timestamp {
			t.Errorf("entry %d: its time %q became %q", id, timestamp, record[n].timestamp)
		}
		if e.Topic != topic && adjusted[id]["topic written as "+e.Topic] != topic {
			t.Errorf("entry %d: topic %q became %q", id, topic, e.Topic)
		}
		if e.Producer != producer && adjusted[id]["producer written as "+e.Producer] != producer && producer != "" {
			t.Errorf("entry %d: producer %q became %q", id, producer, e.Producer)
		}
		if want := seqs[cause.Int64]; e.Causation != want {
			t.Errorf("entry %d: its cause is %d, want %d", id, e.Causation, want)
		}
		got, err := changi.Original(e.Payload, pieces(t, f, e)...)
		if err != nil {
			t.Fatalf("entry %d: %v", id, err)
		}
		if !sameJSON(got, []byte(payload)) {
			t.Errorf("entry %d: its payload\n%.300q came back as\n%.300q", id, payload, got)
		}
	}
	if n != len(seqs) {
		t.Errorf("%d entries, %d in the map", n, len(seqs))
	}
}

// pieces are the payloads that follow an event whose original needed several.
func pieces(t *testing.T, f *ledgertest.Fixture, e model.Event) []json.RawMessage {
	t.Helper()
	var m struct {
		Import struct{ Parts int } `json:"changi_import"`
	}
	if err := json.Unmarshal(e.Payload, &m); err != nil {
		t.Fatal(err)
	}
	var out []json.RawMessage
	for i := 1; i < m.Import.Parts; i++ {
		p, err := f.Event(context.Background(), e.Seq+int64(i))
		if err != nil || p.Causation != e.Seq {
			t.Fatalf("part %d of event %d: %+v %v", i, e.Seq, p, err)
		}
		out = append(out, p.Payload)
	}
	return out
}

// sameJSON compares as JSON with exact numbers, and as bytes what is no JSON.
func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	read := func(raw []byte) (any, error) {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		var v any
		err := d.Decode(&v)
		return normal(v), err
	}
	x, err1 := read(a)
	y, err2 := read(b)
	return err1 == nil && err2 == nil && reflect.DeepEqual(x, y)
}

// normal writes numbers that a float64 carries in one way; others stay text.
func normal(v any) any {
	switch x := v.(type) {
	case json.Number:
		if c, err := model.Canonical([]byte(x)); err == nil {
			return string(c)
		}
		return string(x)
	case []any:
		for i := range x {
			x[i] = normal(x[i])
		}
	case map[string]any:
		for k := range x {
			x[k] = normal(x[k])
		}
	}
	return v
}

type placed struct {
	id, seq   int64
	timestamp string
}

// importRecord reads the map and the adjustments from the events that record the
// newest import.
func importRecord(t *testing.T, f *ledgertest.Fixture) ([]placed, map[int64]map[string]string) {
	t.Helper()
	events, err := query.All(context.Background(), f.Store(), query.Query{Topic: "import/changi", Kind: "system", Newest: true, Limit: 1})
	if err != nil || len(events) != 1 {
		t.Fatalf("no record of the import: %v", err)
	}
	type lists struct {
		Parts    []int64               `json:"parts"`
		Map      [][]any               `json:"map"`
		Adjusted []importer.Adjustment `json:"adjusted"`
	}
	var all lists
	if err := json.Unmarshal(events[0].Payload, &all); err != nil {
		t.Fatal(err)
	}
	for _, seq := range all.Parts {
		e, err := f.Event(context.Background(), seq)
		if err != nil {
			t.Fatal(err)
		}
		var part lists
		if err := json.Unmarshal(e.Payload, &part); err != nil {
			t.Fatal(err)
		}
		all.Map, all.Adjusted = append(all.Map, part.Map...), append(all.Adjusted, part.Adjusted...)
	}
	var rows []placed
	for _, r := range all.Map {
		rows = append(rows, placed{int64(r[0].(float64)), int64(r[1].(float64)), r[2].(string)})
	}
	adjusted := map[int64]map[string]string{}
	for _, a := range all.Adjusted {
		if adjusted[a.EventID] == nil {
			adjusted[a.EventID] = map[string]string{}
		}
		adjusted[a.EventID][a.What] = a.Original
	}
	return rows, adjusted
}

func TestImportTwiceIsRefused(t *testing.T) {
	f := ledgertest.Open(t)
	ctx := context.Background()
	dry, err := importer.Import(ctx, f.Ledger, changiFixture, importer.Options{Importers: ofChangi, DryRun: true})
	if err != nil || dry.Read != 403 {
		t.Fatalf("%+v %v", dry, err)
	}
	if n, _ := query.Count(ctx, f.Store(), query.Query{}); n != 0 {
		t.Fatalf("the dry run wrote %d events", n)
	}
	first, err := importer.Import(ctx, f.Ledger, changiFixture, importer.Options{Importers: ofChangi})
	if err != nil {
		t.Fatal(err)
	}
	dry.DryRun = false
	if !reflect.DeepEqual(dry, first) {
		t.Fatal("the dry run did not say what the import does")
	}
	_, err = importer.Import(ctx, f.Ledger, filepath.Join(changiFixture, "events.db"), importer.Options{Importers: ofChangi})
	ledgertest.WantCode(t, err, model.CodeRefused)
	if !strings.Contains(err.Error(), "403 entries") {
		t.Fatal(err)
	}
	// A copy has another path, but the same content.
	copied := filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(copied, []byte(ledgertest.Files(t, changiFixture)["events.db"]), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = importer.Import(ctx, f.Ledger, copied, importer.Options{Importers: ofChangi})
	ledgertest.WantCode(t, err, model.CodeRefused)

	again, err := importer.Import(ctx, f.Ledger, changiFixture, importer.Options{Importers: ofChangi, Again: true})
	if err != nil {
		t.Fatal(err)
	}
	if again.Written != 403 {
		t.Fatalf("%+v", again)
	}
	f.Good()
	s, _ := f.ShowSignal(ctx, "changi-4", 0)
	if s.Record.Rev != 1 || len(s.Events) != 1 {
		t.Fatal("the second import changed a record of the first")
	}
}

// Every way in which an entry can break a rule of ours.
func TestImportKeepsWhatBreaksRules(t *testing.T) {
	noise := make([]byte, 700_000)
	if _, err := rand.Read(noise); err != nil {
		t.Fatal(err)
	}
	big, err := json.Marshal(noise)
	if err != nil {
		t.Fatal(err)
	}
	deep := strings.Repeat(`{"a":`, 80) + `1` + strings.Repeat(`}`, 80)
	receipt := func(more string) string {
		return `{"changi":{"kind":"work_receipt","receipt_valid":true},"work_receipt":{"executor_id":"b","input_hash":"x","exit_status":0,"started_at":"2026-11-01T10:00:00Z"` + more + `}}`
	}
	rows := []changiRow{
		{"", "", `{}`, nil},
		{"//a//b c/", "p\x1b[2J", `{"x":"\u202e"}`, 1},
		{strings.Repeat("long/", 100), strings.Repeat("n", 300), `{"int":1152921504606846976,"list":[9007199254740993,-1e25,1]}`, 999},
		{"a", "p", `{"big":` + string(big) + `}`, 2},
		{"a", "p", `{"changi":{"kind":"signal"},"summary":"loud","big":"` + strings.Repeat("y", 300_000) + `"}`, nil},
		{"a", "p", `[1,2,3]`, nil},
		{"a", "p", `"text"`, nil},
		{"a", "p", `not json`, 6},
		{"a", "p", `{"a":NaN,"b":Infinity}`, nil},
		{"a", "p", `{"a":1,"a":2}`, nil},
		{"a", "p", `{"a":"\ud800"}`, nil},
		{"a", "p", deep, nil},
		{"a", "p", `{"changi_import":{"event_id":7}}`, nil},
		{"a", "p", `{"big":12345678901234567890,"changi":{"kind":"signal","state":"cleared"}}`, nil},
		{"a", "p", `{"changi":{"kind":"signal","state":"claimed"},"summary":5,"by":{"x":1}}`, nil},
		{"a", "p", `{"changi":{"kind":"signal"},"summary":"s","expires":"2020-01-01T00:00:00Z"}`, nil},
		{"a", "p", `{"changi":{"kind":"signal"},"summary":"s","reconstructed":true}`, nil},
		{"a", "p", `{"changi":{"kind":"signal","state":null}}`, nil},
		{"a", "p", `{"changi":{"kind":"signal","state":3}}`, nil},
		{"a", "p", `{"changi":{"kind":"other"}}`, nil},
		{"a", "p", `{"changi":null}`, nil},
		{"a", "p", receipt(`,"receipt_id":"r1","state":"in_flight"`), nil},
		{"a", "p", receipt(`,"receipt_id":"r1","finished_at":"2026-11-01T10:02:00Z"`), 22},
		{"a", "p", receipt(`,"receipt_id":"r1","finished_at":"2026-11-01T10:02:00Z"`), 22},
		{"a", "p", strings.Replace(receipt(`,"artifact_hash":"sha256:1"`), `"exit_status":0`, `"exit_status":7`, 1), nil},
		{"a", "p", receipt(`,"receipt_id":"` + strings.Repeat("k", 400) + `"`), nil},
		{"a", "p", strings.Replace(receipt(""), `{"changi"`, `{"action":"forged","token_hash":"x","changi"`, 1), nil},
		{"a", "p", `{"changi":{"kind":"work_receipt","receipt_valid":true}}`, nil},
	}
	f := ledgertest.Open(t)
	dir := makeChangi(t, "DELETE", rows...)
	rep, err := importer.Import(context.Background(), f.Ledger, filepath.Dir(dir), importer.Options{Importers: ofChangi})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Read != int64(len(rows)) || rep.Written <= rep.Read {
		t.Fatalf("%+v", rep)
	}
	f.Good()
	record, _ := importRecord(t, f)
	for i, r := range rows {
		e, err := f.Event(context.Background(), record[i].seq)
		if err != nil {
			t.Fatal(err)
		}
		got, err := changi.Original(e.Payload, pieces(t, f, e)...)
		if err != nil || !sameJSON(got, []byte(r.payload)) {
			t.Errorf("entry %d: %.200q came back as %.200q (%v)", i+1, r.payload, got, err)
		}
		adjusted := false
		for _, a := range rep.Adjustments {
			adjusted = adjusted || a.EventID == int64(i+1) && a.Seq == e.Seq && a.Why != ""
		}
		if !adjusted && i != 20 {
			t.Errorf("entry %d: nothing in the report", i+1)
		}
	}
	for key, want := range map[string]string{"r1": "done", "r1~24": "done", "sha256:1": "failed", "changi-26": "done", "changi-28": "done"} {
		w, err := f.ShowWork(context.Background(), key, 0)
		if err != nil || w.Record.State != want {
			t.Errorf("work %s: %+v %v", key, w.Record, err)
		}
	}
	if w, _ := f.ShowWork(context.Background(), "r1", 0); len(w.Events) != 2 || w.Record.Executor != "b" {
		t.Errorf("r1 has %d events, executor %q", len(w.Events), w.Record.Executor)
	}
	for key, want := range map[string]string{"changi-5": "pending", "changi-14": "cleared", "changi-15": "claimed", "changi-16": "pending", "changi-18": "pending"} {
		s, err := f.ShowSignal(context.Background(), key, 0)
		if err != nil || s.Record.State != want || s.Record.Summary == "" || s.Record.Expires != 0 {
			t.Errorf("signal %s: %+v %v", key, s.Record, err)
		}
	}
}

// The daemon of the source may be running, with its newest entries only in its
// write-ahead log.
func TestImportFromARunningSource(t *testing.T) {
	dir := makeChangi(t, "WAL", changiRow{"a", "p", `{"n":1}`, nil})
	db := changiDB(t, filepath.Join(dir, "events.db"), "WAL")
	defer db.Close()
	if _, err := db.Exec(`INSERT INTO events (topic, producer_id, timestamp, schema_version, payload) VALUES ('a', 'p', 't', '1', '{"n":2}')`); err != nil {
		t.Fatal(err)
	}
	f := ledgertest.Open(t)
	rep, err := importer.Import(context.Background(), f.Ledger, dir, importer.Options{Importers: ofChangi})
	if err != nil || rep.Read != 2 {
		t.Fatalf("%+v %v", rep, err)
	}
	// The source goes on and is imported again on demand only.
	if _, err := db.Exec(`INSERT INTO events (topic, producer_id, timestamp, schema_version, payload) VALUES ('a', 'p', 't', '1', '{"n":3}')`); err != nil {
		t.Fatal(err)
	}
	_, err = importer.Import(context.Background(), f.Ledger, dir, importer.Options{Importers: ofChangi})
	ledgertest.WantCode(t, err, model.CodeRefused)
}

func TestImportRedacts(t *testing.T) {
	secret := "ghp_" + strings.Repeat("A1b2", 9)
	dir := makeChangi(t, "DELETE",
		changiRow{"a", "p", `{"t":"` + secret + `"}`, nil},
		changiRow{"a", "p", `{"t":"` + secret + `","big":"` + strings.Repeat("z", 300_000) + `"}`, nil},
		changiRow{"a", "p", `broken ` + secret, nil})
	f := ledgertest.Open(t)
	redactor, err := redact.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	l := ledger.Open(f.Store(), ledger.Options{Clock: f.Clock.Read, Redactor: redactor})
	defer l.Close()
	rep, err := importer.Import(context.Background(), l, dir, importer.Options{Importers: ofChangi})
	if err != nil {
		t.Fatal(err)
	}
	events, err := query.All(context.Background(), l.Store(), query.Query{Kind: "generic"})
	if err != nil || len(events) != 3 {
		t.Fatal(err)
	}
	for _, e := range events {
		got, err := changi.Original(e.Payload)
		if err != nil || bytes.Contains(got, []byte(secret)) || bytes.Contains(e.Payload, []byte(secret)) {
			t.Errorf("event %d: %v %.100q", e.Seq, err, got)
		}
	}
	n := 0
	for _, a := range rep.Adjustments {
		if strings.HasPrefix(a.What, "secrets replaced") {
			n++
		}
	}
	if n != 3 {
		t.Errorf("%+v", rep.Adjustments)
	}
}

func TestImportRefusesWhatIsNoLedger(t *testing.T) {
	f := ledgertest.Open(t)
	_, err := importer.Import(context.Background(), f.Ledger, t.TempDir(), importer.Options{Importers: ofChangi})
	ledgertest.WantCode(t, err, model.CodeUsage)
	_, err = importer.Import(context.Background(), f.Ledger, filepath.Join(t.TempDir(), "none"), importer.Options{Importers: ofChangi})
	ledgertest.WantCode(t, err, model.CodeUsage)
}
