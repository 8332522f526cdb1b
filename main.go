// Binnacle is a full-screen cockpit for people who run a fleet of coding
// agents, and the engines behind it, in one program.
package main

import (
	"os"

	"binnacle/ui/command"
)

func main() { os.Exit(command.Main(os.Args[1:], command.OS())) }
