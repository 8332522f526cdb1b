package fleet

import (
	"binnacle/model"
)

// Clock reads this machine's clocks.
type Clock func() model.Reading

// MachineClock reads the machine that the program runs on. Where the boot or
// its clock can't be read, the reading has no boot and counts from 0, so that
// ages fall back on the wall clock.
func MachineClock() Clock {
	boot := bootID()
	return func() model.Reading {
		up, err := bootTime()
		if err != nil {
			return model.Reading{Wall: model.WallClock()}
		}
		return model.Reading{Boot: boot, Up: up, Wall: model.WallClock()}
	}
}
