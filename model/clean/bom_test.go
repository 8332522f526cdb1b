package clean

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestWithoutBOM(t *testing.T) {
	const mark = "\ufeff"
	tests := []struct{ name, in, want string }{
		{"none", `{"a":1}`, `{"a":1}`},
		{"one", mark + `{"a":1}`, `{"a":1}`},
		{"two: the second is text", mark + mark + "x", mark + "x"},
		{"later: text", "x" + mark, "x" + mark},
		{"alone", mark, ""},
		{"empty", "", ""},
		{"a part of one", "\xef\xbb", "\xef\xbb"},
		{"begins like one", "\xef\xbb\xbex", "\xef\xbb\xbex"},
		{"one byte", "x", "x"},
	}
	readers := map[string]func(io.Reader) io.Reader{
		"whole":       func(r io.Reader) io.Reader { return r },
		"a byte each": iotest.OneByteReader,
		"data with the error": func(r io.Reader) io.Reader {
			return iotest.DataErrReader(r)
		},
	}
	for _, tt := range tests {
		for how, wrap := range readers {
			got, err := io.ReadAll(WithoutBOM(wrap(strings.NewReader(tt.in))))
			if err != nil || string(got) != tt.want {
				t.Errorf("%s, %s: %q, %v; want %q", tt.name, how, got, err, tt.want)
			}
		}
		if got := string(CutBOM([]byte(tt.in))); got != tt.want {
			t.Errorf("%s: CutBOM gives %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestWithoutBOMKeepsErrors(t *testing.T) {
	r := WithoutBOM(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("ab"))))
	got, err := io.ReadAll(r)
	if string(got) != "a" || err != iotest.ErrTimeout {
		t.Errorf("%q, %v", got, err)
	}
}
