package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"filippo.io/age"

	"github.com/retold-history/retold"
)

// OpenOptions say how to read a backup.
type OpenOptions struct {
	// Identities are asked for when the file is encrypted; nil: that is an error.
	Identities func() ([]age.Identity, error)
}

// An Archive is a backup open for reading. It is safe for concurrent use. Close
// it.
type Archive struct {
	Path      string
	Manifest  *Manifest
	Encrypted bool

	files   map[string]*File
	volumes []*volume
	chunks  map[Sum]place
	missing []string // packs that are not there, or not whole
	cache   cache
	ahead   ahead
	mount   mount
	zip     *zipFile // of a backup made by cursor-history

	scratches sync.Pool // of *scratch
	checked   sums      // chunks that were read and are whole
	checks    checks    // files that are being verified
}

// A volume is a file that holds frames.
type volume struct {
	path   string
	file   *os.File
	r      io.ReaderAt // what is in it, decrypted
	size   int64
	tail   tail
	index  []entry
	closed bool
}

type place struct {
	volume int
	entry
}

// Open opens a backup and reads its manifest. What is wrong with it is a
// *retold.Error with CodeInvalidBackup; a file that is not there one with
// CodeDatabaseNotFound. Packs that a backup in a repository needs and that are
// missing are told by the files they were for.
func Open(ctx context.Context, path string, o OpenOptions) (*Archive, error) {
	a, err := open(ctx, path, o)
	if errors.Is(err, os.ErrNotExist) {
		err = &retold.Error{Code: retold.CodeDatabaseNotFound, Op: "read backup", Path: path, Hint: "retold backups DIR lists what there is", Err: errors.New("no such file")}
	}
	if retold.CodeOf(err) == "" && errors.Is(err, errInvalid) { // no part of it can be told from another
		err = &retold.Error{Code: retold.CodeInvalidBackup, Op: "read backup", Path: path, Hint: "take another one: `retold backups " + filepath.Dir(path) + "` lists what lies beside it", Err: err}
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

func open(ctx context.Context, path string, o OpenOptions) (_ *Archive, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a := &Archive{Path: path, files: map[string]*File{}, chunks: map[Sum]place{}}
	a.cache.limit = cacheSize
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	v, err := openVolume(path)
	if err != nil {
		return nil, err
	}
	a.volumes = append(a.volumes, v)
	var head [20]byte
	if err := readFull(v.r, head[:], 0); err != nil {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head[:], []byte(zipMagic)):
		err = a.openZip(v)
		return a, err
	case bytes.HasPrefix(head[:], []byte("age-encryption.org/")):
		a.Encrypted = true
		if err := v.decrypt(o); err != nil {
			return nil, err
		}
	}
	if err := a.load(v); err != nil {
		return nil, err
	}
	return a, a.openPacks(ctx)
}

func openVolume(path string) (*volume, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &retold.Error{Code: retold.CodeInvalidBackup, Op: "read backup", Path: path, Hint: "`retold backups " + path + "` lists those in it", Err: errors.New("it is a folder, and no backup")}
	}
	if !info.Mode().IsRegular() {
		return nil, invalid("it is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &volume{path: path, file: f, r: f, size: info.Size()}, nil
}

func (v *volume) decrypt(o OpenOptions) error {
	if o.Identities == nil {
		return &retold.Error{Code: retold.CodeUsage, Op: "read backup", Path: v.path, Hint: "name the key with --identity FILE, or give the passphrase: RETOLD_PASSPHRASE holds it, and at a terminal you are asked", Err: errors.New("it is encrypted")}
	}
	ids, err := o.Identities()
	if err != nil {
		return err
	}
	r, size, err := age.DecryptReaderAt(v.file, v.size, ids...)
	if _, wrong := errors.AsType[*age.NoIdentityMatchError](err); wrong {
		return &retold.Error{Code: retold.CodeUsage, Op: "read backup", Path: v.path, Hint: "try another key or passphrase", Err: errors.New("none of the keys given opens it")}
	}
	if err != nil {
		return invalid("decrypt: %v", err)
	}
	v.r, v.size = &sealed{r}, size
	return nil
}

// A sealed reader calls bytes damaged that age does not know as its own.
type sealed struct{ io.ReaderAt }

func (s *sealed) ReadAt(p []byte, off int64) (int, error) {
	n, err := s.ReaderAt.ReadAt(p, off)
	if _, system := errors.AsType[*fs.PathError](err); err == nil || errors.Is(err, io.EOF) || system {
		return n, err
	}
	return n, invalid("decrypt: %v", err)
}

// readEnd reads tail and index of a container, whose manifest it leaves alone
// unless there is one.
func readEnd(r io.ReaderAt, size int64) (t tail, index []entry, err error) {
	t, index, _, err = readMeta(r, size)
	return t, index, err
}

func readMeta(r io.ReaderAt, size int64) (t tail, index []entry, manifest []byte, err error) {
	if size < headSize+frameSize+tailSize {
		return t, nil, nil, invalid("a file of %d bytes", size)
	}
	var head [headSize]byte
	if err := readFull(r, head[:], 0); err != nil {
		return t, nil, nil, err
	}
	if err := checkHead(head[:]); err != nil {
		return t, nil, nil, err
	}
	var end [tailSize]byte
	if err := readFull(r, end[:], size-tailSize); err != nil {
		return t, nil, nil, err
	}
	if t, err = decodeTail(end[:], size); err != nil {
		return t, nil, nil, err
	}
	framesEnd := t.index
	var sum Sum
	if t.manifest > 0 {
		f, payload, err := readFrame(r, t.manifest, t.index, &scratch{})
		if err != nil {
			return t, nil, nil, err
		}
		if f.kind != kindManifest || t.manifest+frameSize+f.stored != t.index {
			return t, nil, nil, invalid("where its manifest should be is something else")
		}
		framesEnd, manifest, sum = t.manifest, payload, f.sum
	}
	f, payload, err := readFrame(r, t.index, size-tailSize, &scratch{})
	if err != nil {
		return t, nil, nil, err
	}
	if f.kind != kindIndex || t.index+frameSize+f.stored != size-tailSize {
		return t, nil, nil, invalid("where its index should be is something else")
	}
	if t.seal(sum, f.sum) != t.sum {
		return t, nil, nil, invalid("its last bytes do not fit to the rest")
	}
	index, err = decodeIndex(payload, framesEnd)
	return t, index, manifest, err
}

// load reads the manifest.
func (a *Archive) load(v *volume) error {
	t, index, manifest, err := readMeta(v.r, v.size)
	if err != nil {
		return err
	}
	if manifest == nil {
		return invalid("it is a pack of a repository; the backups lie in the folder above")
	}
	v.tail, v.index = t, index
	a.learn(0)
	if n := bytes.Count(manifest, []byte("{")); n > maxObjects {
		return invalid("a manifest of %d objects", n)
	}
	a.Manifest = &Manifest{}
	if err := json.Unmarshal(manifest, a.Manifest); err != nil {
		return invalid("its manifest: %v", err)
	}
	return a.checkManifest()
}

func (a *Archive) learn(n int) {
	for _, e := range a.volumes[n].index {
		if _, known := a.chunks[e.sum]; !known {
			a.chunks[e.sum] = place{n, e}
		}
	}
}

func (a *Archive) checkManifest() error {
	m := a.Manifest
	major, _, _ := strings.Cut(m.Version, ".")
	if n, err := strconv.Atoi(major); err == nil && n > 2 {
		return &retold.Error{
			Code: retold.CodeInvalidBackup, Op: "read backup", Path: a.Path, Hint: "get the newest retold, and try again",
			Err: fmt.Errorf("a newer retold made it: its manifest is of version %q, and this one reads 2", m.Version),
		}
	}
	if major != "2" {
		return invalid("its manifest is of version %q, and this retold reads 2", m.Version)
	}
	for i := range m.Files {
		f := &m.Files[i]
		if f.Size < 0 || f.ChunkSize <= 0 && f.Size > 0 || f.ChunkSize > maxChunk || chunksOf(f.Size, f.ChunkSize) != int64(len(f.Chunks)) {
			return invalid("%s: %d bytes in %d chunks of %d", f.Path, f.Size, len(f.Chunks), f.ChunkSize)
		}
	}
	for _, p := range m.Packs {
		if !validPack(p) {
			return invalid("a pack with the name %q", p)
		}
	}
	for _, p := range m.Places {
		if err := CheckName(p.Name); err != nil {
			return err
		}
	}
	return a.checkNames()
}

// checkNames makes sure that every file can be unpacked under its name, on any
// system, and fills in a.files.
func (a *Archive) checkNames() error {
	names := map[string]bool{}
	for i := range a.Manifest.Files {
		f := &a.Manifest.Files[i]
		if err := CheckName(f.Path); err != nil {
			return err
		}
		if names[fold(f.Path)] {
			return invalid("%s is in it twice", f.Path)
		}
		names[fold(f.Path)] = true
		a.files[f.Path] = f
	}
	for name := range names { // a file where another needs a folder
		for dir := parent(name); dir != ""; dir = parent(dir) {
			if names[dir] {
				return invalid("%s is a file and a folder in it", dir)
			}
		}
	}
	return nil
}

func parent(name string) string {
	i := strings.LastIndexByte(name, '/')
	return name[:max(i, 0)]
}

// chunksOf is how many chunks a file of size bytes has.
func chunksOf(size, chunk int64) int64 {
	if size == 0 {
		return 0
	}
	return (size-1)/chunk + 1
}

// openPacks opens the packs that a backup in a repository needs.
func (a *Archive) openPacks(ctx context.Context) error {
	for _, name := range a.Manifest.Packs {
		if err := ctx.Err(); err != nil {
			return err
		}
		v, err := openVolume(filepath.Join(filepath.Dir(a.Path), packFolder, name))
		if err == nil {
			a.volumes = append(a.volumes, v)
			v.tail, v.index, err = readEnd(v.r, v.size)
		}
		switch {
		case errors.Is(err, os.ErrNotExist):
			a.missing = append(a.missing, packFolder+"/"+name+": it is not there")
		case errors.Is(err, errInvalid):
			a.missing = append(a.missing, packFolder+"/"+name+": "+err.Error())
		case err != nil:
			return err
		default:
			a.learn(len(a.volumes) - 1)
		}
	}
	return nil
}

// Close closes the files. It may be called twice.
func (a *Archive) Close() error {
	a.ahead.group.Wait()
	err := a.mount.close()
	for _, v := range a.volumes {
		if !v.closed {
			v.closed = true
			err = errors.Join(err, v.file.Close())
		}
	}
	return err
}

// Lookup returns a file of the backup; fs.ErrNotExist when it has none of that
// name.
func (a *Archive) Lookup(name string) (*File, error) {
	if f := a.files[name]; f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("%s: %w", name, os.ErrNotExist)
}
