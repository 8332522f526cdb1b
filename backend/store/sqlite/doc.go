// Package sqlite is the store on a SQLite file: its schema and migrations, the
// committer, reads, notice of change, backups and rebuilds.
//
// It promises:
//   - Nothing is acknowledged before it is durable (WAL, synchronous=FULL), and
//     nothing acknowledged is lost, whatever is killed or fills up.
//   - One committer goroutine writes. It runs as many writes as are waiting in
//     one transaction; a write that is refused, or panics, rolls back alone.
//   - Other processes may write the same file at the same time. The head is read
//     anew in every transaction, so the chain has no gap and no fork.
//   - Reads run on connections that can't write, each on one instant.
//
// It opens the database file through SQLite, but for a look at its header where a
// log lies beside it; it never follows a symbolic link to it, and never puts it on
// a network file system.
package sqlite
