package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"binnacle/model"
)

func TestJoinedAddsAMember(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		object := map[string]any{"a": rapid.String().Draw(t, "a"), "b": []any{rapid.String().Draw(t, "b"), "}"}}
		member := rapid.String().Draw(t, "member")
		text, err := Joined(object, "more", member)
		if err != nil {
			t.Fatal(err)
		}
		var got, want map[string]any
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		raw, _ := json.Marshal(object)
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		raw, _ = json.Marshal(member)
		var value any
		if err := json.Unmarshal(raw, &value); err != nil {
			t.Fatal(err)
		}
		want["more"] = value
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s is not %v", text, want)
		}
	})
}

func TestTableColumnsStayTrue(t *testing.T) {
	var out bytes.Buffer
	r := NewRun(Env{Stdout: &out})
	err := r.Table([]Column{{Name: "key"}, {Name: "n", Right: true}, {Name: "text", Most: 8}}, [][]string{
		{"日本", "1", "x"}, {"💰\x1b[31m", "1000", "a long text"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "KEY         N  TEXT\n日本        1  x\n💰␛[31m  1000  a long …\n"
	if got := out.String(); got != want {
		t.Errorf("the table is\n%s\nnot\n%s", got, want)
	}
}

func TestCauseKeepsWhatWasSaid(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	own := model.Errorf(model.CodeRefused, "no")
	if got := cause(ctx, own); !errors.Is(got, own) {
		t.Errorf("it became %v", got)
	}
	cancel(errClosedPipe)
	if got := cause(ctx, own); !errors.Is(got, own) {
		t.Errorf("a refusal became %v", got)
	}
	if got := cause(ctx, context.Canceled); !errors.Is(got, errClosedPipe) {
		t.Errorf("an echo became %v", got)
	}
}
