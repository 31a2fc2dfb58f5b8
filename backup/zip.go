package backup

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold"
)

// zipPlace is where the files of cursor-history's backups belong: they have the
// names that they have in Cursor's User folder.
const zipPlace = "cursor/user"

// A zipFile is a backup that cursor-history made (manifest 1.0.0): every entry is
// stored as it is, so that a database in it can be read where it lies.
type zipFile struct {
	r  io.ReaderAt
	at map[string]int64 // by File.Path
}

func (z *zipFile) content(f *File) io.ReaderAt {
	return io.NewSectionReader(z.r, z.at[f.Path], f.Size)
}

// Foreign reports that another program made the backup, so that there is no
// library of retold's in it.
func (a *Archive) Foreign() bool { return a.zip != nil }

// zipMagic begins a zip file that is not empty.
const zipMagic = "PK\x03\x04"

// IsZip reports whether a file begins as a zip does.
func IsZip(path string) (bool, error) {
	v, err := openVolume(path)
	if err != nil {
		return false, err
	}
	head := make([]byte, len(zipMagic))
	n, err := v.file.ReadAt(head, 0)
	if err == io.EOF { //nolint:errorlint // a ReaderAt returns it as it is
		err = nil
	}
	return string(head[:n]) == zipMagic, errors.Join(err, v.file.Close())
}

// zipManifest is what cursor-history writes.
type zipManifest struct {
	Version   string    `json:"version"`
	CreatedAt time.Time `json:"createdAt"`
	Platform  string    `json:"sourcePlatform"`
	Producer  string    `json:"producer"`
	Files     []struct {
		Path     string `json:"path"`
		Size     int64  `json:"size"`
		Checksum string `json:"checksum"` // "sha256:" and hex
		Type     string `json:"type"`     // "global-db", "workspace-db", "workspace-json"
	} `json:"files"`
	Stats struct {
		SessionCount int `json:"sessionCount"`
	} `json:"stats"`
}

// maxZipManifest is the limit of the program that writes them.
const maxZipManifest = 16 << 20

func (a *Archive) openZip(v *volume) error {
	r, err := zip.NewReader(v.r, v.size)
	if err != nil {
		return invalid("zip: %v", err)
	}
	entries := map[string]*zip.File{}
	for _, e := range r.File {
		if entries[fold(e.Name)] != nil {
			return invalid("%s is in it twice", e.Name)
		}
		entries[fold(e.Name)] = e
	}
	m, err := readZipManifest(entries["manifest.json"])
	if err != nil {
		return err
	}
	a.zip = &zipFile{v.r, map[string]int64{}}
	a.Manifest = &Manifest{
		Version: m.Version, CreatedAt: m.CreatedAt.UTC(), Producer: "cursor-history " + m.Producer, Platform: m.Platform,
		Places: []Place{{Name: zipPlace, Agent: "cursor", Kind: "user"}}, Sessions: []Session{}, Skipped: []Skipped{}, Excluded: []Excluded{},
	}
	a.Manifest.Stats.SessionCount = m.Stats.SessionCount
	for _, f := range m.Files {
		e := entries[fold(f.Path)]
		if e == nil {
			return invalid("%s is in its manifest and not in it", f.Path)
		}
		out := File{Path: zipPlace + "/" + f.Path, Kind: retold.PieceFile, Size: f.Size, ModTime: m.CreatedAt.UTC()}
		if strings.HasSuffix(f.Type, "-db") {
			out.Kind = retold.PieceDatabase
		}
		if err := a.zip.place(e, &out, f.Checksum); err != nil {
			return err
		}
		a.Manifest.Files = append(a.Manifest.Files, out)
		a.Manifest.Stats.FileSize += out.Size
	}
	if err := a.zip.apart(a.Manifest.Files); err != nil {
		return err
	}
	return a.checkNames()
}

func readZipManifest(e *zip.File) (*zipManifest, error) {
	if e == nil {
		return nil, invalid("a zip without a manifest.json: no backup")
	}
	f, err := e.Open()
	if err != nil {
		return nil, invalid("manifest.json: %v", err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxZipManifest+1))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil || len(text) > maxZipManifest {
		return nil, invalid("manifest.json: %d bytes and no end, or damaged (%v)", len(text), err)
	}
	m := &zipManifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, invalid("manifest.json: %v", err)
	}
	if major, _, _ := strings.Cut(m.Version, "."); major != "1" {
		return nil, invalid("its manifest is of version %q, and of zip files this retold reads 1", m.Version)
	}
	return m, nil
}

// place finds where an entry's bytes lie.
func (z *zipFile) place(e *zip.File, f *File, checksum string) error {
	offset, err := e.DataOffset()
	switch {
	case err != nil:
		return invalid("%s: %v", e.Name, err)
	case e.Method != zip.Store || e.Flags&1 != 0:
		return invalid("%s is packed in a way that cursor-history does not use", e.Name)
	case f.Size < 0 || e.UncompressedSize64 != uint64(f.Size) || e.CompressedSize64 != uint64(f.Size):
		return invalid("%s has %d bytes, its manifest says %d", e.Name, e.UncompressedSize64, f.Size)
	case !e.Mode().IsRegular():
		return invalid("%s is no regular file", e.Name)
	}
	hex, ok := strings.CutPrefix(checksum, "sha256:")
	if !ok {
		return invalid("%s has the checksum %q", e.Name, checksum)
	}
	if err := f.SHA256.UnmarshalText([]byte(hex)); err != nil {
		return invalid("%s: %v", e.Name, err)
	}
	z.at[f.Path] = offset
	return nil
}

// apart makes sure that no two entries share bytes, by which a small file could
// hold much.
func (z *zipFile) apart(files []File) error {
	sorted := slices.Clone(files)
	slices.SortFunc(sorted, func(a, b File) int { return int(min(max(z.at[a.Path]-z.at[b.Path], -1), 1)) })
	for i := 1; i < len(sorted); i++ {
		if z.at[sorted[i-1].Path]+sorted[i-1].Size > z.at[sorted[i].Path] {
			return invalid("%s and %s share bytes", sorted[i-1].Path, sorted[i].Path)
		}
	}
	return nil
}

// checkStored hashes a file of a zip.
func (a *Archive) checkStored(ctx context.Context, f *File, progress func(int64)) (*Fault, error) {
	whole := sha256.New()
	r := io.NewSectionReader(a.Content(f), 0, f.Size)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := io.CopyN(whole, r, 1<<20)
		if progress != nil {
			progress(n)
		}
		if err == io.EOF { //nolint:errorlint // CopyN returns it as it is
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", f.Path, err)
		}
	}
	if Sum(whole.Sum(nil)) != f.SHA256 {
		return &Fault{f.Path, "the bytes are not those that were written (sha256)"}, nil
	}
	return nil, nil
}
