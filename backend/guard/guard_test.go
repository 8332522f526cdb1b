package guard

import (
	"strings"
	"testing"
)

func TestAPanicReachesTheHandler(t *testing.T) {
	type told struct {
		name  string
		value any
		stack string
	}
	heard := make(chan told, 1)
	undo := Handle(func(name string, value any, stack []byte) { heard <- told{name, value, string(stack)} })
	defer undo()
	var g Group
	g.Go("engine", func() { fails() })
	g.Wait() // a panic ends it, too
	select {
	case got := <-heard:
		if got.name != "engine" || got.value != "boom" || !strings.Contains(got.stack, "guard.fails") {
			t.Fatalf("the handler heard %+v", got)
		}
	default:
		t.Fatal("the goroutine has ended and the handler heard nothing")
	}
}

func fails() { panic("boom") }

func TestHandlersAreTakenBack(t *testing.T) {
	first := make(chan string, 1)
	undoFirst := Handle(func(name string, _ any, _ []byte) { first <- name })
	defer undoFirst()
	undo := Handle(func(string, any, []byte) { t.Error("a handler that was taken back was told") })
	undo()
	var g Group
	g.Go("x", func() { panic(1) })
	g.Wait()
	if len(first) != 1 {
		t.Fatal("the handler before it was not told")
	}
}
