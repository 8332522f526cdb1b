package sqlite

import (
	"context"
	"database/sql/driver"

	"binnacle/backend/store"
	"binnacle/backend/store/segment"
	"binnacle/backend/store/sqlitefile"
	"binnacle/model"
)

// This file reads and changes what was sealed away: the rows that say so, and the
// files in the archive by way of package segment.

// ArchiveName is the folder with the segments' files, beside the database.
const ArchiveName = "archive"

func segmentOf(v []driver.Value) store.Segment {
	return store.Segment{
		First: store.AsInt(v[0]), Last: store.AsInt(v[1]), Prev: store.AsText(v[2]), Hash: store.AsText(v[3]),
		Begin: model.Time(store.AsInt(v[4])), End: model.Time(store.AsInt(v[5])),
		Bytes: store.AsInt(v[6]), SHA256: store.AsText(v[7]), Sealed: model.Time(store.AsInt(v[8])),
	}
}

func readSegments(ctx context.Context, c *conn) (all []store.Segment, err error) {
	err = c.query(ctx, stmtSegments, func(v []driver.Value) bool {
		all = append(all, segmentOf(v))
		return true
	})
	return all, err
}

// segmentAt is the newest segment that does not begin behind seq; the zero
// Segment when there is none.
func segmentAt(ctx context.Context, c *conn, seq int64) (s store.Segment, err error) {
	err = c.query(ctx, stmtSegmentOf, func(v []driver.Value) bool {
		s = segmentOf(v)
		return false
	}, seq)
	return s, err
}

func readOldest(ctx context.Context, c *conn) (seq int64, err error) {
	err = c.query(ctx, stmtOldest, func(v []driver.Value) bool {
		seq = store.AsInt(v[0])
		return false
	})
	if err != nil || seq != 0 {
		return seq, err
	}
	h, err := readHead(ctx, c)
	return h.Seq + 1, err
}

// readEvent reads one event, from its row or its segment.
func readEvent(ctx context.Context, c *conn, seq int64) (e model.Event, err error) {
	err = c.query(ctx, stmtEvent, func(v []driver.Value) bool {
		e = store.EventOf(v)
		return false
	}, seq)
	if err != nil || e.Seq != 0 {
		return e, err
	}
	some, err := c.sealedAfter(ctx, seq-1, 1)
	if err == nil && len(some) == 0 {
		err = store.NoEvent(seq)
	}
	if err != nil {
		return e, err
	}
	return some[0], nil
}

// readEvents reads the events behind after: rows where the next one is a row, else
// what the segment with it has. A segment's end ends the page.
func readEvents(ctx context.Context, c *conn, after int64, limit int) (out []model.Event, err error) {
	if limit <= 0 {
		return nil, nil
	}
	err = c.query(ctx, stmtEvents, func(v []driver.Value) bool {
		out = append(out, store.EventOf(v))
		return true
	}, after, int64(limit))
	return c.orSealed(ctx, out, err, after, limit)
}

// orSealed gives what a query of rows found, or sealed events where it left the
// next one out.
func (c *conn) orSealed(ctx context.Context, rows []model.Event, err error, after int64, limit int) ([]model.Event, error) {
	if err != nil || len(rows) > 0 && rows[0].Seq == after+1 {
		return rows, err
	}
	if some, err := c.sealedAfter(ctx, after, limit); err != nil || len(some) > 0 {
		return some, err
	}
	return rows, nil
}

// sealedAfter returns at most limit sealed events behind after, of one segment;
// none when the next event is not sealed.
func (c *conn) sealedAfter(ctx context.Context, after int64, limit int) ([]model.Event, error) {
	s, err := segmentAt(ctx, c, after+1)
	if err != nil || s.First == 0 || after < 0 || s.Last <= after {
		return nil, err
	}
	if c.archive == nil {
		return nil, model.Errorf(model.CodeInternal, "events are sealed, and this connection has no archive")
	}
	events, err := c.archive.Events(s, func() ([]byte, error) { return c.segmentFile(ctx, s.First) })
	if err != nil {
		return nil, err
	}
	// What is not shed yet is read as rows, which verify is to see.
	oldest, err := readOldest(ctx, c)
	if err != nil {
		return nil, err
	}
	end := min(int64(len(events)), oldest-s.First, after+1-s.First+int64(limit))
	return events[after+1-s.First : end : end], nil
}

// segmentFile is the file that a backup brought with it, nil for none.
func (c *conn) segmentFile(ctx context.Context, first int64) (file []byte, err error) {
	err = c.query(ctx, stmtSegmentFile, func(v []driver.Value) bool {
		file = append([]byte{}, store.AsBytes(v[0])...)
		return false
	}, first)
	return file, err
}

func (r reader) Segments() ([]store.Segment, error) {
	all, err := readSegments(r.ctx, r.c)
	return all, sqlitefile.Explain("read what was sealed", err)
}

func (r reader) Oldest() (int64, error) {
	seq, err := readOldest(context.Background(), r.c)
	return seq, sqlitefile.Explain("find the oldest event", err)
}

func (x tx) Segments() ([]store.Segment, error) {
	if err := x.ok(); err != nil {
		return nil, err
	}
	return reader{context.Background(), x.t.c}.Segments()
}

func (x tx) Oldest() (int64, error) {
	if err := x.ok(); err != nil {
		return 0, err
	}
	if err := x.t.show(touchEvents); err != nil {
		return 0, err
	}
	return reader{context.Background(), x.t.c}.Oldest()
}

func (x tx) Seal(s store.Segment) error {
	if err := x.ok(); err != nil {
		return err
	}
	before, err := segmentAt(context.Background(), x.t.c, x.t.head.Seq)
	if err != nil {
		return x.t.failed(err)
	}
	end := model.Head{Seq: before.Last, Hash: before.Hash}
	if s.First != end.Seq+1 || s.Prev != end.Prev() || s.Last < s.First || s.Last >= x.t.head.Seq {
		return model.Errorf(model.CodeStale, "events %d to %d can't be sealed: %d are sealed, and the newest is %d", s.First, s.Last, end.Seq, x.t.head.Seq)
	}
	last, err := x.Event(s.Last)
	if err != nil {
		return err
	}
	if last.Hash != s.Hash {
		return model.Errorf(model.CodeStale, "event %d is not the one that was to be sealed", s.Last)
	}
	if err := x.t.save(); err != nil {
		return err
	}
	return x.t.failed(x.t.c.exec(stmtAddSegment, s.First, s.Last, s.Prev, s.Hash, int64(s.Begin), int64(s.End), s.Bytes, s.SHA256, int64(s.Sealed)))
}

func (x tx) Shed(limit int) (int, error) {
	oldest, err := x.Oldest()
	if err != nil {
		return 0, err
	}
	s, err := segmentAt(context.Background(), x.t.c, x.t.head.Seq)
	if err != nil {
		return 0, x.t.failed(err)
	}
	upTo := min(s.Last+1, oldest+int64(limit))
	if upTo <= oldest {
		return 0, nil
	}
	if err := x.t.save(); err != nil {
		return 0, err
	}
	err = x.t.c.exec(stmtShedEvents, upTo)
	if err == nil {
		err = x.t.c.exec(stmtShedChecks, upTo, upTo)
	}
	if err != nil {
		return 0, x.t.failed(err)
	}
	return int(upTo - oldest), nil
}

// Own implements store.Archiver.
func (s *Store) Own() (release func(), err error) {
	if s.commits == nil {
		return nil, s.refuse()
	}
	return s.opt.archive.TryOwn()
}

// Keep implements store.Archiver.
func (s *Store) Keep(seg store.Segment, file []byte) error { return s.opt.archive.Keep(seg, file) }

// Unpacked implements store.Archiver.
func (s *Store) Unpacked(ctx context.Context, seg store.Segment) (events []model.Event, err error) {
	err = s.Read(ctx, func(r store.Reader) error {
		c := r.(reader).c
		events, err = s.opt.archive.Events(seg, func() ([]byte, error) { return c.segmentFile(ctx, seg.First) })
		return err
	})
	return events, err
}

// Strays implements store.Archiver.
func (s *Store) Strays(ctx context.Context) (strays []string, err error) {
	all, err := s.segments(ctx)
	if err != nil {
		return nil, err
	}
	return s.opt.archive.Strays(all)
}

func (s *Store) segments(ctx context.Context) (all []store.Segment, err error) {
	err = s.Read(ctx, func(r store.Reader) error {
		all, err = r.Segments()
		return err
	})
	return all, err
}

// Tidy implements store.Archiver.
func (s *Store) Tidy(ctx context.Context) error {
	all, err := s.segments(ctx)
	if err != nil {
		return err
	}
	wrong, err := s.opt.archive.Strays(all)
	if err != nil {
		return err
	}
	brought := map[int64][]byte{}
	for _, seg := range all {
		err := s.Read(ctx, func(r store.Reader) error {
			file, err := r.(reader).c.segmentFile(ctx, seg.First)
			if file != nil {
				brought[seg.First] = file
			}
			return err
		})
		if err != nil {
			return err
		}
		if brought[seg.First] == nil {
			continue
		}
		differs, err := s.opt.archive.Differs(seg)
		if err != nil {
			return err
		}
		if differs {
			wrong = append(wrong, segment.Name(seg))
		}
	}
	if len(wrong) > 0 {
		to, err := s.opt.archive.PutAside(s.opt.Clock.Now(), wrong...)
		if err != nil {
			return err
		}
		say(s.opt, "segments that this ledger does not have were moved to %s", to)
	}
	for _, seg := range all {
		if file := brought[seg.First]; file != nil {
			if err := s.unpack(ctx, seg, file); err != nil {
				return err
			}
		}
	}
	return nil
}

// unpack moves a file that a backup brought into the archive.
func (s *Store) unpack(ctx context.Context, seg store.Segment, file []byte) error {
	if err := s.Keep(seg, file); err != nil {
		return err
	}
	return s.Write(ctx, func(tx store.Tx) error {
		_, err := tx.Exec(`DELETE FROM segment_files WHERE first = $1`, seg.First)
		return err
	})
}

// unpackRestored puts what a backup brought of sealed events into the archive,
// where there is something, or was.
func (s *Store) unpackRestored(ctx context.Context) error {
	all, err := s.segments(ctx)
	if err != nil || len(all) == 0 && !s.opt.archive.There() {
		return err
	}
	release, err := s.opt.archive.Own(ctx)
	if err != nil {
		return err
	}
	defer release()
	return s.Tidy(ctx)
}

// packInto puts the segments' files into a copy of the database, so that the copy
// is whole by itself.
func packInto(ctx context.Context, copied string, from *segment.Folder) error {
	c, err := openConn(ctx, nil, dsn(copied, "mode=rw"))
	if err != nil {
		return sqlitefile.Explain("write the backup", err)
	}
	defer func() { _ = c.close() }()
	v, err := pragmaInt(c, stmtUserVersion)
	if err != nil || v < 3 {
		return sqlitefile.Explain("write the backup", err) // a schema that seals nothing
	}
	all, err := readSegments(ctx, c)
	if err != nil {
		return sqlitefile.Explain("write the backup", err)
	}
	for _, s := range all {
		have, err := c.segmentFile(ctx, s.First)
		if err == nil && have == nil {
			if have, err = from.File(s); err == nil {
				err = c.run(ctx, `INSERT INTO segment_files (first, file) VALUES ($1, $2)`, s.First, have)
			}
		}
		if err != nil {
			return sqlitefile.Explain("write the backup", err)
		}
	}
	return nil
}
