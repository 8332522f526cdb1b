// Package fleet reads and writes who works on what, on every machine, in Git
// refs: no server, and no connection between the machines but the remote that
// they share anyway.
//
// The rooms below it: git is the one place that runs Git, in repositories of our
// own; keys says whose summary counts; hooks knows the tools that report, and the
// spool in which reports wait; change knows the changes; process and statefile serve them all.
//
// What it promises beside what those do:
//   - Of many publishers under one name exactly one wins, and the others say so.
//   - What other machines wrote is hostile until it passed every check of
//     keys/verify.go, in that order; what failed is listed with the reason and
//     never shows sessions.
//   - The repository's notify command does not run before `binnacle trust`.
//   - Ages are differences of this machine's own clock readings. A failed fetch
//     changes no age and no fetched_at.
//   - No git process runs while nothing is due, and no hook waits for one.
//
// Folders, all 0700:
//
//	<state>/machine               this user's machine name
//	<state>/keys/<agent>          private keys made by keys.New
//	<state>/trust.json            hashes of what repositories brought that may run
//	<state>/hooks/                what was in a tool's settings before an install
//	<state>/repos/<hash>/         by repository: pokes from hooks, views, locks
//	<state>/remotes/<hash>/       by remote URL:
//	    live.git                  the machines' summaries
//	    record.git                trunk (without files), executor logs, changes
//	    publish.git               our own summaries on their way out
//	    fetched.json              when what was fetched, and first seen
//	    publish.json              the journal of pushes; publish-<hash>.json to a pushurl
//	    registry.json             the key registry that was last seen on trunk
//	    rows/<hash>.json          the rows of each workspace on this machine
package fleet
