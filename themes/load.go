package themes

import (
	"bytes"
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"binnacle/model"
	"binnacle/model/clean"
)

// MaxFile bounds a theme's file, in bytes.
const MaxFile = 64 << 10

// Auto chooses dark or light by COLORFGBG ("15;0": the last number is the
// ground's colour), dark where it says nothing. The terminal is not asked.
func Auto(colorfgbg string) Theme {
	i := strings.LastIndexByte(colorfgbg, ';')
	if i < 0 {
		return Dark()
	}
	n, err := strconv.Atoi(strings.TrimSpace(colorfgbg[i+1:]))
	if err == nil && (n == 7 || n >= 9 && n <= 15) {
		return Light()
	}
	return Dark()
}

// Load returns the theme by its name: a built-in one, else NAME.toml in dir,
// which may be nil. "" is auto. It refuses an unknown name (USAGE, with those
// that there are) and a file with a mistake (INVALID, with its line).
func Load(name string, dir fs.FS, getenv func(string) string) (Theme, error) {
	switch name {
	case "", "auto":
		return Auto(getenv("COLORFGBG")), nil
	}
	if specs, ok := builtinSpecs(name); ok {
		return build(name, specs, renderer()), nil
	}
	if dir != nil && validName(name) {
		b, err := fs.ReadFile(dir, name+".toml")
		if err == nil {
			return Parse(name, b)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return Theme{}, model.Errorf(model.CodeInvalid, "the theme %s can't be read: %w", name, err)
		}
	}
	return Theme{}, model.Errorf(model.CodeUsage, "there is no theme %q", clean.Line(name)).
		WithHint("the themes are %s", strings.Join(Names(dir), ", "))
}

// Names lists what Load takes: the built-in names, then those of dir's files by
// name.
func Names(dir fs.FS) []string {
	out := Builtin()
	if dir == nil {
		return out
	}
	files, err := fs.ReadDir(dir, ".")
	if err != nil {
		return out
	}
	for _, f := range files { // ReadDir sorts by name
		if name, ok := strings.CutSuffix(f.Name(), ".toml"); ok && validName(name) {
			if _, taken := builtinSpecs(name); !taken && name != "auto" {
				out = append(out, name)
			}
		}
	}
	return out
}

func validName(s string) bool {
	for i := range len(s) {
		if !model.IsTopicByte(s[i]) {
			return false
		}
	}
	return s != "" && s[0] != '.'
}

// file is a theme as it is written.
type file struct {
	Base   string        `toml:"base"` // the theme that it changes; dark when it has none
	Styles palette[spec] `toml:"styles"`
}

// Parse reads a theme from TOML: base = "dark", and under [styles] what differs
// from it. Unknown names, colours that can't be read and files beyond MaxFile
// are refused.
func Parse(name string, b []byte) (Theme, error) {
	b = clean.CutBOM(b)
	if len(b) > MaxFile {
		return Theme{}, model.Errorf(model.CodeInvalid, "the theme %s has %d bytes; at most %d fit", name, len(b), MaxFile)
	}
	var first struct {
		Base string `toml:"base"`
	}
	if err := toml.Unmarshal(b, &first); err != nil {
		return Theme{}, mistake(name, err)
	}
	base := first.Base
	if base == "" {
		base = "dark"
	}
	specs, ok := builtinSpecs(base)
	if !ok {
		return Theme{}, model.Errorf(model.CodeInvalid, "theme %s: there is no base %q", name, clean.Line(base)).
			WithHint("the bases are dark, light, ansi and mono")
	}
	f := file{}
	each(&specs, &f.Styles, func(from *string, to *spec) { to.text = *from })
	d := toml.NewDecoder(bytes.NewReader(b)).DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return Theme{}, mistake(name, err)
	}
	each(&f.Styles, &specs, func(from *spec, to *string) { *to = from.text })
	return build(name, specs, renderer()), nil
}

// mistake says where a theme's file is wrong.
func mistake(name string, err error) error {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		first := unknown.Errors[0]
		row, _ := first.Position()
		return model.Errorf(model.CodeInvalid, "theme %s, line %d: nothing is called %q",
			name, row, clean.Line(strings.Join(first.Key(), "."))).
			WithHint("base and [styles] may stand there; the styles are %s", strings.Join(StyleNames(), ", "))
	}
	var bad *toml.DecodeError
	if errors.As(err, &bad) {
		row, _ := bad.Position()
		e := model.Errorf(model.CodeInvalid, "theme %s, line %d: %s", name, row, clean.Line(strings.TrimPrefix(bad.Error(), "toml: ")))
		if strings.Contains(e.Message, "the style ") {
			return e.WithHint("%s", specHint)
		}
		return e
	}
	var own *model.Error
	if errors.As(err, &own) {
		return model.Errorf(own.Code, "theme %s: %s", name, own.Message).WithHint("%s", own.Hint)
	}
	return model.Errorf(model.CodeInvalid, "the theme %s can't be read: %w", name, err)
}
