// Package storetest is the contract of store.Store as tests: any implementation
// runs Run with a small Harness. It talks to the store through the interface
// only, on real files or a real server.
package storetest
