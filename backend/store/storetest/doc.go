// Package storetest is the contract of store.Store as tests, and how the engines'
// tests get a store: any implementation runs Run, and what Open opens is the one
// that the environment names. It talks to the store through the interface only, on
// real files or a real server, and knows no engine.
package storetest
