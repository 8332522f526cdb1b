package session

import (
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
)

// maxPlaceText bounds each text of a Place, a title and a question, in bytes.
const maxPlaceText = 256

// Place says where a session runs, as its hooks saw it. It stays on the machine:
// no summary carries it.
type Place struct {
	Tmux       string `json:"tmux,omitempty"`      // the server's socket
	TmuxPane   string `json:"tmux_pane,omitempty"` // %5
	WezTerm    string `json:"wezterm_pane,omitempty"`
	Kitty      string `json:"kitty_window,omitempty"`
	Screen     string `json:"screen,omitempty"` // GNU screen's session
	TTY        string `json:"tty,omitempty"`    // /dev/pts/3
	Branch     string `json:"branch,omitempty"`
	Transcript string `json:"transcript,omitempty"` // the tool's own file of the session
}

// Bounded returns the place with every text of one clean line of bounded length.
func (p Place) Bounded() Place {
	for _, s := range []*string{&p.Tmux, &p.TmuxPane, &p.WezTerm, &p.Kitty, &p.Screen, &p.TTY, &p.Branch} {
		*s = FirstLine(*s)
	}
	p.Transcript = clean.Line(model.CutText(p.Transcript, 4*maxPlaceText))
	return p
}

// Later returns the place as a later report tells it, which may leave out what
// stays as it was.
func (p Place) Later(next Place) Place {
	if next.Branch == "" {
		next.Branch = p.Branch
	}
	if next.Transcript == "" {
		next.Transcript = p.Transcript
	}
	if next.TTY == "" {
		next.TTY = p.TTY
	}
	return next
}

// Where says in a few words in which terminal that is, the innermost first; ""
// where nothing tells.
func (p Place) Where() string {
	switch {
	case p.TmuxPane != "":
		return "tmux pane " + p.TmuxPane
	case p.Screen != "":
		return "screen " + p.Screen
	case p.WezTerm != "":
		return "WezTerm pane " + p.WezTerm
	case p.Kitty != "":
		return "kitty window " + p.Kitty
	}
	return p.TTY
}

// FirstLine is the first line of a text that says something, clean and of at
// most 256 bytes.
func FirstLine(text string) string {
	text = strings.TrimSpace(text)
	line, _, _ := strings.Cut(text, "\n")
	return clean.Line(model.CutText(strings.TrimSpace(line), maxPlaceText))
}
