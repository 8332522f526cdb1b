// Package walindex finds out from the index of a database's write-ahead log who
// keeps the log from being begun anew: the processes with the oldest read.
package walindex
