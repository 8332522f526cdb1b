package command_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"binnacle/backend/clock"
	"binnacle/model"
	"binnacle/ui/command"
)

// clocksVar names the file that says how far the clocks of a pretended machine
// are from those of the real one. The test binary reads it, never the program.
const clocksVar = "TEST_CLOCKS"

// clocks are those distances.
type clocks struct{ Wall, Up, Awake time.Duration }

// machineEnv is the world of a real process on the pretended machine.
func machineEnv() command.Env {
	env := command.OS()
	real := clock.Machine()
	env.Clock = func() model.Reading {
		var c clocks
		raw, err := os.ReadFile(os.Getenv(clocksVar))
		if err == nil {
			err = json.Unmarshal(raw, &c)
		}
		if err != nil {
			panic(err)
		}
		r := real()
		r.Wall, r.Up, r.Awake = r.Wall.Add(c.Wall), r.Up+c.Up, r.Awake+c.Awake
		return r
	}
	return env
}

// onMachine is the program on the pretended machine.
func onMachine() { os.Exit(command.Main(os.Args[1:], machineEnv())) }

// holderOnMachine is an agent: it takes a directive, says so, and finishes it
// with the token of its claim once a line comes in.
func holderOnMachine() {
	var out bytes.Buffer
	env := machineEnv()
	env.Stdout = &out
	if status := command.Main([]string{"queue", "next", "--json", "--lease", "1h", "--consumer", "holder"}, env); status != 0 {
		os.Exit(status)
	}
	var claim struct {
		ID    int64  `json:"id"`
		Token string `json:"claim_token"`
	}
	if err := json.Unmarshal(out.Bytes(), &claim); err != nil {
		panic(err)
	}
	fmt.Println("holds", claim.ID)
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		panic(err)
	}
	env = machineEnv()
	env.Stdout = io.Discard
	os.Exit(command.Main([]string{"queue", "done", fmt.Sprint(claim.ID), "--claim-token", claim.Token}, env))
}
