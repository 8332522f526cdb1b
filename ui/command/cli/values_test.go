package cli

import (
	"testing"

	"binnacle/model"
)

// at is the instant of every test here.
const at = model.Time(1_800_000_000_000_000)

func TestWordsAndNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 18204: "18,204", -1234567: "-1,234,567"} {
		if got := Number(n); got != want {
			t.Errorf("%d is %s, not %s", n, got, want)
		}
	}
	if got := List([]string{"a", "b", "c"}); got != "a, b or c" {
		t.Errorf("the list is %s", got)
	}
}

func FuzzPlace(f *testing.F) {
	for _, s := range []string{"12", "e4.12", "eabc.0", "2h", "1.5d", "2026-06-20T15:00:00Z", "", "-1", "e.1", "yesterday"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := Place{Now: func() model.Time { return at }}
		if err := p.Set(s); err != nil {
			if model.Exit(err) != 2 {
				t.Errorf("%q ends with %d", s, model.Exit(err))
			}
			return
		}
		if p.cursor == nil && p.At == 0 && s != "1970-01-01T00:00:00Z" {
			if tt, err := model.ParseTime(s); err != nil || tt != 0 {
				t.Errorf("%q is taken and means nothing", s)
			}
		}
	})
}
