// Package directive says what the queue's directives are: their state machine
// and events, their priorities, lanes and order, what they wait for, their
// threads, and why one stands where it does, in sentences.
package directive
