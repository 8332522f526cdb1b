package git

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"

	"binnacle/model"
	"binnacle/model/clean"
)

// Scratch makes a bare repository with one commit on its trunk in dir/remote,
// and a clone of it in each of the folders (which may be there, and empty), for
// a demonstration on this machine alone. The user's own configuration is left
// out, so that no hook or signature of theirs gets in the way.
func Scratch(ctx context.Context, dir string, clones ...string) error {
	remote := filepath.Join(dir, "remote")
	if err := scratchGit(ctx, dir, dir, "init", "-q", "--bare", "--initial-branch=main", remote); err != nil {
		return err
	}
	for i, c := range clones {
		if err := os.MkdirAll(c, 0o700); err != nil {
			return model.Errorf(model.CodeInternal, "the demonstration can't be set up: %w", err)
		}
		steps := [][]string{
			{"init", "-q", "--initial-branch=main"},
			{"remote", "add", "origin", remote},
		}
		if i == 0 {
			steps = append(steps, []string{"commit", "-q", "--allow-empty", "-m", "begin"}, []string{"push", "-q", "origin", "main"})
		} else {
			steps = append(steps, []string{"fetch", "-q", "origin"}, []string{"checkout", "-q", "main"})
		}
		for _, s := range steps {
			if err := scratchGit(ctx, c, dir, s...); err != nil {
				return err
			}
		}
	}
	return nil
}

// Land commits to trunk in a clone that Scratch made and pushes it, with the
// title and one file of the given path.
func Land(ctx context.Context, clone, title, path string) error {
	home := filepath.Dir(clone)
	file := filepath.Join(clone, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return model.Errorf(model.CodeInternal, "the demonstration can't write: %w", err)
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return model.Errorf(model.CodeInternal, "the demonstration can't write: %w", err)
	}
	if _, err := f.WriteString(title + "\n"); err != nil {
		_ = f.Close()
		return model.Errorf(model.CodeInternal, "the demonstration can't write: %w", err)
	}
	if err := f.Close(); err != nil {
		return model.Errorf(model.CodeInternal, "the demonstration can't write: %w", err)
	}
	for _, args := range [][]string{{"add", "--", path}, {"commit", "-q", "-m", title}, {"push", "-q", "origin", "HEAD:main"}} {
		if err := scratchGit(ctx, clone, home, args...); err != nil {
			return err
		}
	}
	return nil
}

// scratchGit runs git in a folder, with a home of the demonstration's own.
func scratchGit(ctx context.Context, at, home string, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = at
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C",
		"GIT_AUTHOR_NAME=demo", "GIT_AUTHOR_EMAIL=demo@localhost", "GIT_COMMITTER_NAME=demo", "GIT_COMMITTER_EMAIL=demo@localhost",
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return model.Errorf(model.CodeInternal, "git %s: %s: %w", args[0], clean.Line(string(out)), err)
	}
	return nil
}
