package changi

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"sort"
	"unicode/utf8"

	"binnacle/backend/ledger"
	"binnacle/model"

	"github.com/go-json-experiment/json/jsontext"
)

// ImportMember is the payload's member that says how an imported payload was
// changed. ImportedOriginal undoes the change.
const ImportMember = "changi_import"

// importMember is its value. One of Original, Text and Zlib is there when the
// original does not stand beside it, member by member.
type importMember struct {
	EventID  int64           `json:"event_id"`
	Added    []string        `json:"added,omitempty"`              // members that were not in the original
	Numbers  []string        `json:"numbers_as_strings,omitempty"` // JSON pointers to numbers written as strings
	Original json.RawMessage `json:"original,omitempty"`           // the original object
	Text     *string         `json:"original_text,omitempty"`      // the original's text, which is not JSON of ours
	Zlib     string          `json:"original_zlib,omitempty"`      // base64 of its zlib-compressed text
	Part     int             `json:"part,omitempty"`               // from 1; of one original over several events
	Parts    int             `json:"parts,omitempty"`
}

// builtPayload is a payload that keeps our rules.
type builtPayload struct {
	first     json.RawMessage
	rest      []json.RawMessage // further parts, when one event can't hold it
	what, why string            // "" when the original is unchanged
}

// buildPayload makes the payload of one entry: the original with the members of
// add. The least change that keeps our rules is taken, in this order:
//
//  1. nothing, when there is nothing to add and the original keeps the rules;
//  2. the original's members, with added ones beside them, and numbers that JSON
//     can't carry exactly written as strings;
//  3. the original as one member (a name that is added is taken, or means
//     something else to us);
//  4. the original's text as a string (it is no object, or not valid JSON);
//  5. the same, compressed (too large, or not UTF-8);
//  6. the same in parts, over several events.
func buildPayload(id int64, original []byte, d *model.Draft, a additions) (builtPayload, error) {
	add, apart := a.members, a.apart()
	members, numbers, err := legalObject(original)
	if err == nil && members[ImportMember] == nil {
		if len(add) == 0 && len(numbers) == 0 {
			if p, ok := acceptable(members, d); ok {
				return builtPayload{first: p}, nil
			}
		}
		im := importMember{EventID: id, Added: sortedNames(add), Numbers: numbers}
		what, why := "members added to the payload", "the record's state needs them"
		if len(numbers) > 0 {
			what, why = "numbers written as strings", "JSON numbers can't carry them exactly"
		}
		if p, ok := beside(members, add, im, d); ok {
			return builtPayload{first: p, what: what, why: why}, nil
		}
		raw, err := encodeMembers(members)
		if err == nil {
			im := importMember{EventID: id, Numbers: numbers, Original: raw}
			if p, ok := beside(nil, apart, im, d); ok {
				return builtPayload{first: p, what: "payload kept as a member", why: "one of its members means something else here"}, nil
			}
		}
	}
	why := reasonOf(original, err)
	if utf8.Valid(original) {
		text := string(original)
		if p, ok := beside(nil, apart, importMember{EventID: id, Text: &text}, d); ok {
			return builtPayload{first: p, what: "payload kept as text", why: why}, nil
		}
	}
	return compressed(id, original, d, apart, why)
}

func reasonOf(original []byte, err error) string {
	switch {
	case !utf8.Valid(original):
		return "it is not valid UTF-8"
	case err != nil:
		return err.Error()
	default:
		return "it is too large"
	}
}

// compressed takes as many events as it needs.
func compressed(id int64, original []byte, d *model.Draft, add map[string]any, why string) (builtPayload, error) {
	var buf bytes.Buffer
	zw := zlib.NewWriter(&buf)
	if _, err := zw.Write(original); err != nil {
		return builtPayload{}, err
	}
	if err := zw.Close(); err != nil {
		return builtPayload{}, err
	}
	text := base64.StdEncoding.EncodeToString(buf.Bytes())
	const room = model.MaxPayload - (32 << 10)
	parts := (len(text) + room - 1) / room
	out := builtPayload{what: "payload compressed", why: why}
	if parts > 1 {
		out.what = "payload compressed, over several events"
	}
	for i := 0; i < parts; i++ {
		im := importMember{EventID: id, Zlib: text[i*room : min(len(text), (i+1)*room)]}
		if parts > 1 {
			im.Part, im.Parts = i+1, parts
		}
		if i > 0 {
			p, ok := beside(nil, nil, im, &model.Draft{Kind: model.KindGeneric})
			if !ok {
				return out, model.Errorf(model.CodeInternal, "entry %d: a part of its payload does not fit", id)
			}
			out.rest = append(out.rest, p)
			continue
		}
		p, ok := beside(nil, add, im, d)
		if !ok {
			return out, model.Errorf(model.CodeInternal, "entry %d: its record can't be made", id)
		}
		out.first = p
	}
	return out, nil
}

// beside puts the added members and the import member beside the original's.
// It fails when a name is taken or the result breaks a rule.
func beside(members map[string]json.RawMessage, add map[string]any, im importMember, d *model.Draft) (json.RawMessage, bool) {
	all := make(map[string]json.RawMessage, len(members)+len(add)+1)
	for name, v := range members {
		all[name] = v
	}
	for name, v := range add {
		if _, taken := all[name]; taken {
			return nil, false
		}
		raw, err := ledger.EncodePayload(v)
		if err != nil {
			return nil, false
		}
		all[name] = raw
	}
	raw, err := ledger.EncodePayload(im)
	if err != nil {
		return nil, false
	}
	all[ImportMember] = raw
	if _, forged := members["reconstructed"]; forged {
		return nil, false
	}
	return acceptable(all, d)
}

// acceptable says whether the payload keeps our rules and, for a record, whether
// its members mean what the draft says.
func acceptable(members map[string]json.RawMessage, d *model.Draft) (json.RawMessage, bool) {
	raw, err := encodeMembers(members)
	if err != nil {
		return nil, false
	}
	p, err := model.CanonicalObject(raw)
	if err != nil {
		return nil, false
	}
	switch d.Kind {
	case model.KindSignal:
		var x model.SignalPayload
		if json.Unmarshal(p, &x) != nil || x.Expires != 0 {
			return nil, false // Changi's signals don't expire by themselves
		}
	case model.KindWork:
		var x model.WorkPayload
		if json.Unmarshal(p, &x) != nil || x.TokenHash != "" || x.Forced {
			return nil, false
		}
	}
	return p, true
}

// legalObject reads an object's members, with numbers that JSON can't carry
// exactly made strings; numbers are the JSON pointers to them.
func legalObject(original []byte) (members map[string]json.RawMessage, numbers []string, err error) {
	dec := jsontext.NewDecoder(bytes.NewReader(original))
	var buf bytes.Buffer
	enc := jsontext.NewEncoder(&buf)
	for {
		if dec.PeekKind() == '0' {
			v, err := dec.ReadValue()
			if err != nil {
				return nil, nil, model.Errorf(model.CodeInvalid, "it is not JSON of ours: %s", model.JSONFault(original, err))
			}
			if _, bad := model.Canonical(v); bad != nil {
				numbers = append(numbers, string(dec.StackPointer()))
				err = enc.WriteToken(jsontext.String(string(v)))
			} else {
				err = enc.WriteValue(v)
			}
			if err != nil {
				return nil, nil, err
			}
			continue
		}
		tok, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, model.Errorf(model.CodeInvalid, "it is not JSON of ours: %s", model.JSONFault(original, err))
		}
		if err := enc.WriteToken(tok); err != nil {
			return nil, nil, err
		}
	}
	if _, err := model.Canonical(buf.Bytes()); err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(buf.Bytes(), &members); err != nil || members == nil {
		return nil, nil, model.Errorf(model.CodeInvalid, "it is not an object")
	}
	return members, numbers, nil
}

// encodeMembers writes members whose values are JSON already, canonically and
// of any size.
func encodeMembers(members map[string]json.RawMessage) (json.RawMessage, error) {
	raw, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	return model.Canonical(raw)
}

func sortedNames(m map[string]any) []string {
	out := make([]string, 0, len(m))
	for name := range m {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

// Original gives back what an imported event's payload was: the bytes as
// they were where they were not JSON of ours, else the same JSON value in
// canonical form. parts are the payloads of the further events of an original
// that needed several, in order. A payload that was not changed is returned as
// it is.
func Original(payload json.RawMessage, parts ...json.RawMessage) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(payload, &members); err != nil {
		return nil, err
	}
	raw, changed := members[ImportMember]
	if !changed {
		return payload, nil
	}
	var im importMember
	if err := json.Unmarshal(raw, &im); err != nil {
		return nil, err
	}
	switch {
	case im.Text != nil:
		return []byte(*im.Text), nil
	case im.Zlib != "":
		return inflate(im, parts)
	case im.Original != nil:
		members = nil
		if err := json.Unmarshal(im.Original, &members); err != nil {
			return nil, err
		}
	default:
		delete(members, ImportMember)
		for _, name := range im.Added {
			delete(members, name)
		}
	}
	out, err := encodeMembers(members)
	if err != nil || len(im.Numbers) == 0 {
		return out, err
	}
	return unquote(out, im.Numbers)
}

func inflate(im importMember, parts []json.RawMessage) ([]byte, error) {
	text := im.Zlib
	if im.Parts > 1 && len(parts) != im.Parts-1 {
		return nil, model.Errorf(model.CodeInvalid, "the original has %d parts; %d came", im.Parts, len(parts)+1)
	}
	for _, p := range parts {
		var m struct {
			Import importMember `json:"changi_import"`
		}
		if err := json.Unmarshal(p, &m); err != nil {
			return nil, err
		}
		text += m.Import.Zlib
	}
	zipped, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	zr, err := zlib.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(zr)
}

// unquote makes numbers again of the strings that pointers name.
func unquote(doc []byte, pointers []string) ([]byte, error) {
	want := make(map[string]bool, len(pointers))
	for _, p := range pointers {
		want[p] = true
	}
	dec := jsontext.NewDecoder(bytes.NewReader(doc))
	var buf bytes.Buffer
	enc := jsontext.NewEncoder(&buf)
	for {
		tok, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSpace(buf.Bytes()), nil
		}
		if err != nil {
			return nil, err
		}
		// A name has the pointer of its value: only a string that is a value counts.
		_, n := dec.StackIndex(dec.StackDepth())
		kind, _ := dec.StackIndex(dec.StackDepth())
		isName := kind == '{' && n%2 == 1
		if tok.Kind() == '"' && !isName && want[string(dec.StackPointer())] {
			if err := enc.WriteValue(jsontext.Value(tok.String())); err != nil {
				return nil, err
			}
			continue
		}
		if err := enc.WriteToken(tok); err != nil {
			return nil, err
		}
	}
}
