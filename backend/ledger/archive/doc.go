// Package archive takes old events out of the database: retention. It is off
// unless a time is given for which events are kept.
//
// The oldest events go first, always a whole stretch of the chain: they are packed
// into a segment (package segment), whose file is made durable and read back
// against the chain; one transaction makes it count; then the rows are taken away,
// a few at a time, so that writers hardly notice. A crash between any two of these
// steps leaves events as rows, in a segment or in both, never in neither, and the
// next sweep goes on from there.
//
// What holds afterwards: a reader of events, verify, rebuild and a backup read the
// segments as if nothing had happened, and the records and counts stand as they
// were. A cursor of the feed that lies before the oldest row has expired.
package archive
