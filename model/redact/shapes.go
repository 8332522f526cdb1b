package redact

import (
	"bytes"
	"encoding/base64"

	"binnacle/model"
)

// shape is a kind of token that is known by how it begins: prefix, then at
// least least bytes of the alphabet. It must not follow a letter or a digit.
type shape struct {
	prefix string
	rule   string
	least  int
	of     alphabet
	check  func(token []byte) bool // of the token's first checkedBytes; nil: none
}

// checkedBytes bounds how much of a token the checks look at, so that a hostile
// text takes linear time.
const checkedBytes = 512

// alphabet is a set of bytes.
type alphabet uint8

const (
	alnum    alphabet = iota // letters and digits
	word                     // and _
	slug                     // and -
	dotted                   // and .
	base64ed                 // letters, digits, + / = - _ . ~ and %
	alphabets
)

func (a alphabet) has(c byte) bool {
	if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' {
		return true
	}
	switch c {
	case '_':
		return a >= word
	case '-':
		return a >= slug
	case '.':
		return a >= dotted
	case '+', '/', '=', '~', '%':
		return a == base64ed
	}
	return false
}

// knownShapes are the tokens of well-known issuers, as their documentation
// describes them.
func knownShapes() []shape {
	all := []shape{
		{"github_pat_", "github-token", 22, word, nil},
		{"sk-ant-", "anthropic-key", 16, slug, nil},
		{"sk-proj-", "openai-key", 16, slug, nil},
		{"sk-svcacct-", "openai-key", 16, slug, nil},
		{"sk-or-v1-", "openrouter-key", 16, slug, nil},
		{"sk-", "openai-key", 16, slug, hasRandomRun},
		{"AIza", "google-key", 30, slug, nil},
		{"ya29.", "google-token", 20, dotted, nil},
		{"GOCSPX-", "google-secret", 20, slug, nil},
		{"npm_", "npm-token", 30, alnum, nil},
		{"pypi-AgE", "pypi-token", 16, slug, nil},
		{"SG.", "sendgrid-key", 40, dotted, nil},
		{"hf_", "huggingface-token", 30, alnum, nil},
		{"gsk_", "groq-key", 30, alnum, nil},
		{"xai-", "xai-key", 40, alnum, nil},
		{"pplx-", "perplexity-key", 30, alnum, nil},
		{"r8_", "replicate-token", 30, alnum, nil},
		{"lin_api_", "linear-key", 30, alnum, nil},
		{"tskey-", "tailscale-key", 20, slug, nil},
		{"dapi", "databricks-token", 32, alnum, isHexToken},
		{"PMAK-", "postman-key", 40, slug, nil},
		{"NRAK-", "newrelic-key", 20, alnum, nil},
		{"ATATT3", "atlassian-token", 40, base64ed, nil},
		{"figd_", "figma-token", 30, slug, nil},
		{"AGE-SECRET-KEY-1", "age-key", 40, alnum, nil},
		{"hooks.slack.com/services/", "slack-webhook", 20, base64ed, nil},
		{"discord.com/api/webhooks/", "discord-webhook", 60, base64ed, nil},
		{"discordapp.com/api/webhooks/", "discord-webhook", 60, base64ed, nil},
		{"SK", "twilio-key", 32, alnum, isTwilioKey},
		{"xapp-", "slack-token", 10, slug, hasDigit},
		{"eyJ", "jwt", 20, dotted, isJWT},
	}
	for _, group := range []struct {
		rule     string
		prefixes []string
		least    int
		of       alphabet
		check    func([]byte) bool
	}{
		{"github-token", []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, 20, word, nil},
		{"gitlab-token", []string{"glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "glsoat-"}, 20, dotted, nil},
		{"aws-key-id", []string{"AKIA", "ASIA", "ABIA", "ACCA"}, 16, alnum, isKeyID},
		{"slack-token", []string{"xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"}, 10, slug, hasDigit},
		{"stripe-key", []string{"sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"}, 16, alnum, nil},
		{"digitalocean-token", []string{"dop_v1_", "doo_v1_", "dor_v1_"}, 40, alnum, nil},
		{"vault-token", []string{"hvs.", "hvb.", "hvr."}, 24, slug, nil},
		{"shopify-token", []string{"shpat_", "shpss_", "shppa_", "shpca_"}, 32, alnum, nil},
		// The first part is the account's number in base64.
		{"discord-token", []string{"MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"}, 55, dotted, isDiscordToken},
		{"grafana-token", []string{"glc_", "glsa_"}, 30, word, nil},
	} {
		for _, prefix := range group.prefixes {
			all = append(all, shape{prefix, group.rule, group.least, group.of, group.check})
		}
	}
	return all
}

func hasDigit(b []byte) bool {
	return bytes.ContainsAny(b, "0123456789")
}

// hasRandomRun tells a key from a slug: 16 letters and digits in a row, of both.
func hasRandomRun(b []byte) bool {
	run, digits, letters := 0, 0, 0
	for _, c := range b {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case alnum.has(c):
			letters++
		default:
			run, digits, letters = 0, 0, 0
			continue
		}
		if run++; run >= 16 && digits > 0 && letters > 0 {
			return true
		}
	}
	return false
}

func isHexToken(b []byte) bool {
	for _, c := range b[len("dapi"):] {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// isTwilioKey wants SK and 32 hex digits.
func isTwilioKey(b []byte) bool {
	if len(b) != 34 {
		return false
	}
	for _, c := range b[2:] {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// isDiscordToken wants three parts with a number of 17 to 20 digits in the
// first.
func isDiscordToken(b []byte) bool {
	parts := bytes.Split(b, []byte("."))
	if len(parts) != 3 || len(parts[1]) != 6 || len(parts[2]) < 27 {
		return false
	}
	number, err := base64.RawStdEncoding.DecodeString(string(parts[0]))
	if err != nil || len(number) < 17 || len(number) > 20 {
		return false
	}
	for _, c := range number {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

func isKeyID(b []byte) bool {
	for _, c := range b {
		if c >= 'a' && c <= 'z' {
			return false
		}
	}
	return len(b) == 20
}

// isJWT wants two dots with a JSON object before each.
func isJWT(b []byte) bool {
	head, rest, ok := bytes.Cut(b, []byte("."))
	return ok && len(head) >= 12 && bytes.HasPrefix(rest, []byte("eyJ")) && len(rest) >= 12
}

// runEnd is where the run of the alphabet's bytes ends that begins at start, or
// the one that was looked at last and goes beyond start.
func (a alphabet) runEnd(text []byte, start int, ends *[alphabets]int) int {
	end := ends[a]
	if end < start {
		for end = start; end < len(text) && a.has(text[end]); end++ {
		}
		ends[a] = end
	}
	return end
}

// findShape tries the shapes that may begin at i. ends remembers, for each
// alphabet, where the run ends that was looked at last.
func (r *Redactor) findShape(text []byte, i int, ends *[alphabets]int) (span, bool) {
	if i > 0 && alnum.has(text[i-1]) {
		return span{}, false
	}
	for k := range r.shapes[text[i]] {
		s := &r.shapes[text[i]][k]
		if !hasPrefix(text[i:], s.prefix) {
			continue
		}
		start := i + len(s.prefix)
		end := s.of.runEnd(text, start, ends)
		if end-start < s.least {
			continue
		}
		to := end
		for to > start && (text[to-1] == '.' || text[to-1] == '=' && s.of != base64ed) {
			to-- // a sentence's end
		}
		if s.check == nil || s.check(text[i:min(to, i+checkedBytes)]) {
			return span{i, to, s.rule}, true
		}
	}
	return span{}, false
}

// findPEM finds a private-key block that begins at i. One whose end is missing
// goes to the text's end.
func findPEM(text []byte, i int) (span, bool) {
	const begin, end = "-----BEGIN ", "-----END "
	if !hasPrefix(text[i:], begin) {
		return span{}, false
	}
	label := text[i+len(begin) : min(len(text), i+80)]
	n := bytes.Index(label, []byte("-----"))
	if n < 0 || !bytes.Contains(label[:n], []byte("PRIVATE KEY")) {
		return span{}, false
	}
	to := len(text)
	if k := bytes.Index(text[i:], []byte(end)); k >= 0 {
		after := i + k + len(end)
		if d := bytes.Index(text[after:min(len(text), after+80)], []byte("-----")); d >= 0 {
			to = after + d + 5
		}
	}
	return span{i, to, "private-key"}, true
}

// findURLPassword finds the password in scheme://user:password@host, where i
// is at the colon before the slashes.
func findURLPassword(text []byte, i int) (span, bool) {
	if !hasPrefix(text[i:], "://") || i == 0 || !alnum.has(text[i-1]) {
		return span{}, false
	}
	colon, at := -1, -1
	for k := i + 3; k < len(text) && k < i+3+checkedBytes; k++ {
		switch c := text[k]; {
		case c == '@':
			at = k
		case c == ':' && colon < 0:
			colon = k
		case c <= ' ' || c == '/' || c == '?' || c == '#' || c == '"' || c == '\'' || c == '<' || c == '>' || c == '`':
			k = len(text)
		}
	}
	if colon < 0 || at <= colon+1 || isPlaceholder(text[colon+1:at]) {
		return span{}, false
	}
	host := at + 1
	for host < len(text) && host < at+32 && (slug.has(text[host]) || text[host] == '.' || text[host] == '[' || text[host] == ']' || text[host] == ':') {
		host++
	}
	if isLocal(string(text[at+1 : host])) {
		return span{}, false // a development's
	}
	return span{colon + 1, at, "url-password"}, true
}

// findBearer finds the token after the word "bearer".
func findBearer(text []byte, i int) (span, bool) {
	const bearer = "bearer "
	if i > 0 && alnum.has(text[i-1]) || len(text) < i+len(bearer) || !foldedEqual(text[i:i+len(bearer)], bearer) {
		return span{}, false
	}
	from := i + len(bearer)
	to := from
	for to < len(text) && to < from+8*checkedBytes && base64ed.has(text[to]) {
		to++
	}
	if !looksSecret(text[from:to]) {
		return span{}, false
	}
	return span{from, to, "bearer-token"}, true
}

// findAWSSecrets finds what stands beside an AWS key id: 40 characters of
// base64 that are no hash.
func findAWSSecrets(text []byte, spans []span) []span {
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && base64ed.has(text[end]) && text[end] != '=' {
			end++
		}
		if end-i == 40 {
			if k := classesOf(text[i:end]); k.lower > 0 && k.upper > 0 && k.digit > 0 {
				spans = append(spans, span{i, end, "aws-secret"})
			}
		}
		i = end + 1
	}
	return spans
}

func hasPrefix(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && string(b[:len(prefix)]) == prefix
}

// foldedEqual compares b, in any case, with lower-case text.
func foldedEqual(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if model.FoldByte(c) != lower[i] {
			return false
		}
	}
	return true
}
