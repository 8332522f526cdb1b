package screen

import (
	"context"
	"sync"

	tea "github.com/charmbracelet/bubbletea"
)

// inbox holds what came from the terminal until the program takes it, so that
// tcell never waits for a busy program. Of messages of which only the newest
// counts (sizes, mouse motion) it keeps one at the end.
type inbox struct {
	mu    sync.Mutex
	items []tea.Msg
	wake  chan struct{}
}

// inboxSize bounds the messages that wait. No one types that far ahead; a
// device that floods loses the newest.
const inboxSize = 8192

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1)} }

// put adds a message; it never blocks.
func (b *inbox) put(msg tea.Msg) {
	b.mu.Lock()
	switch n := len(b.items); {
	case n > 0 && replaces(msg, b.items[n-1]):
		b.items[n-1] = msg
	case n < inboxSize || !droppable(msg):
		b.items = append(b.items, msg)
	}
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// droppable reports that a message may be lost in a flood. Sizes, and the end
// of the terminal, may not.
func droppable(msg tea.Msg) bool {
	switch msg.(type) {
	case tea.KeyMsg, tea.MouseMsg:
		return true
	default:
		return false
	}
}

// replaces reports that msg makes the one before it pointless.
func replaces(msg, before tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		_, ok := before.(tea.WindowSizeMsg)
		return ok
	case tea.MouseMsg:
		old, ok := before.(tea.MouseMsg)
		return ok && msg.Action == tea.MouseActionMotion && old.Action == tea.MouseActionMotion && msg.Button == old.Button
	default:
		return false
	}
}

// run hands messages to send, in order, until ctx ends.
func (b *inbox) run(ctx context.Context, send func(tea.Msg)) {
	for {
		b.mu.Lock()
		items := b.items
		b.items = nil
		b.mu.Unlock()
		for _, msg := range items {
			if ctx.Err() != nil {
				return
			}
			send(msg)
		}
		if len(items) > 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-b.wake:
		}
	}
}
