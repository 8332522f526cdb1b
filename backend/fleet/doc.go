// Package fleet reads and writes who works on what, on every machine, in Git
// refs: no server, and no connection between the machines but the remote that
// they share anyway.
//
// What it promises:
//   - The user's repository is only read, through its configuration and its
//     folder names. Everything that is fetched or made stands in bare
//     repositories of our own in the user's state folder, one set per remote
//     URL, so their gc, hooks, reflogs, work trees and index locks stay out of
//     it, and a fetch from another URL can't pass for one of this.
//   - A push always carries a lease, never force: of many publishers under one
//     name exactly one wins, and the others say so.
//   - What other machines wrote is hostile until it passed every check of
//     verify.go, in that order; what failed is listed with the reason and never
//     shows sessions.
//   - Nothing that came with the repository runs before `binnacle trust`: not its
//     notify command, and no program that its Git configuration or its remote's
//     URL would have run.
//   - Ages are differences of this machine's own clock readings. A failed fetch
//     changes no age and no fetched_at.
//   - A git process runs in a closed environment and in a process group of its
//     own, asks nobody for a password, and is ended, with all that it started,
//     when its time is up. None runs while nothing is due.
//   - A hook only writes to the database and exits; it never waits for git.
//
// Folders, all 0700:
//
//	<state>/machine               this user's machine name
//	<state>/keys/<agent>          private keys made by KeyNew
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
