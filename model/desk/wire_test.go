package desk

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"binnacle/model"
	"binnacle/model/directive"
	"binnacle/model/filter"
)

// filler sets every field of a value, each to something else.
type filler struct {
	n int64
	t *testing.T
}

func (f *filler) next() int64 { f.n++; return f.n }

// fill sets v and all below it, lists and maps to two entries. path tells where
// it is. It refuses a kind of value that a wire does not carry.
func (f *filler) fill(v reflect.Value, path string) {
	switch v.Interface().(type) {
	case filter.Filter:
		filter, err := filter.Parse(`kind:note -topic:b/* lane:"a *b" key:k`+strconv.FormatInt(f.next(), 10)+` since:2026-06-20T15:00:00Z -word "a phrase"`, 0)
		if err != nil {
			f.t.Fatal(err)
		}
		v.Set(reflect.ValueOf(filter))
		return
	case model.Cursor:
		v.Set(reflect.ValueOf(model.Cursor{Epoch: "x" + strconv.FormatInt(f.next(), 10), Seq: f.next()}))
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf(json.RawMessage(`{"n":` + strconv.FormatInt(f.next(), 10) + `,"text":"` + "\u202e" + `"}`)))
		return
	case directive.Priority:
		v.Set(reflect.ValueOf(directive.P2))
		return
	}
	if v.Type() == reflect.TypeFor[error]() {
		return // what lies below an error stays where it is
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Type().Field(i).IsExported() {
				f.t.Errorf("%s.%s is not exported: a wire can't carry it", path, v.Type().Field(i).Name)
				continue
			}
			f.fill(v.Field(i), path+"."+v.Type().Field(i).Name)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), path)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(v.Index(0), path)
		f.fill(v.Index(1), path)
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i), path)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key, path)
			f.fill(value, path)
			v.SetMapIndex(key, value)
		}
	case reflect.String:
		v.SetString("text \x1b \u202e <" + strconv.FormatInt(f.next(), 10) + ">")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1_790_000_000_000_000 + f.next())
	case reflect.Float64:
		v.SetFloat(float64(f.next()) / 8)
	default:
		f.t.Errorf("%s is a %s: a wire can't carry it", path, v.Type())
	}
}

// values are all that goes over a Desk.
func values() []any {
	return []any{
		Snapshot{}, Detail{}, Ref{}, PageRequest{}, Page{}, FollowRequest{}, Item{}, Gap{}, Action{}, Outcome{}, Undo{}, At{}, model.Error{},
	}
}

// Every value comes back from a wire with every field, the new ones too, but for
// the hashes of claim tokens, which never leave.
func TestEveryValueCrossesAWire(t *testing.T) {
	for _, v := range values() {
		typ := reflect.TypeOf(v)
		t.Run(typ.Name(), func(t *testing.T) {
			want := reflect.New(typ)
			(&filler{t: t}).fill(want.Elem(), typ.Name())
			b, err := Marshal(want.Interface())
			if err != nil {
				t.Fatal(err)
			}
			got := reflect.New(typ)
			if err := Unmarshal(b, got.Interface()); err != nil {
				t.Fatal(err)
			}
			compare(t, got.Elem(), want.Elem(), typ.Name())
			// The zero value is one, too.
			if b, err = Marshal(reflect.Zero(typ).Interface()); err != nil {
				t.Fatal(err)
			}
			zero := reflect.New(typ)
			if err := Unmarshal(b, zero.Interface()); err != nil {
				t.Fatalf("%s: %v", b, err)
			}
			if !zero.Elem().IsZero() {
				t.Errorf("nothing came back as %+v", zero.Elem())
			}
		})
	}
}

// compare says which field differs.
func compare(t *testing.T, got, want reflect.Value, path string) {
	t.Helper()
	if strings.HasSuffix(path, ".TokenHash") {
		if !got.IsZero() {
			t.Errorf("%s left the machine: %v", path, got)
		}
		return
	}
	switch want.Kind() {
	case reflect.Struct:
		for i := range want.NumField() {
			compare(t, got.Field(i), want.Field(i), path+"."+want.Type().Field(i).Name)
		}
	case reflect.Pointer:
		if got.IsNil() != want.IsNil() {
			t.Errorf("%s came back as %v", path, got)
			return
		}
		if !want.IsNil() {
			compare(t, got.Elem(), want.Elem(), path)
		}
	case reflect.Slice:
		if got.Len() != want.Len() {
			t.Errorf("%s came back with %d entries, not %d", path, got.Len(), want.Len())
			return
		}
		for i := range want.Len() {
			compare(t, got.Index(i), want.Index(i), path)
		}
	default:
		if !reflect.DeepEqual(got.Interface(), want.Interface()) {
			t.Errorf("%s came back as %v, not %v", path, got, want)
		}
	}
}

// The values of a Desk's methods are those that the test above sends: a method
// that carries another is refused here.
func TestADeskCarriesTheseValuesOnly(t *testing.T) {
	known := map[string]bool{"context.Context": true, "string": true, "[]string": true, "error": true, "desk.Feed": true}
	for _, v := range values() {
		known[reflect.TypeOf(v).String()] = true
	}
	known["<-chan desk.Snapshot"], known["[]desk.Item"] = true, true
	for _, face := range []reflect.Type{reflect.TypeFor[Desk](), reflect.TypeFor[Feed]()} {
		for i := range face.NumMethod() {
			m := face.Method(i)
			for j := range m.Type.NumIn() {
				if in := m.Type.In(j).String(); !known[in] {
					t.Errorf("%s takes a %s", m.Name, in)
				}
			}
			for j := range m.Type.NumOut() {
				if out := m.Type.Out(j).String(); !known[out] {
					t.Errorf("%s returns a %s", m.Name, out)
				}
			}
		}
	}
}

// Two gaps in a row are one, from the first to the last.
func TestAGapGrows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var g Gap
		var missed, at int64
		first := int64(0)
		for range rapid.IntRange(1, 5).Draw(rt, "gaps") {
			n := rapid.Int64Range(1, 4).Draw(rt, "missed")
			from := at + rapid.Int64Range(1, 3).Draw(rt, "apart")
			at = from + n - 1
			missed += n
			if first == 0 {
				first = from
			}
			g.Add(Gap{Missed: n, From: from, To: at, Next: model.Cursor{Seq: from - 1}})
		}
		if want := (Gap{Missed: missed, From: first, To: at, Next: model.Cursor{Seq: first - 1}}); g != want {
			rt.Fatalf("the gap is %+v, not %+v", g, want)
		}
	})
}
