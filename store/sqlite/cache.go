package sqlite

import "sync"

// A cache keeps what was read lately. It is used for things that never change
// under a number that is never used again, so that what is in it is right.
type cache[V string | []byte] struct {
	limit int // bytes; a value of more than an eighth of it is not kept

	mu     sync.Mutex
	values map[int64]V
	order  []int64 // oldest first
	size   int
}

func (c *cache[V]) get(id int64) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.values[id]
	return v, ok
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
		c.values = map[int64]V{}
	}
	c.values[id] = v
	c.order = append(c.order, id)
	c.size += len(v)
	for c.size > c.limit {
		c.size -= len(c.values[c.order[0]])
		delete(c.values, c.order[0])
		c.order = c.order[1:]
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
