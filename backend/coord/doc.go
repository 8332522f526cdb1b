// Package coord is the engine of coordination: the sessions of agents, whether
// their tools' hooks report them or somebody declares them by command. What
// readers follow of it, and of all else, is the feed (package feed).
//
// What it promises: a session's record and the fact that moved it commit
// together or not at all; a fact holds ids, states and words of a fixed set, and
// what somebody named stands under "untrusted"; a declared session needs no
// process: it ends when somebody says so, or when nothing was heard of it for as
// long as its lease lasts.
package coord
