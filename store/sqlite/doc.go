// Package sqlite keeps a [store.Store] in one SQLite file. Many callers share one commit: a single
// writer goroutine runs their functions one after another, each behind its own savepoint, in one
// transaction, and answers them when that is on the disk. The moves that most are it only notes, and
// writes them together.
//
// One process owns a data directory; others read it with [OpenReadOnly].
package sqlite
