// Package sqlitefile knows SQLite's files and errors, whoever's they are: what a
// file's header says, how another program's database is opened so that nothing
// appears beside it, and what an error of SQLite means to a user.
package sqlitefile
