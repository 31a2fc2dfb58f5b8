package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/retold-history/retold"
)

const (
	packFolder = "packs"
	packExt    = ".pack"
	// packSize is where the next pack begins: what an interruption may cost.
	packSize = 64 << 20
)

// OpenRepository begins a backup in a folder, which is made if need be: chunks
// that are in a pack there already are not stored again. Packs are never changed
// nor removed, each has a name of its own, and a backup counts only when its
// manifest takes its name at the end: so several may be written at once, a
// removed one takes nothing from the others, and one that was interrupted leaves
// its full packs to the next. now names the backup.
func OpenRepository(ctx context.Context, dir string, now time.Time, o Options) (*Writer, error) {
	if len(o.Recipients) > 0 {
		return nil, &retold.Error{Code: retold.CodeUsage, Op: "write backup", Path: dir, Hint: "name a file instead of a folder", Err: errors.New("a folder of shared chunks cannot be encrypted")}
	}
	if err := os.MkdirAll(filepath.Join(dir, packFolder), 0o700); err != nil {
		return nil, failed(err)
	}
	d, err := newDesk(dir)
	if err != nil {
		return nil, failed(err)
	}
	s := &packSink{desk: d, claims: claims{have: map[Sum]bool{}}, dir: dir, now: now, shared: o.Shared, pack: map[Sum]string{}}
	if s.z, err = packer(); err == nil {
		err = s.learn(ctx)
	}
	if err != nil {
		return nil, errors.Join(failed(err), d.clear())
	}
	return newWriter(d, s, o)
}

// learn finds the chunks that are there already.
func (s *packSink) learn(ctx context.Context) error {
	names, err := packNames(s.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		entries, err := packIndex(filepath.Join(s.dir, packFolder, name))
		if errors.Is(err, errInvalid) {
			continue // verify tells of it; what it held is stored anew
		}
		if err != nil {
			return err
		}
		for _, e := range entries {
			s.have[e.sum], s.pack[e.sum] = true, name
		}
	}
	return nil
}

func packNames(dir string) (names []string, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, packFolder))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if validPack(e.Name()) && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// validPack keeps a manifest from naming files elsewhere.
func validPack(name string) bool {
	base, ok := strings.CutSuffix(name, packExt)
	return ok && len(base) == 16 && strings.Trim(base, "0123456789abcdef") == ""
}

func packIndex(path string) (list []entry, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	_, list, err = readEnd(f, info.Size())
	return list, err
}

// A packSink keeps chunks in the packs of a repository.
type packSink struct {
	claims
	desk   *desk
	dir    string
	now    time.Time
	shared bool
	z      *zstd.Encoder
	open   *container
	name   string         // of the open pack
	pack   map[Sum]string // where the chunks are that were there before
	size   int64
}

func (s *packSink) store(f frame, payload []byte) (err error) {
	if s.open == nil {
		s.name = random() + packExt
		if s.open, err = s.desk.container(s.shared, nil); err != nil {
			return err
		}
	}
	if err := s.open.chunk(f, payload); err != nil {
		return err
	}
	s.pack[f.sum] = s.name
	if s.open.at >= packSize {
		return s.seal()
	}
	return nil
}

// seal ends the open pack, if there is one.
func (s *packSink) seal() error {
	c := s.open
	if c == nil {
		return nil
	}
	s.open = nil
	if err := c.finish(s.z, nil); err != nil {
		return errors.Join(err, c.drop())
	}
	n, err := c.place(filepath.Join(s.dir, packFolder, s.name), false)
	s.size += n
	return err
}

func (s *packSink) written() int64 { return s.size }

func (s *packSink) finish(z *zstd.Encoder, m *Manifest) (string, error) {
	if err := s.seal(); err != nil {
		return "", err
	}
	needed := map[string]bool{}
	for _, f := range m.Files {
		for _, c := range f.Chunks {
			name, ok := s.pack[c]
			if !ok {
				return "", fmt.Errorf("chunk %s of %s was not stored", c, f.Path)
			}
			needed[name] = true
		}
	}
	m.Packs = slices.Sorted(maps.Keys(needed))
	manifest, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	stamp := s.now.UTC().Format("2006-01-02T15-04-05")
	for n := 1; ; n++ {
		path := filepath.Join(s.dir, stamp+Ext)
		if n > 1 {
			path = filepath.Join(s.dir, fmt.Sprintf("%s-%d%s", stamp, n, Ext))
		}
		c, err := s.desk.container(s.shared, nil)
		if err != nil {
			return "", err
		}
		if err := c.finish(z, manifest); err != nil {
			return "", errors.Join(err, c.drop())
		}
		size, err := c.place(path, false)
		if errors.Is(err, fs.ErrExist) && n < 1000 {
			continue
		}
		s.size += size
		return path, errors.Join(err, s.z.Close())
	}
}

// abort keeps what is stored: the next backup finds it.
func (s *packSink) abort() error { return errors.Join(s.seal(), s.z.Close()) }
