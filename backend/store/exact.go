package store

import (
	"database/sql/driver"
	"reflect"
	"strings"

	"binnacle/model"
)

// This file reads rows for whoever checks them. A record read in the usual way
// hides how it stands: NULL, an empty text and a zero are all "nothing", and a
// blob is a text. Queries and partial indexes tell them apart, so a row counts
// as good only when each value is the one that the writer would write.

// ExactSignal is ScanSignal; odd names the first column that holds its value in
// another form than the writer's, "" for none.
func ExactSignal(rows scanner) (s model.Signal, odd string, err error) {
	return exact(rows, SignalColumns, scanSignal, signalValues)
}

// ExactWork is ScanWork, with odd as in ExactSignal.
func ExactWork(rows scanner) (w model.Work, odd string, err error) {
	return exact(rows, WorkColumns, scanWork, workValues)
}

// ExactDirective is ScanDirective, with odd as in ExactSignal.
func ExactDirective(rows scanner) (d model.Directive, odd string, err error) {
	return exact(rows, DirectiveColumns, scanDirective, directiveValues)
}

func exact[T any](rows scanner, columns string, scan func([]driver.Value) T, values func(*T) []driver.Value) (T, string, error) {
	have, err := scanValues(rows, strings.Count(columns, ",")+1)
	if err != nil {
		var none T
		return none, "", err
	}
	v := scan(have)
	for i, want := range values(&v) {
		if !reflect.DeepEqual(have[i], want) {
			return v, strings.TrimSpace(strings.Split(columns, ",")[i]), nil
		}
	}
	return v, "", nil
}
