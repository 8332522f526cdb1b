// Package work is the loop around a command that does directives: claim, run,
// renew the lease while it runs, and say what became of it.
//
// What it promises:
//   - A directive is done only when its command ended with 0 while its claim was
//     held. A claim that was lost (fenced, dropped, taken back) ends its command at
//     once, and nothing is written for it.
//   - No command outlives its claim. It runs in a process group of its own, which
//     is killed with what it left behind when the command ends, when the claim is
//     lost, and, by a guardian process, when the worker itself is killed. (What
//     leaves the group on purpose, by setsid, is out of reach.)
//   - A worker that is told to stop claims nothing more, and gives back what is
//     unfinished without counting it.
//   - What a command writes is bounded, in memory and on disk, and a full disk
//     costs the log and not the directive.
//   - A worker keeps nothing that its death would lose: leases and directives are
//     the queue's, and what it says of itself (see Seen) is for people.
package work
