// Package hooks knows the tools whose sessions are followed: where each keeps its
// settings, how our hooks get into them and out again, what keeps them from
// running, what they report, and the spool in which a report waits.
//
// Settings stay byte for byte as they are but for our own hooks; what they were
// before an install is kept, and can be put back. A hook writes to the spool and
// exits: it opens no database and waits for no disk.
package hooks
