//go:build !unix

package screen

import (
	"fmt"
	"os"
	"os/signal"
)

// stop does nothing where there is no job control.
func stop() {}

// watchSignals turns an interrupt into a message until the terminal is closed.
func (t *Terminal) watchSignals() {
	sigs := make(chan os.Signal, 1)
	signal.Notify(sigs, os.Interrupt)
	t.guard.Go("signals", func() {
		defer signal.Stop(sigs)
		select {
		case <-t.finished:
		case sig := <-sigs:
			t.lose(fmt.Errorf("ended by signal: %s", sig))
		}
	})
}
