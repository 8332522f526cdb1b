package screen

import "os"

// SignalError says that a signal asked the program to end. It is in the error
// of the ClosedMsg that came of it, and so in what Run returns.
type SignalError struct{ os.Signal }

func (s SignalError) Error() string { return "signal: " + s.String() }
