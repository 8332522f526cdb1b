package scratch_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"binnacle/backend/scratch"
)

// childEnv makes the test binary play another process: "<role>|<folder>".
const childEnv = "SCRATCH_TEST_CHILD"

func TestMain(m *testing.M) {
	if role, dir, ok := strings.Cut(os.Getenv(childEnv), "|"); ok {
		if err := child(role, dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child makes a folder and a file, says so and waits for the end of its input.
// As an "editor" it lets a process of its own wait, which has the folder's lock.
func child(role, dir string) error {
	d, err := scratch.NewFolder(dir, "test")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(d.Path(), "half"), make([]byte, 1<<20), 0o600); err != nil {
		return err
	}
	f, err := scratch.NewFile(dir, "test")
	if err != nil {
		return err
	}
	fmt.Println(f.Name())
	fmt.Println(d.Path())
	if role == "editor" {
		cmd := exec.Command("cat")
		cmd.Stdin, cmd.ExtraFiles = os.Stdin, []*os.File{d.Lock()}
		if err := cmd.Start(); err != nil {
			return err
		}
		fmt.Println("started")
		return cmd.Wait()
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// owner is a process that has a folder and a file in dir.
type owner struct {
	cmd          *exec.Cmd
	in           io.Closer
	file, folder string
}

func start(t *testing.T, role, dir string) owner {
	t.Helper()
	o := owner{cmd: exec.Command(os.Args[0], "-test.run=^$")}
	o.cmd.Env = append(os.Environ(), childEnv+"="+role+"|"+dir)
	o.cmd.Stderr = os.Stderr
	// Not StdinPipe: it would be closed with the process, and end its child, too.
	stdin, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	o.cmd.Stdin = stdin
	out, err := o.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	err = o.cmd.Start()
	_ = stdin.Close()
	if err != nil {
		t.Fatal(err)
	}
	o.in = in
	t.Cleanup(func() { _ = in.Close(); _ = o.cmd.Process.Kill(); _ = o.cmd.Wait() })
	lines := bufio.NewScanner(out)
	line := func() string {
		if !lines.Scan() {
			t.Fatal("the other process said nothing")
		}
		return lines.Text()
	}
	o.file, o.folder = line(), line()
	if role == "editor" {
		line()
	}
	return o
}

func (o owner) kill(t *testing.T) {
	t.Helper()
	if err := o.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = o.cmd.Wait()
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// once makes a folder and removes it: the next run of somebody.
func once(t *testing.T, dir string) {
	t.Helper()
	d, err := scratch.NewFolder(dir, "next")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Remove(); err != nil {
		t.Fatal(err)
	}
}

// The next run cleans what a killed process left, and nothing of one that lives.
func TestTheNextRunCleansWhatAKilledOneLeft(t *testing.T) {
	dir := t.TempDir()
	lives, killed := start(t, "", dir), start(t, "", dir)
	once(t, dir)
	if n := names(t, dir); len(n) != 4 {
		t.Fatalf("of two processes that live there is %v", n)
	}
	killed.kill(t)
	once(t, dir)
	if n := names(t, dir); len(n) != 2 || filepath.Join(dir, n[0]) != lives.file && filepath.Join(dir, n[1]) != lives.file {
		t.Fatalf("after one was killed there is %v; %s and %s belong there", n, lives.file, lives.folder)
	}
	if info, err := os.Stat(filepath.Join(lives.folder, "half")); err != nil || info.Size() != 1<<20 {
		t.Fatal(err)
	}
	lives.kill(t)
	f, err := scratch.NewFile(dir, "next")
	if err != nil {
		t.Fatal(err)
	}
	if n := names(t, dir); len(n) != 1 {
		t.Fatalf("after both were killed there is %v", n)
	}
	f.Discard()
	if n := names(t, dir); len(n) != 0 {
		t.Fatalf("left behind: %v", n)
	}
}

// An editor goes on after the program that started it was killed: what it edits
// stays as long.
func TestAFolderStaysWithTheChildThatHasItsLock(t *testing.T) {
	dir := t.TempDir()
	o := start(t, "editor", dir)
	o.kill(t)
	once(t, dir)
	if _, err := os.Stat(o.folder); err != nil {
		t.Fatalf("the folder of a child that lives is gone: %v", err)
	}
	_ = o.in.Close() // the child ends
	for range 10_000 {
		if once(t, dir); len(names(t, dir)) == 0 {
			return
		}
	}
	t.Fatalf("left behind: %v", names(t, dir))
}

// What only looks like a leftover is left alone.
func TestWhatIsNotOursStays(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	precious := filepath.Join(elsewhere, "precious")
	for _, err := range []error{
		os.WriteFile(precious, []byte("x"), 0o600),
		os.Symlink(elsewhere, filepath.Join(dir, ".binnacle-test-0123456789abcdef")),
		os.Symlink(precious, filepath.Join(dir, ".binnacle-test-0123456789abcde0")),
		os.Mkdir(filepath.Join(dir, ".binnacle"), 0o700),
		os.Mkdir(filepath.Join(dir, ".binnacle-notes-2"), 0o700),
		os.Mkdir(filepath.Join(dir, "binnacle-test-0123456789abcdef"), 0o700),
		os.Mkdir(filepath.Join(dir, ".binnacle-test-0123456789abcdef0"), 0o700),
		os.Mkdir(filepath.Join(dir, ".binnacle-Test-0123456789abcdef"), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := 7
	if os.Geteuid() == 0 {
		theirs := filepath.Join(dir, ".binnacle-theirs-0123456789abcdef")
		if err := errors.Join(os.Mkdir(theirs, 0o700), os.Chown(theirs, 12345, -1)); err != nil {
			t.Fatal(err)
		}
		want++
	}
	// This one is a leftover, with a link in it that leads out.
	left := filepath.Join(dir, ".binnacle-test-fedcba9876543210")
	if err := errors.Join(os.Mkdir(left, 0o700), os.Symlink(elsewhere, filepath.Join(left, "out"))); err != nil {
		t.Fatal(err)
	}
	once(t, dir)
	if n := names(t, dir); len(n) != want {
		t.Fatalf("%d of %d are there: %v", len(n), want, n)
	}
	if _, err := os.Stat(precious); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the leftover is still there: %v", err)
	}
}

// Makers and cleaners that meet take nothing from each other.
func TestMakersAndCleanersAtOnce(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range 150 {
				if i%3 == 2 {
					f, err := scratch.NewFile(dir, "file")
					if err == nil {
						_, err = os.Lstat(f.Name())
						f.Discard()
					}
					if err != nil {
						t.Error(err)
					}
					continue
				}
				d, err := scratch.NewFolder(dir, "folder")
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.WriteFile(filepath.Join(d.Path(), "a"), nil, 0o600); err != nil {
					t.Errorf("the folder went under its owner: %v", err)
				}
				if err := d.Remove(); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	all.Wait()
	if n := names(t, dir); len(n) != 0 {
		t.Fatalf("left behind: %v", n)
	}
}

// Publish never replaces a file; Replace does. Both leave one name.
func TestAFileGetsItsNameWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "it")
	write := func(text string, place func(*scratch.File) error) error {
		f, err := scratch.NewFile(dir, "new")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Discard()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		return place(f)
	}
	holds := func(want string) {
		t.Helper()
		if b, err := os.ReadFile(path); err != nil || string(b) != want || len(names(t, dir)) != 1 {
			t.Fatalf("%q, %v; the folder holds %v", b, err, names(t, dir))
		}
	}
	publish := func(f *scratch.File) error { return f.Publish(path) }
	if err := write("one", publish); err != nil {
		t.Fatal(err)
	}
	holds("one")
	if err := write("two", publish); !errors.Is(err, fs.ErrExist) {
		t.Fatalf("a second Publish: %v", err)
	}
	holds("one")
	if err := write("three", func(f *scratch.File) error { return f.Replace(path) }); err != nil {
		t.Fatal(err)
	}
	holds("three")
	// What got its name is not taken for a leftover, though its lock is free.
	once(t, dir)
	holds("three")
}

func TestAWrongNameIsRefused(t *testing.T) {
	for _, what := range []string{"", "a-b", "Big", "../x", strings.Repeat("x", 17)} {
		if d, err := scratch.NewFolder(t.TempDir(), what); err == nil {
			t.Errorf("%q made %s", what, d.Path())
		}
	}
}
