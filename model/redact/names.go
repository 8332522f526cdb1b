package redact

import (
	"bytes"
	"math"

	"binnacle/model"
)

// secrecy is what a name says about its value.
type secrecy uint8

const (
	plain    secrecy = iota
	secret           // a machine's secret: random
	secrets          // many of them, also by names of their own
	password         // a person's: shorter
)

// rule is what a value under the name is replaced with.
func (s secrecy) rule() string {
	if s == password {
		return "password"
	}
	return "secret"
}

// secrecyOf reads a name: how it ends tells, whatever its case and whatever
// joins its words. So claim_token, apiKey and AWS_SECRET_ACCESS_KEY are secret;
// token_hash, token_count, password_policy and public_key are not.
func secrecyOf(name []byte) secrecy {
	var compact [16]byte // the last letters, from the end
	n := 0
	for i := len(name) - 1; i >= 0 && n < len(compact); i-- {
		c := model.FoldByte(name[i])
		if c >= 'a' && c <= 'z' {
			compact[n] = c
			n++
		} else if c >= 0x80 {
			break
		}
	}
	if n == 0 {
		return plain
	}
	// One look at the last letter spares most names the rest.
	switch compact[0] {
	case 'd', 'e', 't', 'n', 'y', 'l', 's', 'r':
	default:
		return plain
	}
	for _, e := range secretEndings {
		if endsWith(compact[:n], e.text) {
			if bytes.Contains(name, []byte(markStart)) {
				return plain // the mark speaks, not the name
			}
			return e.secrecy
		}
	}
	return plain
}

// endsWith compares text's end with backward, which holds it from the end on.
func endsWith(backward []byte, text string) bool {
	if len(backward) < len(text) {
		return false
	}
	for i := range len(text) {
		if backward[i] != text[len(text)-1-i] {
			return false
		}
	}
	return true
}

type ending struct {
	text string
	secrecy
}

// secretEndings is a table and never changed.
var secretEndings = [...]ending{
	{"password", password},
	{"passwd", password},
	{"passphrase", password},
	{"dbpwd", password},
	{"userpwd", password},
	{"mysqlpwd", password},
	{"passwords", secrets},
	{"token", secret},
	{"tokens", secrets},
	{"secret", secret},
	{"secrets", secrets},
	{"apikey", secret},
	{"apikeys", secrets},
	{"accesskey", secret},
	{"secretkey", secret},
	{"privatekey", secret},
	{"signingkey", secret},
	{"encryptionkey", secret},
	{"masterkey", secret},
	{"accountkey", secret},
	{"sharedkey", secret},
	{"authkey", secret},
	{"authorization", secret},
	{"credential", secret},
	{"credentials", secret},
	{"cookie", secret},
	{"bearer", secret},
}

// looksLike says whether a value under such a name is one of its kind, not a
// word about it.
func (s secrecy) looksLike(value []byte) bool {
	value = value[:min(len(value), checkedBytes)]
	switch s {
	case plain:
		return false
	case password:
		return looksPassword(value)
	}
	if rest, ok := cutScheme(value); ok && bytes.IndexByte(rest, ' ') < 0 && looksPassword(rest) {
		return true
	}
	for len(value) > 0 {
		n := bytes.IndexAny(value, " ;,\t\n")
		if n < 0 {
			n = len(value)
		}
		part := value[:n]
		if looksSecret(part) {
			return true
		}
		if k := bytes.IndexByte(part, '='); k > 0 && looksSecret(part[k+1:]) {
			return true // a cookie
		}
		value = value[min(n+1, len(value)):]
	}
	return false
}

// looksPassword wants six characters or more of two classes, or many of one:
// "hunter2" is one, "required" and "expired" are words about one.
func looksPassword(b []byte) bool {
	b = b[:min(len(b), checkedBytes)]
	if len(b) < 6 || isPlaceholder(b) || isPath(b) {
		return false
	}
	k := classesOf(b)
	kinds := 0
	for _, n := range []int{k.lower, k.upper, k.digit, k.other} {
		if n > 0 {
			kinds++
		}
	}
	if k.upper == 1 && b[0] >= 'A' && b[0] <= 'Z' && k.lower > 0 {
		kinds-- // a capital letter at the beginning is grammar
	}
	if kinds < 2 && k.digit == 0 && len(b) < 12 {
		return false
	}
	return entropy(b)*float64(len(b)) >= 14
}

// looksSecret wants twelve characters or more that look drawn by lot.
func looksSecret(b []byte) bool {
	b = b[:min(len(b), checkedBytes)]
	if len(b) < 12 || isPlaceholder(b) || isPath(b) || bytes.IndexByte(b, ' ') >= 0 || bytes.Contains(b, []byte("://")) {
		return false
	}
	bits := entropy(b)
	k := classesOf(b)
	if k.digit > 0 && k.lower+k.upper > 0 {
		return bits >= 3
	}
	return len(b) >= 20 && k.lower > 0 && k.upper > 0 && bits >= 4
}

// isPlaceholder says whether b only stands where a secret would: $TOKEN,
// ${TOKEN}, $(cmd), <token>, {{token}}, %TOKEN%, ****, xxxx, or holds a mark of ours.
func isPlaceholder(b []byte) bool {
	if len(b) == 0 || bytes.Contains(b, []byte(markStart)) {
		return true
	}
	first, last := b[0], b[len(b)-1]
	switch first {
	case '$':
		if len(b) > 1 && (b[1] == '{' || b[1] == '(') {
			return true
		}
		for _, c := range b[1:] {
			if (c < 'A' || c > 'Z') && c != '_' && (c < '0' || c > '9') {
				return false
			}
		}
		return true
	case '<':
		return last == '>'
	case '%':
		return last == '%'
	case '{':
		return hasPrefix(b, "{{") && last == '}'
	}
	for _, c := range b {
		if c != first {
			return false
		}
	}
	return true
}

// isPath says whether b is a file's path: random text that begins with a slash
// has more entropy.
func isPath(b []byte) bool {
	if !hasPrefix(b, "/") && !hasPrefix(b, "./") && !hasPrefix(b, "../") && !hasPrefix(b, "~/") {
		return false
	}
	return entropy(b) < 4.3
}

type classes struct{ lower, upper, digit, other int }

func classesOf(b []byte) classes {
	var k classes
	for _, c := range b {
		switch {
		case c >= 'a' && c <= 'z':
			k.lower++
		case c >= 'A' && c <= 'Z':
			k.upper++
		case c >= '0' && c <= '9':
			k.digit++
		default:
			k.other++
		}
	}
	return k
}

// entropy is Shannon's, in bits a byte.
func entropy(b []byte) float64 {
	var count [256]int
	for _, c := range b {
		count[c]++
	}
	sum := 0.0
	for _, n := range count {
		if n > 0 {
			sum += float64(n) * math.Log2(float64(n))
		}
	}
	n := float64(len(b))
	return math.Log2(n) - sum/n
}
