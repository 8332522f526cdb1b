// Package guard starts every goroutine of the program. A goroutine has a name,
// which a crash's trace calls it by, and whoever starts one can wait for its
// end. A panic in any of them reaches one handler: the cockpit's restores the
// terminal before anything is printed. Nothing else in the program has a go
// statement; a test of the house holds that.
package guard

import (
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Handler is told of a panic in the goroutine of that name: what was passed to
// panic, and the stack at that point. It runs in the goroutine that panicked,
// which ends when it returns.
type Handler func(name string, value any, stack []byte)

// A panic ends the process, so its handler is the process's, as a signal's is.
var handler atomic.Pointer[Handler]

// Handle makes h the handler until undo is called. Without one a panic ends the
// process as Go has it.
func Handle(h Handler) (undo func()) {
	old := handler.Swap(&h)
	return func() { handler.CompareAndSwap(&h, old) }
}

// Go runs fn in a goroutine. Who has to know when it ends uses a Group.
func Go(name string, fn func()) { start(name, fn, func() {}) }

// start runs fn in a goroutine, and then ended, also after a panic, which the
// handler has dealt with by then.
func start(name string, fn, ended func()) {
	go func() {
		defer ended()
		defer recovered(name)
		fn()
	}()
}

// recovered hands a panic to the handler. It is deferred as such.
func recovered(name string) {
	h := handler.Load()
	if h == nil {
		return // not recovered: the process ends with Go's own trace
	}
	if v := recover(); v != nil {
		(*h)(name, v, debug.Stack())
	}
}

// Group is goroutines that end together. The zero Group is ready; it must not
// be copied.
type Group struct{ running sync.WaitGroup }

// Go runs fn in a goroutine that Wait waits for.
func (g *Group) Go(name string, fn func()) {
	g.running.Add(1)
	start(name, fn, g.running.Done)
}

// Wait returns when every goroutine of the group has ended, whether it returned
// or panicked.
func (g *Group) Wait() { g.running.Wait() }
