// Package demo runs a simulated fleet against real engines: builders that log,
// probes that measure and raise alarms, executors that claim work and keep it
// alive or let it lapse, workers that take directives and finish, stall, die
// and come back, and agents that declare their sessions and write notes.
//
// One goroutine does everything, in the order that the seed gives, so that the
// same seed tells the same story. Nothing here is drawn or printed.
package demo
