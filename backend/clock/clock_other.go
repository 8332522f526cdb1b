//go:build !linux && !darwin

package clock

import "time"

// bootID can't be told here: the wall clock alone decides.
func bootID() string { return "" }

func sinceBoot() (up, awake time.Duration, err error) { return 0, 0, nil }
