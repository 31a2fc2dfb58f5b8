package backup

import (
	"context"
	"io"
)

// A zipFile is a backup that cursor-history made.
type zipFile struct{ at map[string]int64 }

func (z *zipFile) content(f *File) io.ReaderAt { return nil }

func (a *Archive) openZip(v *volume) error { return invalid("zip") }

func (a *Archive) checkStored(ctx context.Context, f *File, progress func(int64)) (*Fault, error) {
	return nil, nil
}

// Foreign reports that another program made the backup, so that there is no
// library of retold's in it.
func (a *Archive) Foreign() bool { return a.zip != nil }
