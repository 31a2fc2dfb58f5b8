package sqlite

import "encoding/binary"

// A location says where a document of the index lies: message n of a page, or
// the title of a session. Zero is a document that is no longer there.
type location uint64

const (
	titleBit  location = 1 << 63
	placeBits          = 16 // of the message's place in its page
	blockSize          = 256
	// maxPageMessages keeps places within placeBits.
	maxPageMessages = 1 << 12
)

func messageLocation(page int64, n int) location { return location(page)<<placeBits | location(n) }
func titleLocation(session int64) location       { return titleBit | location(session) }

func (l location) title() (session int64, ok bool) { return int64(l &^ titleBit), l&titleBit != 0 }
func (l location) message() (page int64, n int) {
	return int64(l >> placeBits), int(l & (1<<placeBits - 1))
}

// A docBlock is the locations of 256 documents that follow one another.
type docBlock [blockSize]location

func (b *docBlock) empty() bool { return *b == docBlock{} }

func (b *docBlock) encode() []byte {
	n := blockSize
	for n > 0 && b[n-1] == 0 {
		n--
	}
	out := make([]byte, 0, 8*n)
	for _, l := range b[:n] {
		out = binary.LittleEndian.AppendUint64(out, uint64(l))
	}
	return out
}

func decodeDocBlock(data []byte) (*docBlock, error) {
	if len(data) > 8*blockSize || len(data)%8 != 0 {
		return nil, errDamaged
	}
	b := new(docBlock)
	for i := 0; i*8 < len(data); i++ {
		b[i] = location(binary.LittleEndian.Uint64(data[i*8:]))
	}
	return b, nil
}

// docBlock reads one row of the map.
func (c *conn) docBlock(n uint32) (*docBlock, error) {
	data, err := c.blob("SELECT data FROM docs WHERE block = ?", n)
	if err != nil {
		return nil, err
	}
	return decodeDocBlock(data)
}

// place remembers where a document lies; with location 0 that it is gone. The
// writer's lock is held.
func (w *Writer) place(doc uint32, l location) error {
	n := doc / blockSize
	b := w.blocks[n]
	if b == nil {
		var err error
		if b, err = w.c.docBlock(n); err != nil {
			return err
		}
		w.blocks[n] = b
	}
	b[doc%blockSize] = l
	return nil
}

// writeBlocks writes the rows of the map that changed. A row that holds nothing
// any more is removed, so that a message rewritten a thousand times leaves
// nothing behind.
func (w *Writer) writeBlocks() error {
	for n, b := range w.blocks {
		var err error
		if b.empty() {
			err = w.c.run("DELETE FROM docs WHERE block = ?", nil, n)
		} else {
			err = w.c.run("INSERT OR REPLACE INTO docs VALUES (?, ?)", nil, n, b.encode())
		}
		if err != nil {
			return err
		}
	}
	clear(w.blocks)
	return nil
}
