// Package clocktest has a machine's clocks that tests move by hand.
package clocktest

import (
	"strconv"
	"sync"
	"time"

	"binnacle/model"
)

// Machine is a machine whose clocks stand still until they are moved. It may
// be used by many goroutines.
type Machine struct {
	mu    sync.Mutex
	at    model.Reading
	boots int
}

// New is a machine that has been up for an hour when its clock says at.
func New(at model.Time) *Machine {
	return &Machine{at: model.Reading{Boot: "boot-0", Up: time.Hour, Awake: time.Hour, Wall: at}}
}

// Read is the machine's model.Clock.
func (m *Machine) Read() model.Reading {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.at
}

// Now is what its clock on the wall says.
func (m *Machine) Now() model.Time { return m.Read().Wall }

// Advance lets time pass.
func (m *Machine) Advance(d time.Duration) { m.move(d, d, d) }

// Set lets time pass until the clock on the wall says t.
func (m *Machine) Set(t model.Time) { m.Advance(t.Sub(m.Now())) }

// Step sets the clock on the wall forward, or back when d is negative: no time
// passes.
func (m *Machine) Step(d time.Duration) { m.move(d, 0, 0) }

// Suspend lets the machine sleep.
func (m *Machine) Suspend(d time.Duration) { m.move(d, d, 0) }

// Reboot starts the machine anew after it was off for d.
func (m *Machine) Reboot(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.boots++
	m.at = model.Reading{
		Boot: "boot-" + strconv.Itoa(m.boots), Up: time.Second, Awake: time.Second, Wall: m.at.Wall.Add(d),
	}
}

func (m *Machine) move(wall, up, awake time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at.Wall = m.at.Wall.Add(wall)
	m.at.Up += up
	m.at.Awake += awake
}
