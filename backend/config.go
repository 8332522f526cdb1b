package backend

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/pelletier/go-toml/v2"

	"binnacle/backend/ledger/archive"
	"binnacle/model"
	"binnacle/model/clean"
)

// Config is config.toml of a workspace: all of it is optional.
type Config struct {
	Producer string              `toml:"producer"` // default name of who writes
	Theme    string              `toml:"theme"`    // auto, dark, light, ansi, mono or a name in themes/
	ASCII    bool                `toml:"ascii"`    // plain ASCII chrome
	Mouse    *bool               `toml:"mouse"`    // default true
	Keys     map[string][]string `toml:"keys"`     // action name -> its keys
	Redact   RedactConfig        `toml:"redact"`
	Ledger   LedgerConfig        `toml:"ledger"`
	Queue    QueueConfig         `toml:"queue"`
	Fleet    FleetConfig         `toml:"fleet"`
	Notify   NotifyConfig        `toml:"notify"`
	UI       UIConfig            `toml:"ui"`
}

// UIConfig tunes the cockpit.
type UIConfig struct {
	// EscDelay is how long a lone ESC waits for the rest of a sequence, 10ms to
	// 5s; default "100ms", over ssh "300ms".
	EscDelay string `toml:"esc_delay"`
}

// Escape returns the delay after a lone ESC; 0 is the default.
func (c UIConfig) Escape() time.Duration { return span(c.EscDelay, 0) }

// RedactConfig says which secrets are replaced before hashing.
type RedactConfig struct {
	Off      bool            `toml:"off"`      // keep everything as it comes
	Patterns []RedactPattern `toml:"patterns"` // beside the built-in rules
}

// RedactPattern is one rule: a name and an RE2 pattern.
type RedactPattern struct {
	Name    string `toml:"name"`
	Pattern string `toml:"pattern"`
}

// LedgerConfig tunes the ledger.
type LedgerConfig struct {
	// Retention is how long events stay in the database, a minute or more; older ones
	// are sealed into files. "" is for ever.
	Retention string `toml:"retention"`
}

// Keep returns the retention; 0 is for ever.
func (c LedgerConfig) Keep() time.Duration { return span(c.Retention, 0) }

// QueueConfig tunes the queue.
type QueueConfig struct {
	Ageing      string `toml:"ageing"`       // "" is off; "30m": one priority step for each half hour waited
	Lease       string `toml:"lease"`        // default "30m"
	MaxAttempts *int64 `toml:"max_attempts"` // lapses before a directive is parked; default 10, 0 is never
}

// FleetConfig tunes the fleet map.
type FleetConfig struct {
	Remote    string `toml:"remote"`    // default "origin"
	Prefix    string `toml:"prefix"`    // of the refs on the remote; default "refs/bay"
	Heartbeat string `toml:"heartbeat"` // default "10s"
	Takeover  string `toml:"takeover"`  // default "120s"
	Trunk     string `toml:"trunk"`     // trunk's branch; default the remote's HEAD
	Actor     string `toml:"actor"`     // the person or role that sessions here are for
	Agent     string `toml:"agent"`     // the registry's name whose key signs; "" publishes unsigned
	Key       string `toml:"key"`       // that agent's private key
	Fetch     string `toml:"fetch"`     // how often the remote is asked; default "30s"
	Repo      string `toml:"repo"`      // the repository's name among the machines; default from the remote's URL
	Off       bool   `toml:"off"`
	// ShareTitles publishes what sessions here are about (the first line of the
	// newest prompt) and what they ask; default false.
	ShareTitles bool `toml:"share_titles"`
}

// NotifyConfig names a program that hears of executor events.
type NotifyConfig struct {
	Command string `toml:"command"`
}

// maxConfig bounds config.toml, in bytes.
const maxConfig = 1 << 20

// LoadConfig reads config.toml; a missing file is the default Config. An
// unknown name, a wrong type or an impossible value is refused with its line.
func LoadConfig(path string) (Config, error) {
	var c Config
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, model.Errorf(model.CodeInvalid, "config.toml can't be read: %w", err)
	}
	if info.Size() > maxConfig || !info.Mode().IsRegular() {
		return c, model.Errorf(model.CodeInvalid, "config.toml is not a regular file of at most 1 MiB")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return c, model.Errorf(model.CodeInvalid, "config.toml can't be read: %w", err)
	}
	return ParseConfig(text)
}

// ParseConfig reads the text of a config.toml.
func ParseConfig(text []byte) (Config, error) {
	var c Config
	dec := toml.NewDecoder(bytes.NewReader(clean.CutBOM(text))).DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return Config{}, configError(err)
	}
	// The file may have come with a clone: no value of it may keep the machine,
	// or the remote, busy.
	spans := []struct {
		name, text  string
		least, most time.Duration
	}{
		{"ledger.retention", c.Ledger.Retention, archive.MinKeep, 100 * 365 * 24 * time.Hour},
		{"queue.ageing", c.Queue.Ageing, 0, 0},
		{"queue.lease", c.Queue.Lease, 0, 0},
		{"fleet.heartbeat", c.Fleet.Heartbeat, 50 * time.Millisecond, time.Hour},
		{"fleet.takeover", c.Fleet.Takeover, 10 * time.Second, 24 * time.Hour},
		{"fleet.fetch", c.Fleet.Fetch, time.Second, 24 * time.Hour},
		{"ui.esc_delay", c.UI.EscDelay, 10 * time.Millisecond, 5 * time.Second},
	}
	for _, s := range spans {
		if s.text == "" {
			continue
		}
		d, err := model.ParseDuration(s.text)
		if err != nil || d <= 0 {
			return Config{}, model.Errorf(model.CodeInvalid, "config.toml: %s: %q is not a duration", s.name, clean.Line(s.text)).
				WithHint("write it like 30m or 2h")
		}
		if s.most > 0 && (d < s.least || d > s.most) {
			return Config{}, model.Errorf(model.CodeInvalid, "config.toml: %s: %s is out of bounds", s.name, clean.Line(s.text)).
				WithHint("from %s to %s", s.least, s.most)
		}
	}
	if n := c.Queue.MaxAttempts; n != nil && *n < 0 {
		return Config{}, model.Errorf(model.CodeInvalid, "config.toml: queue.max_attempts is negative")
	}
	return c, nil
}

func configError(err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		row, _ := strict.Errors[0].Position()
		key := ""
		for i, part := range strict.Errors[0].Key() {
			if i > 0 {
				key += "."
			}
			key += part
		}
		return model.Errorf(model.CodeInvalid, "config.toml, line %d: nothing is called %q", row, clean.Line(key))
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		row, _ := decode.Position()
		return model.Errorf(model.CodeInvalid, "config.toml, line %d: %s", row, clean.Line(decode.Error()))
	}
	return model.Errorf(model.CodeInvalid, "config.toml: %s", clean.Line(err.Error()))
}

// span returns a checked duration of the config, or the default.
func span(text string, otherwise time.Duration) time.Duration {
	if text == "" {
		return otherwise
	}
	d, err := model.ParseDuration(text)
	if err != nil {
		return otherwise
	}
	return d
}
