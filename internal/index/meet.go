package index

import "context"

// met is what a segment's lists say of a want or term: the docs that meet it for
// sure, those that may, and for a want how well.
type met struct {
	lower, upper bitset
	tally        tally
}

// key names a want, so that what met it can be used twice.
func (w *want) key() string {
	flags := byte('0')
	for i, set := range [...]bool{w.ideograph, w.anywhere, w.start} {
		if set {
			flags |= 1 << i
		}
	}
	return string([]byte{flags, byte('0' + w.kind)}) + w.field + string(w.text)
}

// meet looks a want up, among words and across their parts; known holds what was
// looked up before.
func (r *Reader) meet(ctx context.Context, w want, known map[string]met) (met, error) {
	key := w.key()
	if m, ok := known[key]; ok {
		return m, nil
	}
	t, err := r.tally(ctx, w)
	if err != nil {
		return met{}, err
	}
	docs := t.docs()
	lower, upper, err := r.across(ctx, w, docs)
	if err != nil {
		return met{}, err
	}
	m := met{lower: lower.or(docs), upper: upper.or(docs), tally: t}
	t.note(m.upper)
	known[key] = m
	return m, nil
}

// meetNeed combines what is known of a need's wants.
func (r *Reader) meetNeed(ctx context.Context, n *need, known map[string]met) (met, error) {
	switch n.op {
	case needNothing:
		return met{lower: fullBitset(r.docs), upper: fullBitset(r.docs)}, nil
	case needWant:
		return r.meet(ctx, n.want, known)
	}
	var all met
	for i := range n.kids {
		m, err := r.meetNeed(ctx, &n.kids[i], known)
		if err != nil {
			return met{}, err
		}
		switch {
		case i == 0:
			all = met{lower: m.lower.clone(), upper: m.upper.clone()}
		case n.op == needAll:
			all.lower.and(m.lower)
			all.upper.and(m.upper)
		default:
			all.lower.or(m.lower)
			all.upper.or(m.upper)
		}
	}
	return all, nil
}
