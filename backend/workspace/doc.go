// Package workspace finds a workspace, makes one, and locks what only one process at
// a time may do in it. It knows the folder and its files, and nothing of what the
// database holds.
package workspace
