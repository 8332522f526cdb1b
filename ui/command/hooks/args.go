package hooks

import "strings"

// AsksHelp says whether the arguments of hook ask for its help.
func AsksHelp(args []string) bool { return parseArgs(args).help }

// hookArgs are the arguments of hook. What is not understood is passed over.
type hookArgs struct {
	tool      string
	workspace string
	verbose   bool
	help      bool
	readOnly  bool
	lines     bool // an event a line, until stdin ends
}

func parseArgs(args []string) hookArgs {
	var o hookArgs
	for i := 0; i < len(args); i++ {
		name, value, valued := strings.Cut(args[i], "=")
		switch name {
		case "--verbose", "-v":
			o.verbose = true
		case "--help", "-h":
			o.help = true
		case "--read-only":
			o.readOnly = true
		case "--lines":
			o.lines = true
		case "--workspace", "--timeout", "--theme":
			if !valued && i+1 < len(args) {
				i++
				value = args[i]
			}
			if name == "--workspace" {
				o.workspace = value
			}
		default:
			if o.tool == "" && !strings.HasPrefix(name, "-") {
				o.tool = args[i]
			}
		}
	}
	return o
}
