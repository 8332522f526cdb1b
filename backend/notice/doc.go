// Package notice hears from the system what happens to files, so that nobody has
// to look again and again. It asks for as little as it can, for each notice wakes
// the process, and that is nearly all that a waiting process costs. A notice
// promises nothing: whoever is told looks. Some are lost (another machine's on a
// shared folder, what came while too many waited), so whoever listens also looks
// now and then.
package notice

// What happened to a file. It is also what is asked for.
type What uint8

const (
	Moved   What = 1 << iota // a file in the folder came, went or was renamed, or the folder itself
	Written                  // a file was written or cut
	Touched                  // a file's permissions were set, or both of its times: one of them alone counts as read or written
	Closed                   // a file was closed that was open for writing, also by the end of a process; see Closes

	everything = Moved | Written | Touched | Closed
)

// Hear is called with the path of what something happened to, and what. It runs
// in the goroutine that all notices come by, so it must not block.
type Hear func(path string, what What)
