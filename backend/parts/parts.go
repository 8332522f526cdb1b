// Package parts puts together what the engines keep in a workspace's database:
// the one place to name a new kind of record.
package parts

import (
	"sync"

	"binnacle/backend/coord"
	"binnacle/backend/coord/notes"
	"binnacle/backend/fleet"
	"binnacle/backend/ledger"
	"binnacle/backend/queue"
	"binnacle/backend/store"
)

// All are the parts of every engine. They are put together when first asked for.
var All = sync.OnceValue(func() *store.Parts {
	return store.NewParts(ledger.Part(), queue.Part(), coord.Part(), fleet.Part(), notes.Part())
})
