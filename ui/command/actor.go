package command

import (
	"binnacle/backend/ledger"
	"binnacle/model"
)

// actor is the name under which this process acts where nothing else says it,
// for the cockpit and the commands alike: $BINNACLE_PRODUCER, $QUAY_PRODUCER,
// the configuration's producer, else the user at this host. A name that is not
// a possible one is refused where it is used, not overruled here.
func actor(env Env, config string) string {
	for _, name := range []string{env.Getenv("BINNACLE_PRODUCER"), env.Getenv("QUAY_PRODUCER"), config} {
		if name != "" {
			return name
		}
	}
	if env.User != nil {
		if who := env.User(); model.CheckProducer(who) == nil {
			return who
		}
	}
	return ledger.DefaultProducer
}

// producer is who writes where no flag says it.
func (a *app) producer(config string) string { return actor(a.env, config) }
