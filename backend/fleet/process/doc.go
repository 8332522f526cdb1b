// Package process tells who a process is, also after its number was given to
// another one, and ends a child with all that it started.
package process
