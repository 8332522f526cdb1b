// Package viewtest is what the tests of frames share: golden files, and the
// rules that every frame keeps.
//
// Golden files are rewritten by the flag -update, which refuses to run where CI
// is set. A golden file that no test asked for fails the run.
package viewtest
