package workspace

import "testing"

func TestSizes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 118784: "116 KiB", 64 << 20: "64 MiB", 3 << 29: "1.5 GiB"} {
		if got := size(n); got != want {
			t.Errorf("%d is %s, not %s", n, got, want)
		}
	}
}
