package redact

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"binnacle/model"
	"binnacle/model/modeltest"

	"pgregory.net/rapid"
)

func redactor(t interface {
	Helper()
	Fatal(...any)
}, own ...Rule,
) *Redactor {
	t.Helper()
	r, err := New(own)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Made-up tokens of the right shape, put together so that no scanner takes this
// file for a leak.
var (
	fakeBody   = "9aK2mQ7xW4eR1tY8uI5oP3sD6fG0hJzL"
	fakeGitHub = "gh" + "p_" + fakeBody + "AbCd"
	fakeAWSID  = "AK" + "IAIOSFODNN7EXAMPLE"
	fakeAWS    = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
	fakeJWT    = "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	fakePEM    = "-----BEGIN " + "OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\nAAAA\n-----END OPENSSH PRIVATE KEY-----"
)

func TestRedactText(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"github", "push with " + fakeGitHub + " please", "push with [redacted:github-token] please"},
		{"github, fine-grained", "github_pat_" + fakeBody + "_x", "[redacted:github-token]"},
		{"gitlab", "x=glpat-" + fakeBody[:20], "x=[redacted:gitlab-token]"},
		{"aws id", "id " + fakeAWSID + ".", "id [redacted:aws-key-id]."},
		{"aws pair", fakeAWSID + " " + fakeAWS, "[redacted:aws-key-id] [redacted:aws-secret]"},
		{"aws secret by name", "AWS_SECRET_ACCESS_KEY=" + fakeAWS + "\nnext", "AWS_SECRET_ACCESS_KEY=[redacted:secret]\nnext"},
		{"a commit beside an aws id", fakeAWSID + " 3f786850e387550fdab836ed7e6dc881de23001b", "[redacted:aws-key-id] 3f786850e387550fdab836ed7e6dc881de23001b"},
		{"slack", "xoxb-123456789012-abcdefGHIJ", "[redacted:slack-token]"},
		{"slack webhook", "https://hooks.slack.com/services/T000/B000/" + fakeBody, "https://[redacted:slack-webhook]"},
		{"openai", "sk-" + fakeBody, "[redacted:openai-key]"},
		{"openai project", "sk-proj-ab_cd-" + fakeBody, "[redacted:openai-key]"},
		{"anthropic", "key: sk-ant-api03-" + fakeBody, "key: [redacted:anthropic-key]"},
		{"google", "AIza" + fakeBody + "xyz", "[redacted:google-key]"},
		{"npm", "npm_" + fakeBody + "AbCd", "[redacted:npm-token]"},
		{"stripe", "sk_live_" + fakeBody[:24], "[redacted:stripe-key]"},
		{"jwt", "see " + fakeJWT + ", ok", "see [redacted:jwt], ok"},
		{"private key", "a\n" + fakePEM + "\nb", "a\n[redacted:private-key]\nb"},
		{"private key, cut off", "a " + fakePEM[:60], "a [redacted:private-key]"},
		{"bearer", "Authorization: Bearer " + fakeBody, "Authorization: Bearer [redacted:secret]"},
		{"bearer alone", "use bearer " + fakeBody, "use bearer [redacted:bearer-token]"},
		{"basic", `curl -H "Authorization: Basic dXNlcjpwYXNz"`, `curl -H "Authorization: Basic [redacted:secret]"`},
		{"url", "postgres://app:hunter2@db:5432/x?a=b", "postgres://app:[redacted:url-password]@db:5432/x?a=b"},
		{"assignment", "export DB_PASSWORD='correct horse 9'", "export DB_PASSWORD='[redacted:password]'"},
		{"two on a line", "password=hunter2 api_key: " + fakeBody, "password=[redacted:password] api_key: [redacted:secret]"},
		{"query", "GET /x?token=" + fakeBody + "&page=2", "GET /x?token=[redacted:secret]&page=2"},
		{"flag", "run --api-token " + fakeBody + " --fast", "run --api-token [redacted:secret] --fast"},
		{"json in text", `{"client_secret": "` + fakeBody + `"}`, `{"client_secret": "[redacted:secret]"}`},
		{"json in json", `{\"token\":\"` + fakeBody + `\"}`, `{\"token\":\"[redacted:secret]\"}`},
		{"yaml", "token: " + fakeBody + "\nname: x", "token: [redacted:secret]\nname: x"},

		{"curl", "curl -sS -u deploy:s3cr3t-w0rd https://api.example.com/x", "curl -sS -u deploy:[redacted:curl-password] https://api.example.com/x"},
		{"curl, quoted and long", `curl --user 'ci:pa55 word' https://x.example.com`, `curl --user 'ci:[redacted:curl-password]' https://x.example.com`},
		{"curl, joined", "curl -uci:hunter2hunter2 x.example.com", "curl -uci:[redacted:curl-password] x.example.com"},
		{"telegram", "bot 123456789:AA" + fakeBody + "x tells", "bot [redacted:telegram-token] tells"},
		{"telegram url", "https://api.telegram.org/bot123456789:AA" + fakeBody + "x/getMe", "https://api.telegram.org/bot[redacted:telegram-token]/getMe"},
		{"discord", "use MTIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe." + fakeBody, "use [redacted:discord-token]"},
		{"discord webhook", "https://discord.com/api/webhooks/123456789012345678/" + fakeBody + fakeBody, "https://[redacted:discord-webhook]"},
		{"twilio", "S" + "K" + strings.Repeat("0123456789abcdef", 2), "[redacted:twilio-key]"},
		{"split by a line's end", "key gh" + "p_9aK2mQ7x\nW4eR1tY8uI5oP3sD6fG0hJzLAbCd\nnext", "key [redacted:github-token]\nnext"},
		{"split by CR LF in its prefix", "gh\r\np_" + fakeBody + "\r\nnext", "[redacted:github-token]\r\nnext"},
		{"split by a zero-width space", fakeGitHub[:12] + "\u200b" + fakeGitHub[12:] + " ok", "[redacted:github-token] ok"},
		{"split by a soft hyphen", fakeAWSID[:8] + "\u00ad" + fakeAWSID[8:], "[redacted:aws-key-id]"},
		{"whole, with a line behind", fakeGitHub + "\nabc", "[redacted:github-token]\nabc"},

		{"curl on this machine", "curl -u admin:admin http://localhost:8080/x; curl -u a:bbbbbbbb9 127.0.0.1", ""},
		{"curl without a password", "curl -u deploy https://x.example.com -H 'a: b' && curl -u $USER:$PASS https://x.example.com", ""},
		{"development urls", "postgres://app:devpass1@localhost:5432/x redis://:pw123456@127.0.0.1 amqp://g:guest123@[::1]:5672 mysql://r:root123@host.docker.internal/x", ""},
		{"git hashes", "git show 3f786850e387550fdab836ed7e6dc881de23001b 89e6c98 sha256:" + strings.Repeat("0123456789abcdef", 4), ""},
		{"uuids", "session 550e8400-e29b-41d4-a716-446655440000 of 018f4d2e-7c3a-7b1e-9c55-0242ac120002", ""},
		{"base64 names of images", "docker pull registry.example.com/team/aGVsbG8td29ybGQ:v1.2.3@sha256:" + strings.Repeat("ab12", 16), ""},
		{"an empty password", "password: \npassword=\nPASSWORD: ''\ntoken: null", ""},
		{"prose about passwords", "Ask for a password: the form must not keep it. Rotate the secret; tokens: see docs. Reset password = send mail.", ""},
		{"prose about curl", "curl -u is how basic auth is passed: user, colon, password", ""},
		{"code about passwords", "password = getpass()\nif user.password == hash(pw): token = session.token", ""},
		{"times and ratios", "at 12345678:30 ratio 123456789:AAA 10.0.0.1:8080", ""},
		{"words that begin like tokens", "SKU SKILLS MTU MjStory.module.file NTFS.partition.table.somewhere OTEL_EXPORTER.config.value.that.is.really.long.indeed.yes", ""},
		{"lists of words", "sk-\nlearn\ngh\np_x\nAKIA\nis a prefix\nghp_\nis another", ""},
		{"emoji with joiners", "👩\u200d💻 ships it \u200b now", ""},
		{"a lockfile", "integrity sha512-oNiUpFqFZLVbaPQlXaBLcm2O6/0Jqy0kZm2S7nL0dQ== version 1.2.3", ""},
		{"an ssh public key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJ6c2hhcmUta2V5LW9ubHktcHVibGlj me@host", ""},

		{"prose", "The token expired and the password is required: see docs.", ""},
		{"counts", "tokens: 12000 max_tokens=4096 token_count=17", ""},
		{"placeholders", "password=$DB_PASSWORD token=${TOKEN} secret=<your-secret-1> api_key=************ PASSWORD=%PASSWORD%", ""},
		{"code", `token = os.environ["GITHUB_TOKEN_2026"]; secret := getenv("A1")`, ""},
		{"hashes", "token_hash=" + strings.Repeat("0123456789abcdef", 4), ""},
		{"slugs", "task-sk-learn-classifier-model risk-assessment-2026-06-20 sk-learn-model-for-2026", ""},
		{"urls", "https://example.com:8080/a@b ssh://git@github.com/x", ""},
		{"public key", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", ""},
		{"inside of a word", "xAKIAIOSFODNN7EXAMPLE", ""},
		{"paths", "secret=/run/secrets/database-1 password: ./conf/db.pw", ""},
		{"times", "session_token: 2026-06-20T15:00:00Z", ""},
		{"marks", "password=[redacted:password] https://a:[redacted:url-password]@h", ""},
	}
	r := redactor(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if want == "" {
				want = tt.in
			}
			got, n := r.RedactText(tt.in)
			if got != want {
				t.Errorf("%q\n got %q\nwant %q", tt.in, got, want)
			}
			if n != strings.Count(got, "[redacted:")-strings.Count(tt.in, "[redacted:") {
				t.Errorf("%d are counted in %q", n, got)
			}
			if again, n := r.RedactText(got); n != 0 || again != got {
				t.Errorf("again: %q", again)
			}
		})
	}
}

func TestApply(t *testing.T) {
	pem, _ := json.Marshal(fakePEM)
	tests := []struct{ name, in, want string }{
		{"inside of a string", `{"text":"use ` + fakeGitHub + ` now"}`, `{"redacted":1,"text":"use [redacted:github-token] now"}`},
		{"two", `{"a":"` + fakeGitHub + `","b":["` + fakeJWT + `"]}`, `{"a":"[redacted:github-token]","b":["[redacted:jwt]"],"redacted":2}`},
		{"escapes", `{"key":` + string(pem) + `}`, `{"key":"[redacted:private-key]","redacted":1}`},
		{"by name", `{"db":{"password":"hunter2"}}`, `{"db":{"password":"[redacted:password]"},"redacted":1}`},
		{"by name in camel case", `{"apiKey":"` + fakeBody + `"}`, `{"apiKey":"[redacted:secret]","redacted":1}`},
		{"in a list", `{"tokens":["` + fakeBody + `","short"]}`, `{"redacted":1,"tokens":["[redacted:secret]","short"]}`},
		{"in an object of secrets", `{"secrets":{"db":"` + fakeBody + `"}}`, `{"redacted":1,"secrets":{"db":"[redacted:secret]"}}`},
		{"named by a sibling", `{"env":[{"name":"DB_PASSWORD","value":"hunter2"},{"name":"HOME","value":"hunter2"}]}`, `{"env":[{"name":"DB_PASSWORD","value":"[redacted:password]"},{"name":"HOME","value":"hunter2"}],"redacted":1}`},
		{"header", `{"Authorization":"Basic dXNlcjpwYXNz"}`, `{"Authorization":"[redacted:secret]","redacted":1}`},
		{"cookie", `{"cookie":"sid=` + fakeBody + `; theme=dark"}`, `{"cookie":"[redacted:secret]","redacted":1}`},
		{"member of that name", `{"redacted":"yes","token":"` + fakeBody + `"}`, `{"_redacted":1,"redacted":"yes","token":"[redacted:secret]"}`},
		{"and of the next", `{"_redacted":0,"redacted":0,"token":"` + fakeBody + `"}`, `{"__redacted":1,"_redacted":0,"redacted":0,"token":"[redacted:secret]"}`},
		{"a name", `{"` + fakeGitHub + `":1,"z":2}`, `{"[redacted:github-token]":1,"redacted":1,"z":2}`},
		{"two names", `{"` + fakeGitHub + `":1,"` + fakeGitHub + `2":2}`, `{"[redacted:github-token]":1,"[redacted:github-token] #2":2,"redacted":2}`},
		{"an array", `["` + fakeGitHub + `"]`, `["[redacted:github-token]"]`},
		{"quotes stay", `{"text":"\"` + fakeGitHub + `\" \\ ü"}`, `{"redacted":1,"text":"\"[redacted:github-token]\" \\ ü"}`},

		{"nothing", `{"text":"all is well","value":1.5}`, ""},
		{"our own fields", `{"action":"take","by":"b2","token_hash":"` + strings.Repeat("0123456789abcdef", 4) + `"}`, ""},
		{"words about secrets", `{"password":"required","token":"expired","secret":"kubernetes-name","tokens":1200,"pwd":"/home/u1/src"}`, ""},
		{"no secret's member", `{"credentials":{"account":"builder-2@example.com"}}`, ""},
		{"empty", `{}`, ""},
	}
	r := redactor(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, err := model.Canonical([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			want := tt.want
			if want == "" {
				want = string(in)
			}
			before := string(in)
			got, n, err := r.Apply(in)
			if err != nil || string(got) != want {
				t.Errorf("got %s (%d, %v)\nwant %s", got, n, err, want)
			}
			if string(in) != before {
				t.Errorf("the input was changed: %s", in)
			}
			if again, n, err := r.Apply(got); n != 0 || err != nil || string(again) != string(got) {
				t.Errorf("again: %s (%d, %v)", again, n, err)
			}
		})
	}
}

func TestApplyTurnedOff(t *testing.T) {
	var r *Redactor
	in := []byte(`{"token":"` + fakeBody + `"}`)
	if out, n, err := r.Apply(in); n != 0 || err != nil || string(out) != string(in) {
		t.Errorf("%s %d %v", out, n, err)
	}
	if out, n := r.RedactText(fakeGitHub); n != 0 || out != fakeGitHub {
		t.Errorf("%s %d", out, n)
	}
}

func TestApplySaysWhenMarksDoNotFit(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"l":[`)
	for b.Len() < model.MaxPayload-100 {
		b.WriteString(`"a://b:xy@d",`)
	}
	b.WriteString(`1]}`)
	_, _, err := redactor(t).Apply([]byte(b.String()))
	if model.CodeOf(err) != model.CodeInvalid {
		t.Errorf("%v", err)
	}
}

func TestApplyRefusesBrokenJSON(t *testing.T) {
	for _, in := range []string{`{"a":"` + fakeGitHub + `"`, `{"token":"` + fakeBody + `",}`, strings.Repeat("[", model.MaxDepth+1)} {
		if _, _, err := redactor(t).Apply([]byte(in)); err == nil {
			t.Errorf("%.60s is taken", in)
		}
	}
}

func TestOwnRules(t *testing.T) {
	r := redactor(t, Rule{"ticket", `ACME-[0-9]{4}`}, Rule{"who", `user=(\w+)`})
	if got, n := r.RedactText("ACME-1234 user=joe " + fakeGitHub); got != "[redacted:ticket] user=[redacted:who] [redacted:github-token]" || n != 3 {
		t.Errorf("%q %d", got, n)
	}
	if got, n, err := r.Apply([]byte(`{"ACME-1111":"ACME-2222"}`)); err != nil || n != 2 || string(got) != `{"[redacted:ticket]":"[redacted:ticket]","redacted":2}` {
		t.Errorf("%s %d %v", got, n, err)
	}
	many := make([]Rule, MaxRules+1)
	for i := range many {
		many[i] = Rule{fmt.Sprint("r", i), "x"}
	}
	tests := []struct {
		rules []Rule
		want  string
	}{
		{many, "at most 64 may be"},
		{[]Rule{{"A b", "x"}}, `the name "A b" of redaction pattern 1`},
		{[]Rule{{"", "x"}}, "must be 1 to 40"},
		{[]Rule{{"a", "("}}, "the redaction pattern a can't be read"},
		{[]Rule{{"a", "(?=x)"}}, "can't be read"},
		{[]Rule{{"a", "x*"}}, "matches the empty text"},
		{[]Rule{{"a", strings.Repeat("x", MaxRulePattern+1)}}, "at most 1000 fit"},
	}
	for _, tt := range tests {
		if _, err := New(tt.rules); err == nil || !strings.Contains(err.Error(), tt.want) || model.CodeOf(err) != model.CodeInvalid {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}

// TestRedactProperties: what comes out is canonical, has no secret left that
// went in, says the count, and does not change when it goes in again.
func TestRedactProperties(t *testing.T) {
	r := redactor(t)
	planted := []string{fakeGitHub, fakeAWSID, fakeJWT, "sk-ant-api03-" + fakeBody, fakePEM}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) string {
			return rapid.OneOf(modeltest.Hostile(), rapid.SampledFrom([]string{"token", "password", "a=b", "secret: x", "https://u:p@h", "Bearer "})).Draw(t, "before") +
				rapid.SampledFrom(append([]string{"", "", " "}, planted...)).Draw(t, "planted") + modeltest.Hostile().Draw(t, "after")
		})
		raw, err := json.Marshal(map[string]any{
			text.Draw(t, "name"): text.Draw(t, "value"), "token": text.Draw(t, "token"),
			"list": []string{text.Draw(t, "a"), text.Draw(t, "b")}, text.Draw(t, "other"): map[string]string{"x": text.Draw(t, "x")},
		})
		if err != nil {
			t.Fatal(err)
		}
		in, err := model.CanonicalObject(raw)
		if err != nil {
			t.Fatal(err)
		}
		out, n, err := r.Apply(in)
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		if again, err := model.Canonical(out); err != nil || string(again) != string(out) {
			t.Fatalf("not canonical: %s", out)
		}
		if (n == 0) != (string(in) == string(out)) {
			t.Fatalf("%d replaced: %s", n, out)
		}
		if again, m, err := r.Apply(out); err != nil || m != 0 {
			t.Fatalf("%d more are found (%v) in\n%s\nthen\n%s", m, err, out, again)
		}
	})
}

func TestPlantedSecretsAreFound(t *testing.T) {
	r := redactor(t)
	planted := []string{fakeGitHub, fakeAWSID, "sk-ant-api03-" + fakeBody, fakePEM}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(planted).Draw(t, "planted")
		s := modeltest.Hostile().Draw(t, "before") + rapid.SampledFrom([]string{" ", "\n", "=", "\"", "/"}).Draw(t, "sep") + p + " " + modeltest.Hostile().Draw(t, "after")
		if got, _ := r.RedactText(s); strings.Contains(got, p) {
			t.Fatalf("%q is left in %q", p, got)
		}
	})
}

func TestApplyDoesNotAllocate(t *testing.T) {
	r := redactor(t)
	in := []byte(`{"action":"take","by":"builder-2","text":"compiling https://example.com: 12 tokens used","token_hash":"` + strings.Repeat("ab12", 16) + `"}`)
	if n := testing.AllocsPerRun(100, func() { _, _, _ = r.Apply(in) }); n != 0 {
		t.Errorf("Apply allocates %v times", n)
	}
}

func FuzzRedact(f *testing.F) {
	for _, s := range []string{
		`{"a":"` + fakeGitHub + `"}`, `{"password":"hunter2x","redacted":1}`, `{"a":[{"name":"X_TOKEN","value":"` + fakeBody + `"}]}`,
		`token=` + fakeBody, `{"` + fakeJWT + `":"sk-sk-sk-"}`, `--token "`, `a://b:c@`,
	} {
		f.Add([]byte(s))
	}
	r := redactor(f, Rule{"own", "zz+"})
	f.Fuzz(func(t *testing.T, b []byte) {
		r.RedactText(string(b))
		_, _, _ = r.Apply(b) // whatever it is, it must not panic
		in, err := model.CanonicalObject(b)
		if err != nil {
			return
		}
		out, n, err := r.Apply(in)
		if err != nil {
			return // grew too large
		}
		if again, err := model.Canonical(out); err != nil || string(again) != string(out) {
			t.Fatalf("not canonical: %s", out)
		}
		if n == 0 && string(out) != string(in) {
			t.Fatalf("changed without saying so: %s", out)
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	r := redactor(b)
	small := `{"action":"take","by":"builder-2","lease_until":"2026-06-20T15:00:00.000000Z","token_hash":"` + strings.Repeat("ab12", 16) + `"}`
	for _, tt := range []struct{ name, payload string }{
		{"small", small},
		{"log line", `{"text":"2026-06-20 compiling module 41 of 97: backend/store (https://example.com/x), 12 tokens"}`},
		{"secret", `{"text":"use ` + fakeGitHub + ` now"}`},
		{"hostile 256 KiB", `{"text":"` + strings.Repeat("sk-token=eyJ-", 256<<10/13-10) + `"}`},
	} {
		b.Run(tt.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(tt.payload)))
			for b.Loop() {
				_, _, _ = r.Apply([]byte(tt.payload))
			}
		})
	}
}
