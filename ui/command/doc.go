// Package command is the command line: every verb of the program, and what
// happens when there is none.
//
// The program is a value: Main takes the arguments and an Env and returns the
// exit status. Nothing below it ends the process, reads the environment, asks
// for the time or touches a standard stream but through the Env.
//
// Rules about output:
//   - What was asked for goes to stdout; everything else goes to stderr.
//   - Where stdout is no terminal it is JSON, one value a line; --json,
//     --no-json and BINNACLE_JSON=auto|always|never decide otherwise.
//   - A failure is one line "binnacle: …" on stderr, and where it helps a line
//     with a hint; under --json (or BINNACLE_JSON=always) it is one JSON object
//     with code, message and hint.
//   - Text from the ledger is cleaned before people see it, and escaped inside
//     JSON, so no byte of it can steer a terminal.
//   - A reader that closes its end (head, a pager) ends the program quietly,
//     with status 0.
//
// Exit statuses: 0 done; 1 a check failed or the operation was refused; 2 usage
// or validation; 3 nothing there to serve; 10 blocked; 128 and the signal's
// number when a signal ended it, except for streams, which say bye and end
// with 0.
package command
