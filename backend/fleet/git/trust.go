package git

import (
	"context"
	"path/filepath"
	"time"

	"binnacle/backend/fleet/statefile"
)

// Trusts is trust.json: by repository, what may run there.
type Trusts map[string]string

func (r *Repo) trustPath() string { return filepath.Join(r.opts.StateDir, "trust.json") }

// GitTrust is under which name the repository's Git settings are trusted.
func (r *Repo) GitTrust() string { return r.Dir + " git" }

// trustsPrograms says whether the repository's own Git settings that run
// programs are trusted as they are.
func (r *Repo) trustsPrograms(list []Setting) (bool, error) {
	t, err := r.ReadTrusts()
	if err != nil || t[r.GitTrust()] == "" {
		return false, err
	}
	hash, err := r.ProgramsHash(list)
	return err == nil && t[r.GitTrust()] == hash, nil
}

// ChangeTrusts changes what may run, under the file's lock.
func (r *Repo) ChangeTrusts(change func(Trusts)) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	l, err := statefile.Lock(ctx, r.trustPath()+".lock")
	if err != nil {
		return err
	}
	defer l.Unlock()
	t, err := r.ReadTrusts()
	if err != nil {
		return err
	}
	change(t)
	return statefile.WriteJSON(r.trustPath(), t)
}

// ReadTrusts is what may run, of every repository.
func (r *Repo) ReadTrusts() (Trusts, error) {
	t := Trusts{}
	return t, statefile.ReadJSON(r.trustPath(), &t)
}
