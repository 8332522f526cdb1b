package store

import (
	"database/sql/driver"
	"encoding/json"
)

// Field maps one field of the record type T to its column: reading, writing and
// the column's declaration are told once.
type Field[T any] struct {
	Column
	get func(*T) driver.Value
	set func(*T, driver.Value)
}

// Fixed marks a field that never changes while the record stands.
func (f Field[T]) Fixed() Field[T] {
	f.Column.Fixed = true
	return f
}

// Long marks text of which a fold holds the digest only.
func (f Field[T]) Long() Field[T] {
	f.Column.Long = true
	return f
}

// Text maps a string that is always there.
func Text[T any](name string, of func(*T) *string) Field[T] {
	return Field[T]{
		Column{Name: name, Type: "TEXT NOT NULL"},
		func(r *T) driver.Value { return *of(r) },
		func(r *T, v driver.Value) { *of(r) = AsText(v) },
	}
}

// TextOrNull maps a string whose "" is absent.
func TextOrNull[T any](name string, of func(*T) *string) Field[T] {
	return Field[T]{
		Column{Name: name, Type: "TEXT"},
		func(r *T) driver.Value { return NullText(*of(r)) },
		func(r *T, v driver.Value) { *of(r) = AsText(v) },
	}
}

// Int maps a number that is always there.
func Int[T any, N ~int | ~int64](name string, of func(*T) *N) Field[T] {
	return Field[T]{
		Column{Name: name, Type: "INTEGER NOT NULL"},
		func(r *T) driver.Value { return int64(*of(r)) },
		func(r *T, v driver.Value) { *of(r) = N(AsInt(v)) },
	}
}

// IntOrNull maps a number whose 0 is absent.
func IntOrNull[T any, N ~int64](name string, of func(*T) *N) Field[T] {
	return Field[T]{
		Column{Name: name, Type: "INTEGER"},
		func(r *T) driver.Value { return NullInt(*of(r)) },
		func(r *T, v driver.Value) { *of(r) = N(AsInt(v)) },
	}
}

// JSONOrNull maps a JSON value that was written by us; none is absent.
func JSONOrNull[T any](name string, of func(*T) *json.RawMessage) Field[T] {
	return Field[T]{
		Column{Name: name, Type: "TEXT"},
		func(r *T) driver.Value { return NullText(string(*of(r))) },
		func(r *T, v driver.Value) {
			*of(r) = nil
			if v != nil {
				*of(r) = AsBytes(v)
			}
		},
	}
}

// ListOrNull maps a list as JSON; an empty one is absent. One that can't be read
// stays empty: verify compares it with what the events say.
func ListOrNull[T, E any](name string, of func(*T) *[]E) Field[T] {
	return Field[T]{
		Column{Name: name, Type: "TEXT"},
		func(r *T) driver.Value {
			list := *of(r)
			if len(list) == 0 {
				return nil
			}
			b, err := json.Marshal(list)
			if err != nil {
				return nil // numbers and strings only: it can't fail
			}
			return string(b)
		},
		func(r *T, v driver.Value) {
			var list []E
			if v != nil {
				_ = json.Unmarshal(AsBytes(v), &list)
			}
			*of(r) = list
		},
	}
}

// NumberKey maps the key of records that are numbered (NameNext).
func NumberKey[T any](name string, of func(*T) *int64) Field[T] {
	f := Int(name, of)
	f.Column.Type = "INTEGER"
	return f
}

// SideInt declares a number in a side table.
func SideInt(name string) Column { return Column{Name: name, Type: "INTEGER NOT NULL"} }
