package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"binnacle/backend/clock"
	"binnacle/backend/notice"
	"binnacle/backend/store"
	"binnacle/backend/store/segment"
	"binnacle/backend/store/sqlitefile"
	"binnacle/backend/workspace"
	"binnacle/model"
)

// Options say how a database is opened.
type Options struct {
	Path     string // of binnacle.db; it is made when it is not there
	Existing bool   // a database that is not there, or empty, is refused and not made
	ReadOnly bool   // writes are refused; nothing is created or changed
	// Mend opens a ledger whose epoch is lost, too, so that it can be checked,
	// rebuilt or restored. Others are refused.
	Mend bool
	// Parts are what the engines keep in the database; nil is nothing.
	Parts *store.Parts
	// Clock tells the time of events; the machine's when nil.
	Clock model.Clock
	// Log gets lines about what takes long or is not as it should be: a
	// migration, a backup, permissions. Nothing when nil.
	Log io.Writer
	// BusyTimeout bounds the waiting for another process's lock; 10 s when 0.
	BusyTimeout time.Duration
	// WALBound is the size of the write-ahead log, in bytes, from which on a
	// truncating checkpoint is tried after commits; 64 MiB when 0.
	WALBound int64

	// Archive is the folder with the files of sealed events; beside the database
	// when empty.
	Archive string

	of      *layout // the parts as they lie here
	archive *segment.Folder
}

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = clock.Machine()
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	if o.Parts == nil {
		o.Parts = noLayout.Parts
	}
	if o.of == nil {
		o.of = newLayout(o.Parts)
	}
	if o.Archive == "" {
		o.Archive = filepath.Join(filepath.Dir(o.Path), ArchiveName)
	}
	if o.archive == nil {
		o.archive = segment.At(o.Archive)
	}
	if o.BusyTimeout == 0 {
		o.BusyTimeout = 10 * time.Second
	}
	if o.WALBound == 0 {
		o.WALBound = 64 << 20
	}
	return o
}

// Store is the store.Store on a SQLite file.
type Store struct {
	opt      Options
	epoch    atomic.Pointer[string]
	readers  *pool
	hub      *hub
	commits  *committer // nil when read-only
	wal      walWatch
	ground   *ground
	stir     *stir
	channels *notice.Channels

	frozen    atomic.Bool               // the file is read as immutable
	ice       atomic.Pointer[fileStamp] // of the file when it was last read as immutable
	noRoom    error                     // why it can only be read: the disk is full; nil when it is not
	closeOnce sync.Once
	closeErr  error
}

var (
	_ store.Store    = (*Store)(nil)
	_ store.Copier   = (*Store)(nil)
	_ store.Archiver = (*Store)(nil)
)

// Open opens the workspace's database, makes it when it is not there, and
// brings its schema up to date (see Migrate). Read-only, it changes nothing,
// and an old schema is refused. Errors: CodeFileSys for a network file system,
// CodeSchema for a database that needs another version of the program,
// CodeBusy when another process keeps its lock too long.
func Open(ctx context.Context, o Options) (*Store, error) {
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, sqlitefile.Explain("find the database", err)
	}
	o.Path = path
	o = o.withDefaults()
	if err := checkPlace(o); err != nil {
		return nil, err
	}
	s := &Store{opt: o, stir: &stir{path: path}}
	s.channels = notice.NewChannels(filepath.Join(filepath.Dir(path), "channels"), s.stir.watcher)
	s.ground = newGround(path, s.stir)
	s.readers = newPool(s.openReader, s.readEpoch)
	s.hub = newHub(s.openReader, s.still, path+"-wal", s.stir)
	s.wal.path, s.wal.index, s.wal.bound = path+"-wal", path+"-shm", o.WALBound
	if o.ReadOnly {
		return s, s.startReading(ctx)
	}
	err = s.startWriting(ctx)
	if model.CodeOf(err) != model.CodeNoSpace {
		return s, err
	}
	s.noRoom = err
	if s.startReading(ctx) != nil {
		return s, err
	}
	return s, nil
}

// checkPlace refuses links and network file systems, and looks at permissions.
func checkPlace(o Options) error {
	if err := workspace.RefuseLink(o.Path); err != nil {
		return err
	}
	if err := workspace.CheckFileSystem(filepath.Dir(o.Path)); err != nil {
		return err
	}
	info, err := os.Lstat(o.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if o.ReadOnly || o.Existing {
			return noDatabase(o.Path)
		}
		return createFile(o.Path)
	case err != nil:
		return sqlitefile.Explain("look at the database", err)
	case !info.Mode().IsRegular():
		return model.Errorf(model.CodeRefused, "%s is not a regular file", o.Path)
	case o.Existing && info.Size() == 0 && sqlitefile.Empty(o.Path+"-wal"):
		return noDatabase(o.Path)
	}
	if err := dropForeignLog(o); err != nil {
		return err
	}
	return tighten(o, info)
}

// noDatabase is the refusal of whoever must not begin a new ledger: a database
// that was deleted would be replaced by an empty one, and nobody would know.
func noDatabase(path string) error {
	return model.Errorf(model.CodeNoWork, "there is no database at %s", path).
		WithHint("binnacle init makes a new one; binnacle ledger restore FILE brings a backup back")
}

// createFile makes the empty database file with its permissions; SQLite gives
// the same to its companions.
func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil // another process was faster
	}
	if err != nil {
		return sqlitefile.Explain("make the database", err)
	}
	return sqlitefile.Explain("make the database", f.Close())
}

// tighten takes the database away from other users, or says that it can't.
func tighten(o Options, info os.FileInfo) error {
	if info.Mode().Perm()&0o077 == 0 || o.ReadOnly {
		return nil
	}
	if err := os.Chmod(o.Path, 0o600); err != nil {
		say(o, "other users may read %s (mode %04o): %v", o.Path, info.Mode().Perm(), err)
		return nil
	}
	say(o, "%s had mode %04o; now 0600", o.Path, info.Mode().Perm())
	return nil
}

func (s *Store) startWriting(ctx context.Context) error {
	c, err := openWriter(ctx, s.opt)
	if err != nil {
		return err
	}
	if err := s.ready(ctx, c); err != nil {
		_ = c.close()
		return err
	}
	s.ground.noteLog()
	s.commits = newCommitter(c, s.opt.Clock, s.opt.BusyTimeout, s.ground.check, s.committed)
	return nil
}

// openWriter opens the write connection. Waiting for locks is the committer's,
// with its jittered pauses, so SQLite itself waits only while opening.
func openWriter(ctx context.Context, o Options) (*conn, error) {
	deadline := time.Now().Add(o.BusyTimeout)
	for tries := 0; ; tries++ {
		c, err := openWriterOnce(ctx, o)
		// Several that make an empty file a database get in each other's way, and
		// SQLite does not wait where waiting might be for each other.
		if again := sqlitefile.DeletedTwice(err) || sqlitefile.IsBusy(err); !again || time.Now().After(deadline) {
			return c, err
		}
		time.Sleep(backOff(tries))
	}
}

func openWriterOnce(ctx context.Context, o Options) (*conn, error) {
	c, err := openFor(ctx, o, dsn(o.Path, "mode=rw", "_txlock=immediate",
		fmt.Sprintf("_pragma=busy_timeout(%d)", o.BusyTimeout.Milliseconds()),
		"_pragma=synchronous(FULL)", cachePragma(writerCache),
		"_pragma=temp_store(MEMORY)", "_pragma=wal_autocheckpoint(2000)",
		fmt.Sprintf("_pragma=journal_size_limit(%d)", o.WALBound)))
	if err != nil {
		return nil, sqlitefile.Explain("open the database", err)
	}
	// Nothing is changed in a file that is not ours.
	if _, err = schemaOf(c); err == nil {
		err = sqlitefile.Explain("open the database", c.run(ctx, "PRAGMA journal_mode = WAL"))
	}
	if err == nil {
		err = sqlitefile.Explain("open the database", keepLog(c))
	}
	if err != nil {
		_ = c.close()
		return nil, err
	}
	return c, nil
}

// ready brings the schema up to date and reads the epoch.
func (s *Store) ready(ctx context.Context, c *conn) error {
	v, err := schemaOf(c)
	if err != nil {
		return err
	}
	var stale []string
	if v == Version {
		if stale, err = c.stale(); err != nil {
			return err
		}
	}
	if v < Version || len(stale) > 0 {
		if _, err := migrate(ctx, s.opt, migrations(), store.MigrateOptions{Keep: store.KeepBackups}); err != nil {
			return err
		}
	}
	if err := c.run(ctx, "PRAGMA busy_timeout = 0"); err != nil {
		return sqlitefile.Explain("open the database", err)
	}
	return s.readEpoch(c)
}

// readEpoch notes the epoch, which another process may have renewed. It runs in
// every read, so what Epoch says is never older than what a read has seen.
func (s *Store) readEpoch(c *conn) error {
	epoch := ""
	err := c.query(context.Background(), stmtEpoch, func(v []driver.Value) bool {
		epoch = store.AsText(v[0])
		return false
	})
	if err == nil && epoch == "" && !s.opt.Mend {
		return store.LostEpoch()
	}
	if old := s.epoch.Load(); err == nil && (old == nil || *old != epoch) {
		s.epoch.Store(&epoch)
	}
	return sqlitefile.Explain("read the ledger's epoch", err)
}

// committed is called by the committer after each commit.
func (s *Store) committed(t *txn) {
	if t.head.Seq != t.start.Seq {
		s.hub.publish(t.head)
	}
	for name := range t.notify {
		s.channels.Ring(name)
	}
	s.wal.after(s.commits.conn)
}

// Write implements Store.
func (s *Store) Write(ctx context.Context, fn func(tx store.Tx) error) error {
	if s.commits == nil {
		return s.refuse()
	}
	return s.commits.submit(ctx, &request{fn: fn})
}

// Append implements Store.
func (s *Store) Append(ctx context.Context, drafts []model.Draft) ([]model.Event, error) {
	if s.commits == nil {
		return nil, s.refuse()
	}
	if len(drafts) == 0 {
		return nil, nil
	}
	r := &request{drafts: drafts}
	if err := s.commits.submit(ctx, r); err != nil {
		return nil, err
	}
	return r.events, nil
}

func (s *Store) refuse() error {
	if s.noRoom != nil {
		return s.noRoom
	}
	return model.Errorf(model.CodeReadOnly, "the workspace was opened read-only").
		WithHint("open it without --read-only")
}

// Read implements Store.
func (s *Store) Read(ctx context.Context, fn func(r store.Reader) error) error {
	if err := s.ground.check(); err != nil {
		return err
	}
	if s.frozen.Load() {
		s.thaw()
	}
	err := s.readers.read(ctx, fn)
	if err != nil && ctx.Err() == nil {
		if gone := s.ground.check(); gone != nil {
			return gone // taken away while it was read: that is why
		}
	}
	return sqlitefile.Explain("read the database", err)
}

// Watch implements Store.
func (s *Store) Watch(ctx context.Context) <-chan model.Head {
	gone := s.ground.lost()
	return s.hub.watch(ctx, gone, func() (h model.Head, err error) {
		err = s.Read(ctx, func(r store.Reader) error {
			h, err = r.Head()
			return err
		})
		return h, err
	})
}

// Listen implements Store.
func (s *Store) Listen(ctx context.Context, channel string, ring func()) bool {
	return !s.opt.ReadOnly && s.channels.Listen(ctx, channel, ring)
}

// Changes implements Store.
func (s *Store) Changes() store.Changes {
	return store.Changes{All: s.hub.moves.Load(), Quiet: s.hub.quiet.Load()}
}

// Health implements Store.
func (s *Store) Health() store.Health {
	h := s.wal.health()
	h.Gone = s.ground.check()
	if s.noRoom != nil {
		h.LastError = s.noRoom.Error()
	}
	if s.commits != nil {
		h.Waiting = int(s.commits.waiting.Load())
		if e := s.commits.lastError.Load(); e != nil {
			h.LastError = *e
		}
	}
	return h
}

// Gone implements Store.
func (s *Store) Gone() <-chan struct{} { return s.ground.lost() }

// Epoch implements Store.
func (s *Store) Epoch() string { return *s.epoch.Load() }

// ReadOnly implements Store.
func (s *Store) ReadOnly() bool { return s.opt.ReadOnly }

// Parts implements Store.
func (s *Store) Parts() *store.Parts { return s.opt.Parts }

// Dir implements Copier.
func (s *Store) Dir() string { return filepath.Dir(s.opt.Path) }

// Close implements Store.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		s.ground.close()
		s.hub.close()
		s.channels.Close()
		s.stir.close()
		if s.commits != nil {
			s.commits.stop()
		}
		err := s.readers.drain()
		if s.commits != nil {
			// Closing the last connection checkpoints, too, but only the last.
			_ = s.commits.conn.run(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
			if e := s.commits.conn.close(); err == nil {
				err = e
			}
		}
		s.closeErr = sqlitefile.Explain("close the database", err)
	})
	return s.closeErr
}
