package cli

import (
	"io"
	"io/fs"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/term"

	"binnacle/backend/clock"
	ws "binnacle/backend/workspace"
	"binnacle/model"
)

// Stream names one of the three standard streams.
type Stream int

// The standard streams.
const (
	Stdin Stream = iota
	Stdout
	Stderr
)

// Env is all that a command takes from the world around it.
type Env struct {
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Getenv returns a variable of the environment, "" when there is none.
	Getenv func(name string) string
	// Environ lists the whole environment, for programs that are started.
	Environ func() []string
	// User is "user@host", or "" when it can't be known.
	User func() string
	// Dir is the folder in which the program was started, absolute.
	Dir string
	// Clock is the clock of everything that is done.
	Clock model.Clock
	// Zone is where the people are: times that are shown to them are local. Nil is
	// UTC. JSON has UTC everywhere.
	Zone *time.Location
	// IsTerminal is what Terminal asks; nil: there is no terminal.
	IsTerminal func(Stream) bool
	// Signals delivers the signals that end the program, until stop is called;
	// after that they do what the system's default is. Nil: none come.
	Signals func() (signals <-chan os.Signal, stop func())
}

// Terminal says whether people look at (or type into) the stream.
func (e Env) Terminal(s Stream) bool { return e.IsTerminal != nil && e.IsTerminal(s) }

// World is what says who acts.
func (e Env) World() ws.World { return ws.World{Getenv: e.Getenv, User: e.User} }

// Now is what the clock on the wall says.
func (e Env) Now() model.Time { return e.Clock.Now() }

// OS is the Env of a real process.
func OS() Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // a folder that was deleted: finding the workspace says so
	}
	files := map[Stream]*os.File{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	return Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Environ: os.Environ, Dir: dir, Clock: clock.Machine(), Zone: time.Local,
		IsTerminal: func(s Stream) bool { return term.IsTerminal(int(files[s].Fd())) },
		Signals:    osSignals,
		User:       osUser,
	}
}

// osSignals asks for the signals that end the program. SIGPIPE is asked for,
// too, and left unread: a write to a closed pipe then fails with EPIPE, which
// ends the command quietly, instead of killing the process. (Ignoring it would
// be inherited by child processes.)
func osSignals() (<-chan os.Signal, func()) {
	end := make(chan os.Signal, 1)
	signal.Notify(end, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	return end, func() { signal.Stop(end) }
}

// osUser names who runs the program, and where.
func osUser() string {
	host, err := os.Hostname()
	if err != nil {
		return ""
	}
	who := os.Getenv("USER")
	if who == "" {
		who = os.Getenv("LOGNAME")
	}
	if who == "" {
		u, err := user.Current()
		if err != nil {
			return ""
		}
		who = u.Username
	}
	return who + "@" + host
}

// ThemeDir is the folder of the user's own themes.
func (e Env) ThemeDir() fs.FS {
	dir := e.Getenv("XDG_CONFIG_HOME")
	if dir == "" {
		if home := e.Getenv("HOME"); home != "" {
			dir = filepath.Join(home, ".config")
		}
	}
	if dir == "" {
		return os.DirFS(os.DevNull) // there are none
	}
	return os.DirFS(filepath.Join(dir, "binnacle", "themes"))
}
