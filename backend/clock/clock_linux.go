package clock

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// bootID names the boot whose clocks this process reads. A container shares the
// boot id and the clocks of its host, so that both may judge each other's
// leases. In a time namespace the boot's clocks are shifted, by offsets that
// can't change any more once a process runs there: they are part of the name,
// and such a process takes the others' claims for those of another boot.
func bootID() string {
	raw, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	id := strings.TrimSpace(string(raw))
	offsets, err := os.ReadFile("/proc/self/timens_offsets")
	if err != nil || id == "" {
		return id // a kernel without time namespaces
	}
	return id + shift(string(offsets))
}

// shift is a suffix for the clocks of a time namespace, "" where nothing is
// shifted. The file has a line a clock: its name, seconds, nanoseconds.
func shift(offsets string) string {
	shifted := false
	var all []string
	for line := range strings.Lines(offsets) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		shifted = shifted || f[1] != "0" || f[2] != "0"
		all = append(all, f[1]+"."+f[2])
	}
	if !shifted {
		return ""
	}
	return "+" + strings.Join(all, "+")
}

// sinceBoot reads CLOCK_BOOTTIME, which counts while the machine sleeps, and
// CLOCK_MONOTONIC, which does not. Nobody can set either.
func sinceBoot() (up, awake time.Duration, err error) {
	var b, m unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &b); err != nil {
		return 0, 0, err
	}
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &m); err != nil {
		return 0, 0, err
	}
	return time.Duration(b.Nano()), time.Duration(m.Nano()), nil
}
