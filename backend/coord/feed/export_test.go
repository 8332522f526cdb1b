package feed

import (
	"testing"
	"time"
)

// WaitForRing waits until the ring is filled for somebody who waits.
func WaitForRing(t testing.TB, f *Feed) {
	t.Helper()
	eventually(t, f, "the ring is filled", func() bool { return f.tail.waiters > 0 && f.tail.epoch != "" })
}

// WaitForSeq waits until the ring has the event.
func WaitForSeq(t testing.TB, f *Feed, seq int64) {
	t.Helper()
	eventually(t, f, "the ring has the event", func() bool { return f.tail.to >= seq })
}

// WaitForNobody waits until nobody waits.
func WaitForNobody(t testing.TB, f *Feed) {
	t.Helper()
	eventually(t, f, "nobody waits", func() bool { return f.tail.waiters == 0 && f.tail.stop == nil })
	f.tail.running.Wait()
}

// eventually looks until the condition holds, which is asked under the tail's lock.
func eventually(t testing.TB, f *Feed, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		f.tail.mu.RLock()
		ok := holds()
		f.tail.mu.RUnlock()
		if ok {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("it never came about that %s", what)
		}
		time.Sleep(200 * time.Microsecond)
	}
}
