package clock

import (
	"time"

	"golang.org/x/sys/unix"
)

func bootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}

// sinceBoot reads CLOCK_MONOTONIC, which counts while a Mac sleeps, and
// CLOCK_UPTIME_RAW, which does not. Nobody can set either.
func sinceBoot() (up, awake time.Duration, err error) {
	var m, u unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &m); err != nil {
		return 0, 0, err
	}
	if err := unix.ClockGettime(unix.CLOCK_UPTIME_RAW, &u); err != nil {
		return 0, 0, err
	}
	return time.Duration(m.Nano()), time.Duration(u.Nano()), nil
}
