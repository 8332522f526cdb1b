package desk

import (
	"reflect"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"binnacle/model"
	"binnacle/model/directive"
	"binnacle/model/filter"
	"binnacle/model/fleetmap"
	"binnacle/model/session"
)

// Marshal writes a value of this package as JSON. It is not the JSON that is
// shown to people and scripts, which leaves out or rounds what a cockpit needs:
// the clocks of leases, ages to the nanosecond.
func Marshal(v any) ([]byte, error) { return json.Marshal(v, wire()) }

// Unmarshal reads what Marshal wrote.
func Unmarshal(b []byte, v any) error {
	if err := json.Unmarshal(b, v, wire()); err != nil {
		return model.Errorf(model.CodeInvalid, "what came over the wire can't be read: %w", err)
	}
	return nil
}

// wire is how the values of model that have another JSON for people are written
// between programs; made when it is first needed, which for most commands is
// never.
var wire = sync.OnceValue(func() json.Options {
	var w wireForms
	whole[directive.Directive](&w, "TokenHash")
	whole[model.Work](&w, "TokenHash")
	whole[directive.Why](&w)
	whole[fleetmap.Picture](&w)
	whole[fleetmap.Map](&w)
	whole[fleetmap.Machine](&w)
	whole[fleetmap.Actor](&w)
	whole[fleetmap.LiveRow](&w)
	as(&w, func(s fleetmap.Session) (fleetSession, error) { return fleetSession(s), nil },
		func(s fleetSession) (fleetmap.Session, error) { return fleetmap.Session(s), nil })
	as(&w, func(d time.Duration) (int64, error) { return int64(d), nil },
		func(n int64) (time.Duration, error) { return time.Duration(n), nil })
	as(&w, func(f filter.Filter) (string, error) { return f.String(), nil },
		func(s string) (filter.Filter, error) { return filter.Parse(s, 0) })
	as(&w, countsOut, countsIn)
	return json.JoinOptions(json.WithMarshalers(json.JoinMarshalers(w.out...)), json.WithUnmarshalers(json.JoinUnmarshalers(w.in...)),
		jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
})

type wireForms struct {
	out []*json.Marshalers
	in  []*json.Unmarshalers
}

// as writes every T as a W.
func as[T, W any](w *wireForms, out func(T) (W, error), in func(W) (T, error)) {
	w.out = append(w.out, json.MarshalToFunc(func(e *jsontext.Encoder, v T) error {
		x, err := out(v)
		if err != nil {
			return err
		}
		return json.MarshalEncode(e, x)
	}))
	w.in = append(w.in, json.UnmarshalFromFunc(func(d *jsontext.Decoder, v *T) error {
		var x W
		err := json.UnmarshalDecode(d, &x)
		if err == nil {
			*v, err = in(x)
		}
		return err
	}))
}

// whole writes every T, a struct, with all of its fields but the hidden ones,
// whatever its own JSON leaves out: as a struct of the same fields without T's
// methods, each under the name that T's JSON gives it or its own in small
// letters.
func whole[T any](w *wireForms, hidden ...string) {
	t := reflect.TypeFor[T]()
	fields := reflect.VisibleFields(t)
	for i := range fields {
		name, _, _ := strings.Cut(fields[i].Tag.Get("json"), ",")
		if name == "" || name == "-" {
			name = snake(fields[i].Name)
		}
		fields[i].Tag = reflect.StructTag(`json:"` + name + `,omitzero"`)
		for _, h := range hidden {
			if fields[i].Name == h {
				fields[i].Tag = `json:"-"`
			}
		}
	}
	bare := reflect.StructOf(fields)
	w.out = append(w.out, json.MarshalToFunc(func(e *jsontext.Encoder, v T) error {
		return json.MarshalEncode(e, reflect.ValueOf(v).Convert(bare).Interface())
	}))
	w.in = append(w.in, json.UnmarshalFromFunc(func(d *jsontext.Decoder, v *T) error {
		x := reflect.New(bare)
		err := json.UnmarshalDecode(d, x.Interface())
		*v, _ = x.Elem().Convert(t).Interface().(T)
		return err
	}))
}

// snake is a field's name in small letters: FetchAge is fetch_age.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 && !unicode.IsUpper(rune(name[i-1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// fleetSession is a fleetmap.Session without its methods.
type fleetSession struct {
	Machine           string `json:"machine"`
	*fleetmap.LiveRow `json:"row,omitempty"`
	RowAge            time.Duration  `json:"row_age,omitzero"`
	Behind            *bool          `json:"behind,omitempty"`
	Reason            string         `json:"reason,omitempty"`
	Place             *session.Place `json:"place,omitempty"`
}

// Counts are written by plane, then by name.
func countsOut(c model.Counts) (map[string]map[string]int64, error) {
	if c == nil {
		return nil, nil
	}
	out := map[string]map[string]int64{}
	for k, n := range c {
		if out[k.Plane] == nil {
			out[k.Plane] = map[string]int64{}
		}
		out[k.Plane][k.Name] = n
	}
	return out, nil
}

func countsIn(all map[string]map[string]int64) (model.Counts, error) {
	out := model.Counts{}
	for plane, names := range all {
		for name, n := range names {
			out[model.Counter{Plane: plane, Name: name}] = n
		}
	}
	return out, nil
}
