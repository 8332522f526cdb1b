// Package session says what an agent's sessions are: their states and acts, the
// facts that they leave in the ledger, the paths that they touch, and the one
// form into which the tools' own reports are brought.
package session
