// Package verify finds out whether a ledger is what was written: once, with Run,
// or in the background, again and again, with a Verifier.
//
// It names the first divergence of the chain, of the head, of the counts, or of a
// record from what the events add up to. A changed byte of an event breaks its
// hash, and then everything kept beside the chain helps to say what happened: the
// checksums of payloads tell a payload from an envelope, the links tell an
// exchange from a loss. It does not prove that nobody with write access rewrote
// everything, head, checksums and records included; compare with a backup or an
// export for that.
//
// It writes nothing, and is made of reads that each stay short.
package verify
