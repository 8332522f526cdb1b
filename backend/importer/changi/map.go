package changi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"binnacle/backend/importer"
	"binnacle/backend/ledger"
	"binnacle/model"
)

// importedLease is the lease of work that was in flight: Changi has none, and
// a record without one would be reaped at once.
const importedLease = 24 * time.Hour

// mapper turns Changi's entries into events:
//   - A signal (changi.kind "signal") becomes a record of its own under the key
//     changi-<event_id>; without a state it is pending. For Changi has no key,
//     and its status counts entries.
//   - A valid receipt (changi.kind "work_receipt", receipt_valid true) becomes a
//     work record under its receipt_id, else its artifact_hash, else
//     changi-<event_id>: claimed while it is in flight, failed when exit_status
//     is not 0, else done. A terminal receipt of a record that an earlier entry
//     of the same import left in flight completes it.
//   - A record that begins in a later state than its first has no history here:
//     its event is a root and says "reconstructed": true.
//   - Everything else is a generic event.
//
// The payload is kept, and only members are added to it, where possible; see
// changiPayload for when it is not. The entry's time, and a topic, a producer
// or a cause that could not be kept, stand in the event that records the
// import.
type mapper struct {
	w *importer.Writer
}

// meta is what Changi itself understands of a payload.
type meta struct {
	Kind         string
	State        string
	HasState     bool
	ReceiptValid bool
	ReceiptError string
	Summary      string
	Receipt      changiReceipt
	NoObject     bool // there is a member "changi", but it is not an object
}

type changiReceipt struct {
	members map[string]json.RawMessage
}

func (r changiReceipt) text(name string) string {
	var s string
	if json.Unmarshal(r.members[name], &s) != nil {
		return ""
	}
	return s
}

// readMeta reads leniently: what has another type than Changi writes counts as
// missing.
func readMeta(payload []byte) meta {
	var m meta
	var top map[string]json.RawMessage
	if json.Unmarshal(payload, &top) != nil {
		return m
	}
	text := func(from map[string]json.RawMessage, name string) (s string) {
		_ = json.Unmarshal(from[name], &s)
		return s
	}
	for _, name := range []string{"summary", "text", "title", "message"} {
		if m.Summary = text(top, name); m.Summary != "" {
			break
		}
	}
	var ch map[string]json.RawMessage
	raw, ok := top["changi"]
	if ok && (json.Unmarshal(raw, &ch) != nil || ch == nil) {
		m.NoObject = true
		return m
	}
	m.Kind = text(ch, "kind")
	if raw, ok := ch["state"]; ok && string(raw) != "null" {
		m.HasState, m.State = true, text(ch, "state")
		if m.State == "" {
			m.State = string(raw)
		}
	}
	_ = json.Unmarshal(ch["receipt_valid"], &m.ReceiptValid)
	m.ReceiptError = text(ch, "receipt_error")
	_ = json.Unmarshal(top["work_receipt"], &m.Receipt.members)
	return m
}

// entry writes one entry.
func (m *mapper) entry(r row) error {
	m.w.Read()
	var notes []importer.Adjustment
	note := func(what, why, original string) {
		notes = append(notes, importer.Adjustment{EventID: r.ID, What: what, Why: why, Original: printable(original)})
	}
	d := model.Draft{Kind: model.KindGeneric}
	d.Topic = legalTopic(r.Topic)
	if d.Topic != r.Topic {
		note("topic written as "+d.Topic, "topics have no such characters, no empty segments and at most 255 bytes", r.Topic)
	}
	d.Producer = legalName(r.Producer, model.MaxProducer)
	if d.Producer != r.Producer {
		note("producer written as "+d.Producer, "producers have 1 to 128 bytes and no control characters", r.Producer)
	}
	if r.Causation != nil {
		if id, ok := r.Causation.(int64); ok && m.w.Seq(id) > 0 {
			d.Causation = m.w.Seq(id)
		} else {
			note("cause left out", "it names no earlier entry", textOf(r.Causation))
		}
	}
	var redacted int
	if r.Payload, redacted = m.w.Redact(r.Payload); redacted > 0 {
		note("secrets replaced: "+strconv.Itoa(redacted), "a ledger can't be edited later", "")
	}
	meta := readMeta(r.Payload)
	add, err := m.classify(r, meta, &d, note)
	if err != nil {
		return err
	}
	built, err := buildPayload(r.ID, r.Payload, &d, add)
	if err != nil {
		return err
	}
	if built.what != "" {
		note(built.what, built.why, "")
	}
	d.Payload = built.first
	e, err := m.w.Append(r.ID, d)
	if err != nil {
		return err
	}
	for _, part := range built.rest {
		p := model.Draft{Topic: d.Topic, Producer: d.Producer, Kind: model.KindGeneric, Causation: e.Seq, Payload: part}
		if _, err := m.w.Append(r.ID, p); err != nil {
			return err
		}
	}
	for _, a := range notes {
		a.Seq = e.Seq
		if err := m.w.Adjust(a); err != nil {
			return err
		}
	}
	return m.w.Place(r.ID, e.Seq, printable(r.Timestamp), printable(r.Schema))
}

// additions are the members that a record needs in its payload.
type additions struct {
	members map[string]any
	summary string // of a signal, for when the payload can't stand beside them
}

// apart are the members of a payload in which the original is one member.
func (a additions) apart() map[string]any {
	if a.summary == "" {
		return a.members
	}
	out := map[string]any{"summary": a.summary}
	for name, v := range a.members {
		out[name] = v
	}
	return out
}

// classify decides what the entry is. It sets the draft's kind, key and state
// and returns the members that the record needs in the payload.
func (m *mapper) classify(r row, meta meta, d *model.Draft, note func(what, why, original string)) (additions, error) {
	switch {
	case meta.Kind == "signal":
		return m.signal(r, meta, d, note)
	case meta.Kind == "work_receipt" && meta.ReceiptValid:
		return m.receipt(r, meta, d, note)
	case meta.Kind == "work_receipt":
		why := "Changi found the receipt not valid"
		if meta.ReceiptError != "" {
			why += ": " + printable(meta.ReceiptError)
		}
		note("kept as a generic event", why, "")
	case meta.NoObject:
		note("kept as a generic event", `its member "changi" is not an object`, "")
	case meta.Kind != "":
		note("kept as a generic event", "there is no kind "+printable(meta.Kind), "")
	}
	return additions{}, nil
}

func (m *mapper) signal(r row, meta meta, d *model.Draft, note func(what, why, original string)) (additions, error) {
	state := model.SignalPending
	if meta.HasState {
		state = meta.State
	}
	if !slices.Contains(model.SignalMachine().States(), state) {
		note("kept as a generic event", "a signal has no state "+printable(state), "")
		return additions{}, nil
	}
	d.Kind, d.State = model.KindSignal, state
	add := map[string]any{}
	if state != model.SignalPending {
		add["reconstructed"] = true
		note("root marked reconstructed", "a "+state+" signal came without its history", "")
	}
	if !meta.HasState {
		note("state taken as pending", "the signal names none", "")
	}
	summary := topText(r.Payload, "summary")
	if summary == "" {
		summary = printable(firstOf(meta.Summary, r.Topic, d.Topic))
		add["summary"] = cutText(summary, 1000)
		note("summary added", "a signal says what it is about", "")
	}
	var err error
	d.Key, err = m.freeKey(model.KindSignal, "changi-"+strconv.FormatInt(r.ID, 10), r.ID, note)
	return additions{members: add, summary: cutText(summary, 1000)}, err
}

func (m *mapper) receipt(r row, meta meta, d *model.Draft, note func(what, why, original string)) (additions, error) {
	d.Kind = model.KindWork
	rec := meta.Receipt
	executor := legalName(firstOf(rec.text("executor_id"), r.Producer), model.MaxProducer)
	add := map[string]any{"executor": executor, "evidence": receiptEvidence(rec)}
	want := firstOf(rec.text("receipt_id"), rec.text("artifact_hash"))
	key := want
	if model.CheckName("key", key, model.MaxKey) != nil {
		key = "changi-" + strconv.FormatInt(r.ID, 10)
		if want != "" {
			note("work key written as "+key, "keys have 1 to 255 bytes and no control characters", want)
		}
	}
	if rec.text("state") == "in_flight" {
		until := m.w.Tx().Clocks().Wall.Add(importedLease)
		d.State, add["action"] = model.WorkClaimed, "claim"
		add["lease_until"], add["lease_seconds"] = until, int64(importedLease/time.Second)
		note("lease added, until "+until.String(), "work in flight is held under a lease", "")
		var err error
		d.Key, err = m.freeKey(model.KindWork, key, r.ID, note)
		return additions{members: add}, err
	}
	d.State, add["action"] = model.WorkDone, "complete"
	if exit := strings.TrimSpace(string(rec.members["exit_status"])); exit != "" && exit != "0" && exit != "null" {
		d.State, add["action"] = model.WorkFailed, "fail"
		add["reason"] = "exit status " + cutText(exit, 100)
	}
	w, err := ledger.Work.Get(m.w.Tx(), key)
	if err == nil && w.State == model.WorkClaimed && w.Executor == executor && w.FirstSeq >= m.w.First() && m.w.First() > 0 {
		d.Key = key // the end of what an earlier entry began
		return additions{members: add}, nil
	}
	add["reconstructed"] = true
	note("root marked reconstructed", "a "+d.State+" work record came without its history", "")
	d.Key, err = m.freeKey(model.KindWork, key, r.ID, note)
	return additions{members: add}, err
}

// receiptEvidence is the receipt as evidence: the members that Changi knows,
// long ones left out. The whole receipt stands in the payload itself.
func receiptEvidence(r changiReceipt) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, name := range []string{
		"executor_id", "input_hash", "exit_status", "started_at", "finished_at", "duration_ms", "receipt_id", "artifact_hash",
	} {
		if v := r.members[name]; len(v) > 0 && len(v) <= 2048 {
			if _, err := model.Canonical(v); err == nil {
				out[name] = v
			}
		}
	}
	if len(out) == 0 {
		out["imported"] = json.RawMessage(`"changi"`)
	}
	return out
}

// freeKey returns the key, or one made from it when the ledger has a record of
// that key: an import changes no record that is there.
func (m *mapper) freeKey(kind model.Kind, key string, id int64, note func(what, why, original string)) (string, error) {
	want := key
	for n := 1; ; n++ {
		var err error
		if kind == model.KindSignal {
			_, err = ledger.Signals.Get(m.w.Tx(), key)
		} else {
			_, err = ledger.Work.Get(m.w.Tx(), key)
		}
		if model.CodeOf(err) == model.CodeNotFound && err != nil {
			break
		}
		if err != nil {
			return "", err
		}
		suffix := "~" + strconv.FormatInt(id, 10)
		if n > 1 {
			suffix += "." + strconv.Itoa(n)
		}
		key = cutText(want, model.MaxKey-len(suffix)) + suffix
	}
	if key != want {
		note(fmt.Sprintf("%s key written as %s", kind, key), "the ledger has a record of that key", want)
	}
	return key, nil
}

// legalTopic replaces what topics can't have by an underscore and drops empty
// segments.
func legalTopic(s string) string {
	var segments []string
	for _, seg := range strings.Split(s, "/") {
		var b strings.Builder
		for _, r := range seg {
			if r < utf8.RuneSelf && model.IsTopicByte(byte(r)) {
				b.WriteRune(r)
			} else {
				b.WriteByte('_')
			}
		}
		if b.Len() > 0 {
			segments = append(segments, b.String())
		}
	}
	t := strings.Join(segments, "/")
	if len(t) > model.MaxTopic {
		t = strings.TrimRight(t[:model.MaxTopic], "/")
	}
	if t == "" {
		return "unknown"
	}
	return t
}

// legalName replaces controls and invalid bytes by an underscore.
func legalName(s string, most int) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || unicode.IsControl(r) {
			b.WriteByte('_')
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	if out := cutText(b.String(), most); out != "" {
		return out
	}
	return "unknown"
}

// cutText cuts at a rune's start.
func cutText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// printable makes text fit for JSON: what is not UTF-8 is quoted.
func printable(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strconv.QuoteToASCII(s)
}

func firstOf(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

func topText(payload []byte, name string) string {
	var top map[string]json.RawMessage
	var s string
	if json.Unmarshal(payload, &top) == nil {
		_ = json.Unmarshal(top[name], &s)
	}
	return s
}

func textOf(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case []byte:
		return string(x)
	case string:
		return x
	case int64:
		return strconv.FormatInt(x, 10)
	default:
		return fmt.Sprint(x)
	}
}
