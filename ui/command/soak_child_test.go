//go:build linux

package command_test

import (
	"context"
	"encoding/json"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"binnacle/backend"
	"binnacle/backend/demo"
)

// held is what a process with a cockpit holds at one moment.
type held struct {
	Goroutines int     `json:"goroutines"`
	Files      int     `json:"files"`    // open descriptors
	Heap       float64 `json:"heap"`     // MiB after a collection
	Resident   float64 `json:"resident"` // MiB
	Log        float64 `json:"log"`      // MiB of the write-ahead log
	Frame      float64 `json:"frame"`    // ms, the longest so far
}

// holding lets the demo's fleet loose without pauses and writes once a second
// what the process holds, a line of JSON each.
type holding struct {
	file    string
	longest atomic.Int64 // of the frames, ns
}

// drawn is told how long a frame took to build. Only the program's goroutine
// calls it.
func (h *holding) drawn(took time.Duration) {
	h.longest.Store(max(h.longest.Load(), int64(took)))
}

func (h *holding) run(ctx context.Context, b *backend.Backend) error {
	out, err := os.Create(h.file)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	tree, err := os.MkdirTemp("", "soak")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tree) }()
	engines, err := demo.EnginesOf(b, tree, os.Environ())
	if err != nil {
		return err
	}
	fleet := demo.New(engines, 1)
	next := time.Now()
	for ctx.Err() == nil {
		if now := time.Now(); now.After(next) {
			next = now.Add(time.Second)
			is, err := h.now()
			if err != nil {
				return err
			}
			if err := json.NewEncoder(out).Encode(is); err != nil {
				return err
			}
		}
		if err := fleet.Step(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

func (h *holding) now() (is held, err error) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	is.Goroutines, is.Heap = runtime.NumGoroutine(), float64(m.HeapAlloc)/(1<<20)
	is.Frame = float64(h.longest.Load()) / 1e6
	if is.Resident, err = residentMiB(os.Getpid()); err != nil {
		return is, err
	}
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return is, err
	}
	is.Files = len(files) - 1 // not the one that reads this folder
	for _, f := range files {
		name, _ := os.Readlink("/proc/self/fd/" + f.Name())
		if !strings.HasSuffix(name, "-wal") {
			continue
		}
		if info, err := os.Stat(name); err == nil {
			is.Log = float64(info.Size()) / (1 << 20)
		}
	}
	return is, nil
}
