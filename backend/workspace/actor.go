package workspace

import (
	"cmp"
	"strings"

	"binnacle/model"
)

// World is what a process can know of who runs it.
type World struct {
	Getenv func(name string) string
	User   func() string // "user@host", or "" when it can't be known; nil is never known
}

// Producer is the name under which a process acts where nothing else says it, for
// the cockpit and the commands alike: $BINNACLE_PRODUCER, $QUAY_PRODUCER, the
// configuration's producer, else the user at this host, else the program. The
// duties act as the program itself, whoever holds them. A name that is not a
// possible one is refused where it is used, not overruled here.
func (w World) Producer(config string) string {
	if name := cmp.Or(w.Getenv("BINNACLE_PRODUCER"), w.Getenv("QUAY_PRODUCER"), config); name != "" {
		return name
	}
	if who := w.user(); model.CheckProducer(who) == nil {
		return who
	}
	return model.Self
}

// Actor is the person or role that sessions here are for, as the fleet map names
// them on every machine: $BINNACLE_ACTOR, $BINNACLE_PRODUCER, the
// configuration's [fleet] actor, its producer, else the user, without the host.
func (w World) Actor(fleet, producer string) string {
	name := cmp.Or(w.Getenv("BINNACLE_ACTOR"), w.Getenv("BINNACLE_PRODUCER"), fleet, producer, w.Getenv("USER"), w.Getenv("LOGNAME"))
	if name == "" {
		name, _, _ = strings.Cut(w.user(), "@")
	}
	return strings.ToValidUTF8(cmp.Or(name, "unknown"), "?")
}

func (w World) user() string {
	if w.User == nil {
		return ""
	}
	return w.User()
}
