package index

import (
	"context"
	"encoding/binary"
	"fmt"
)

// Every message has a filter of its joints: words of 64 bits, of which a joint
// names one and in that four bits; all four are set when the message has the
// joint, and seldom else. How many words a filter has is the message's class, for
// which the columns have room. For each class its filters' first words follow
// each other, message by message, then their second words, and so on, so that a
// joint is looked up in all messages of a class with one row of words.

// classWords is how many words a filter of a class has. Of class 0 are messages
// whose joints are not known: very many, or of a segment of format 1.
var classWords = [...]int{-1, 0, 1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 724, 1024}

const (
	jointClasses = len(classWords)
	jointFill    = 16   // joints for each word of a tool's filter
	saidFill     = 7    // and for those of others, who are looked at first
	jointRow     = 4000 // bytes of words in a row, if a class has not more messages
)

// classOf returns the smallest class whose filters take n joints, fill of them to
// a word.
func classOf(n, fill int) uint8 {
	for class := 1; class < jointClasses; class++ {
		if n <= classWords[class]*fill {
			return uint8(class)
		}
	}
	return 0
}

// jointBits returns which of a filter's words a joint names, and its bits there.
func jointBits(h uint64, words int) (word int, set uint64) {
	word = int(h >> 32 * uint64(words) >> 32)
	return word, 1<<(h>>1&63) | 1<<(h>>7&63) | 1<<(h>>13&63) | 1<<(h>>19&63)
}

// appendFilter appends the filter of joints and returns its class.
func appendFilter(dst []uint64, joints []uint64, fill int) ([]uint64, uint8) {
	class := classOf(len(joints), fill)
	words := max(classWords[class], 0)
	from := len(dst)
	for range words {
		dst = append(dst, 0)
	}
	filter := dst[from:]
	for _, h := range joints[:min(len(joints), words*fill)] {
		word, set := jointBits(h, words)
		filter[word] |= set
	}
	return dst, class
}

// jointShape returns how many of a class's words, each of n messages, are in a
// row, and how many rows that makes.
func jointShape(class, n int) (inRow, rows int) {
	words := classWords[class]
	if n == 0 || words <= 0 {
		return 1, 0
	}
	inRow = max(1, jointRow/(8*n))
	return inRow, (words + inRow - 1) / inRow
}

// writeJoints emits the filters of docs, in order of doc; load returns word n of
// the filter of the kth doc of a class. It returns what the directory says: how
// many docs are of each class but 0.
func writeJoints(w *writer, docs []docFacts, load func(class int) (func(k, n int) uint64, error)) (head []byte, err error) {
	var count [jointClasses]int
	for i := range docs {
		count[docs[i].joints]++
	}
	for class := 1; class < jointClasses; class++ {
		n := count[class]
		head = binary.AppendUvarint(head, uint64(n))
		inRow, rows := jointShape(class, n)
		if rows == 0 {
			continue
		}
		word, err := load(class)
		if err != nil {
			return nil, err
		}
		for at := 0; at < classWords[class]; at += inRow {
			end := min(at+inRow, classWords[class])
			row := make([]byte, 0, 8*n*(end-at))
			for one := at; one < end; one++ {
				for k := range n {
					row = binary.LittleEndian.AppendUint64(row, word(k, one))
				}
			}
			if err := w.row(row, true); err != nil {
				return nil, err
			}
		}
	}
	return head, nil
}

// A jointClass is where a segment has the filters of a class.
type jointClass struct {
	docs, row int // how many, and the first row
	inRow     int
}

// openJoints reads what writeJoints returned; the filters are in rows from next
// on.
func (r *Reader) openJoints(d *decoder, next int) (end int) {
	left := r.docs
	for class := 1; class < jointClasses; class++ {
		c := &r.joints[class]
		c.docs = d.count(left)
		left -= c.docs
		inRow, rows := jointShape(class, c.docs)
		c.row, c.inRow = next, inRow
		next += rows
	}
	return next
}

// jointWord returns one word of the filters of all docs of a class, 8 bytes each.
func (r *Reader) jointWord(class, word int) ([]byte, error) {
	c := &r.joints[class]
	row, err := r.row(c.row + word/c.inRow)
	if err != nil {
		return nil, err
	}
	size := 8 * c.docs
	from := word % c.inRow * size
	if words := min(c.inRow, classWords[class]-word/c.inRow*c.inRow); len(row) != words*size {
		return nil, fmt.Errorf("joints of %d bytes: %w", len(row), ErrDamaged)
	}
	return row[from : from+size], nil
}

// ranked is a doc with its rank among those of its class.
type ranked struct{ at, rank int }

// joined returns those of docs that may have all of the joints.
func (r *Reader) joined(ctx context.Context, joints []uint64, docs bitset) (bitset, error) {
	docs = docs.clone()
	if len(joints) == 0 || r.former || docs.empty() {
		return docs, nil
	}
	classes, err := r.byClass(ctx, docs)
	if err != nil {
		return nil, err
	}
	for class := 1; class < jointClasses; class++ {
		list := classes[class]
		if len(list) > 0 && classWords[class] == 0 {
			drop(docs, list)
			continue
		}
		for _, h := range joints {
			if len(list) == 0 {
				break
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if list, err = r.dropWithout(h, class, docs, list); err != nil {
				return nil, err
			}
		}
	}
	return docs, nil
}

func drop(docs bitset, list []ranked) {
	for _, d := range list {
		docs.drop(d.at)
	}
}

// dropWithout drops the docs of a class that do not have a joint, and returns the
// others.
func (r *Reader) dropWithout(h uint64, class int, docs bitset, list []ranked) ([]ranked, error) {
	at, set := jointBits(h, classWords[class])
	words, err := r.jointWord(class, at)
	if err != nil {
		return nil, err
	}
	left := list[:0]
	for _, d := range list {
		if 8*d.rank >= len(words) {
			return nil, fmt.Errorf("joints of doc %d of %d: %w", d.rank, len(words)/8, ErrDamaged)
		}
		if binary.LittleEndian.Uint64(words[8*d.rank:])&set == set {
			left = append(left, d)
		} else {
			docs.drop(d.at)
		}
	}
	return left, nil
}

// byClass returns docs by their class.
func (r *Reader) byClass(ctx context.Context, docs bitset) (classes [jointClasses][]ranked, err error) {
	var rank [jointClasses]int
	err = r.eachColumns(ctx, func(base int, c *columns) {
		for i := range c.n {
			class := c.joints(i)
			if docs.has(base + i) {
				classes[class] = append(classes[class], ranked{base + i, rank[class]})
			}
			rank[class]++
		}
	})
	return classes, err
}

// jointsOf returns all filters of a class, word by word, and by ordinal the rank
// of its docs.
func (r *Reader) jointsOf(ctx context.Context, class int) (words []byte, ranks []int, err error) {
	n := 0
	ranks = make([]int, r.docs)
	err = r.eachColumns(ctx, func(base int, c *columns) {
		for i := range c.n {
			if int(c.joints(i)) == class {
				ranks[base+i] = n
				n++
			}
		}
	})
	if err != nil || n == 0 {
		return nil, ranks, err
	}
	if n != r.joints[class].docs {
		return nil, nil, fmt.Errorf("%d docs of a class, %d with joints: %w", n, r.joints[class].docs, ErrDamaged)
	}
	for word := range max(classWords[class], 0) {
		row, err := r.jointWord(class, word)
		if err != nil {
			return nil, nil, err
		}
		words = append(words, row...)
	}
	return words, ranks, nil
}
