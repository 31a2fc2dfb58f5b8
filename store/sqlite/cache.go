package sqlite

import "sync"

// A cache keeps what was read lately. It is used for things that never change
// under a number that is never used again, so that what is in it is right.
type cache[V string | []byte] struct {
	limit int // bytes; a value of more than an eighth of it is not kept

	mu     sync.Mutex
	values map[int64]*cached[V]
	order  []int64 // oldest first
	size   int
}

// cached is a value, and whether it was asked for since it came or was spared.
type cached[V string | []byte] struct {
	v    V
	used bool
}

func (c *cache[V]) get(id int64) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.values[id]
	if !ok {
		var none V
		return none, false
	}
	e.used = true
	return e.v, true
}

func (c *cache[V]) put(id int64, v V) {
	if len(v) > c.limit/8 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.values[id]; ok {
		return
	}
	if c.values == nil {
		c.values = map[int64]*cached[V]{}
	}
	c.values[id] = &cached[V]{v: v}
	c.order = append(c.order, id)
	for c.size += len(v); c.size > c.limit; {
		first := c.order[0]
		c.order = c.order[1:]
		if e := c.values[first]; e.used { // once more round
			e.used = false
			c.order = append(c.order, first)
			continue
		}
		c.size -= len(c.values[first].v)
		delete(c.values, first)
	}
}

// empty forgets everything: what is in memory of a session that was forgotten,
// too.
func (c *cache[V]) empty() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.values)
	c.order, c.size = nil, 0
}
