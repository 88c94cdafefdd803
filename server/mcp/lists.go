package mcp

import (
	"crypto/sha256"
	"sync"
	"time"

	"prax/auth"
	"prax/tools"
)

// How much the lists may take. Beyond it all are made anew as they are asked for: memory stays
// bounded however many different allowlists there are.
const (
	maxLists     = 4096
	maxListBytes = 16 << 20
)

// lists are the encoded tool lists, one for all callers with the same allowlist and spelling, for as
// long as the catalogue is the same. The key is the allowlist's content, so a reload of the clients
// that leaves an allowlist alone keeps its list.
type lists struct {
	registry *tools.Registry
	now      func() time.Time
	pageSize int

	mu         sync.RWMutex
	generation uint64
	made       map[listKey]*list
	size       int
}

type listKey struct {
	allow    [sha256.Size]byte
	spelling auth.Spelling
}

func (c *lists) init(config Config) {
	c.registry, c.now, c.pageSize = config.Registry, config.Now, config.PageSize
	c.made = map[listKey]*list{}
}

// of is the list that p sees now.
func (c *lists) of(p auth.Principal) *list {
	if p.Client == "" || p.User == "" || p.Expired(c.now()) {
		return c.build(p) // it sees less than its allowlist: not for others to share
	}
	key := listKey{p.Allow.Key(), p.Spelling}
	generation := c.registry.Generation()
	if l := c.find(generation, key); l != nil {
		return l
	}
	p.Expires = time.Time{} // shared with callers that expire at another time, or never
	l := c.build(p)
	if c.registry.Generation() == generation {
		l = c.keep(generation, key, l)
	}
	return l
}

func (c *lists) find(generation uint64, key listKey) *list {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.generation != generation {
		return nil
	}
	return c.made[key]
}

// keep remembers a list, unless another request was first: then that one is given.
func (c *lists) keep(generation uint64, key listKey, l *list) *list {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.generation > generation {
		return l
	}
	if c.generation < generation || len(c.made) >= maxLists || c.size+l.size > maxListBytes {
		clear(c.made)
		c.generation, c.size = generation, 0
	}
	if other := c.made[key]; other != nil {
		return other
	}
	c.made[key] = l
	c.size += l.size
	return l
}

func (c *lists) build(p auth.Principal) *list {
	usable := c.registry.List(p)
	entries := make([][]byte, len(usable))
	for i, t := range usable {
		entries[i] = appendTool(nil, t, p.Spelling)
	}
	return newList(entries, c.pageSize)
}
