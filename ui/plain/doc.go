// Package plain writes what happens in a workspace as JSON lines: for pipes,
// for logs, and for people who use a screen reader.
//
// Each line is one JSON object with a "type":
//
//	hello     schema, workspace, epoch, seq: the first line, and again when a
//	          restored ledger stands in the place of the one that was followed
//	snapshot  the counts, lanes, leases and needs of one instant: after hello,
//	          and again every Options.Every
//	event     one event of the ledger, with the cursor that goes on after it
//	lagged    the reader was slow: how many events were left out, exactly,
//	          between which, and the cursor from which they can be read
//	fleet     the map of who works where, whenever it changes
//	error     code, message, hint: something failed; the stream goes on if it can
//	          (STALE: after it comes hello; GONE: after it comes bye)
//	bye       the cursor to go on from next time: the last line
//
// It promises: a line is written whole, in one write, and at once; no byte in
// it can steer a terminal; events come in order and each once; what is not
// shown is counted. It never writes to the workspace.
package plain

// Schema names the format in the hello line. A change that breaks a reader
// gets another number.
const Schema = "binnacle.plain/1"
