// Package note says what notes are: knowledge that somebody wrote down about a
// path. It has their machine, the facts that move them, the rules of their texts
// and paths, when they are fresh, and in which order they are read.
//
// A note is told in two kinds of event. The facts (kind coord, topic note.added
// and so on) hold ids, states, enum words and, under untrusted, the path: no word
// that an agent wrote. What it wrote stands in an event of kind note and topic
// note.text, committed together with the fact, which names it as its cause. So
// whoever reads the facts reads no prose, and replaying both rebuilds both tables.
package note
