// Package git is the one place that runs Git.
//
// What it promises:
//   - The user's repository (Repo) is only read, through its configuration and its
//     folder names. Everything that is fetched or made stands in bare repositories
//     of our own (Bare), one set per remote URL (Remote), so their gc, hooks,
//     reflogs, work trees and index locks stay out of it, and a fetch from another
//     URL can't pass for one of this.
//   - A push always carries a lease, never force.
//   - Nothing that came with the repository runs before `binnacle trust`: no
//     program that its Git configuration or its remote's URL would have run.
//   - A git process runs in a closed environment and in a process group of its
//     own, asks nobody for a password, and is ended, with all that it started,
//     when its time is up.
package git
