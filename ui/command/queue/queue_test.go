package queue

import (
	"testing"

	"binnacle/model"
)

func FuzzIDs(f *testing.F) {
	for _, s := range []string{"1", "1,2 3", "#4", "", "0", "-1", "9999999999999999999", "a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ids([]string{s})
		if err != nil && model.Exit(err) != 2 {
			t.Errorf("%q ends with %d", s, model.Exit(err))
		}
		for _, n := range got {
			if n < 0 { // 0 is an id that nothing has
				t.Errorf("%q gives %d", s, n)
			}
		}
	})
}
