// Package desk is what lies between a workspace and whoever looks at it: the
// cockpit, --plain, the commands that read and act, and what stands at the far
// end of a wire. Desk is the interface; all that goes over it is a value.
//
// What it promises: every value goes over a wire and comes back as it was
// (Marshal, Unmarshal), but for the hashes of claim tokens, which stay where they
// are; what was left out of a stream is told by a Gap with its exact count and
// the cursor to go on from; what takes an act back is an Undo, which names the
// event that recorded the act, so nobody can undo what the ledger does not hold;
// a refusal is a *model.Error (ErrorOf).
//
// Who acts is not in an Action: a desk is opened for somebody, and acts in that
// name. What nobody asked for is done by model.Self.
package desk
