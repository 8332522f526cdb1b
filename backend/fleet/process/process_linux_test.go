package process

import "testing"

func TestTerminalsByTheirNumber(t *testing.T) {
	for number, want := range map[string]string{
		"34816": "/dev/pts/0", "34819": "/dev/pts/3", "35072": "/dev/pts/256", "1025": "/dev/tty1", "0": "", "x": "", "1280": "",
	} {
		if got := ttyName(number); got != want {
			t.Errorf("%s: %q, want %q", number, got, want)
		}
	}
}
