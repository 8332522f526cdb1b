// Package clock reads the clocks of the machine that the program runs on: what
// the wall clock says, how long the machine has been up, and how long it has
// been awake.
package clock

import "binnacle/model"

// Machine reads this machine's clocks. Where the boot or its clocks can't be
// told, the readings have no boot, so that everything goes by the wall clock.
func Machine() model.Clock {
	boot := bootID()
	return func() model.Reading {
		r := model.Reading{Wall: model.WallClock()}
		if boot == "" {
			return r
		}
		up, awake, err := sinceBoot()
		if err != nil {
			return r
		}
		r.Boot, r.Up, r.Awake = boot, up, awake
		return r
	}
}
