// Package ledger is the engine over the events: writing them, reading them back,
// the signals and work records that they move, and subscriptions. What is done
// with the events beside that has rooms of its own: verify, query, export, backup.
//
// What it promises:
//
//   - What a method has acknowledged is durable. A refusal is an error with a code,
//     a sentence and, where there is a way out, a hint; it leaves nothing behind,
//     but that a record which had run out of time is written down as expired.
//   - Secrets are replaced before an event is hashed.
//   - A read never writes, and is made of steps that each stay short, so that the
//     write-ahead log can be checkpointed meanwhile. What is due in a record (an
//     expired signal, a lapsed lease) is computed while reading; it is written
//     down by the next write that touches the record, and by Reap.
//   - One winner per claim. Whoever does not hold a work record, or holds it under
//     a former claim's token, changes nothing.
//   - A subscriber gets every event that matches, each once, in order. No
//     subscriber slows a writer, whatever it does.
//
// # Subscriptions
//
// A subscriber is caught up, or behind. Caught up, it gets events from one tailer
// that reads each new event once for all subscribers and puts it into their
// outboxes, which are bounded. Behind, it reads the store itself, at its own
// speed, while it is in Next; it joins the others when there is nothing left to
// read. Every subscriber starts behind, at its cursor.
//
// When an outbox is full, the tailer does not wait. Under CatchUp the subscriber
// falls behind, is told so by a Gap with the number of events that come
// late, and gets them all. Under Skip the events that find the outbox full are
// left out until it has been emptied, and a Gap in their place says how
// many, from which to which. Under both, what was delivered and what was missed
// add up to what was committed.
package ledger
