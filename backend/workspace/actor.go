package workspace

import "binnacle/model"

// Actor is the name under which a process acts where nothing else says it, for the
// cockpit and the commands alike: $BINNACLE_PRODUCER, $QUAY_PRODUCER, the
// configuration's producer, else the user at this host, as user says it (nil: that
// can't be known), else the program. The duties act as the program itself,
// whoever holds them. A name that is not a possible one is refused where it is
// used, not overruled here.
func Actor(getenv func(name string) string, config string, user func() string) string {
	for _, name := range []string{getenv("BINNACLE_PRODUCER"), getenv("QUAY_PRODUCER"), config} {
		if name != "" {
			return name
		}
	}
	if user != nil {
		if who := user(); model.CheckProducer(who) == nil {
			return who
		}
	}
	return model.Self
}
