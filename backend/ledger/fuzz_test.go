package ledger

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
	"binnacle/model"
)

// Whatever the lines are, they come whole, in order, without their ends.
func FuzzReadLine(f *testing.F) {
	f.Add([]byte("a\nb\r\n\n"), 16)
	f.Add([]byte(strings.Repeat("x", 5000)+"\ny"), 16)
	f.Fuzz(func(t *testing.T, in []byte, size int) {
		r := bufio.NewReaderSize(bytes.NewReader(in), max(16, size%4096))
		var got []string
		for {
			line, long, err := readLine(r)
			if long {
				t.Fatal("too long")
			}
			if len(line) > 0 || err == nil {
				got = append(got, string(line))
			}
			if errors.Is(err, io.EOF) {
				break
			}
		}
		want := strings.Split(string(in), "\n")
		for i := range want {
			want[i] = strings.TrimRight(want[i], "\r")
		}
		if n := len(want); want[n-1] == "" {
			want = want[:n-1]
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("%q of %q", got, in)
		}
	})
}

// Whatever an envelope line is, it is refused or makes a request.
func FuzzEnvelopeLine(f *testing.F) {
	f.Add([]byte(`{"topic":"a","kind":"note","payload":{"text":"x"}}`))
	f.Add([]byte(`{"topic":"a","expires":"2h","causation":1,"payload":{}}`))
	f.Add([]byte(`{"payload":`))
	s, err := storetest.OpenAt(storetest.Place(f), storetest.Options{Parts: store.NewParts(Part())})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Close() })
	l := Open(s, Options{})
	f.Fuzz(func(t *testing.T, line []byte) {
		req, err := LineOptions{Topic: "t", Kind: model.KindGeneric, Envelope: true}.request(line)
		if err != nil {
			if model.CodeOf(err) != model.CodeInvalid {
				t.Fatal(err)
			}
			return
		}
		if d, err := l.draft(req); err == nil {
			if err := d.Check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
