package main

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// entry is what was posted to a book under one key.
type entry struct {
	Number   int            `json:"number"` // in its book, from 1; 0: it is not booked yet
	Key      string         `json:"key"`
	Requests int            `json:"requests"` // that came with the key
	Posted   jsontext.Value `json:"posted"`
}

// ledger has books, each of which is a path.
type ledger struct {
	trouble bool

	mu    sync.Mutex
	books map[string][]*entry // in the order in which their keys came
}

// newLedger is an empty one. POST /BOOK books a JSON value and answers its entry; GET /BOOK lists what is booked.
func newLedger(trouble bool) http.Handler {
	l := &ledger{trouble: trouble, books: map[string][]*entry{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /{book}", l.post)
	mux.HandleFunc("GET /{book}", l.list)
	return mux
}

func (l *ledger) post(w http.ResponseWriter, r *http.Request) {
	posted, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
	key := r.Header.Get("Idempotency-Key")
	switch {
	case err != nil || !jsontext.Value(posted).IsValid():
		http.Error(w, "the body is no JSON of at most 64 KiB", http.StatusBadRequest)
		return
	case key == "":
		http.Error(w, "without an Idempotency-Key nothing is booked", http.StatusBadRequest)
		return
	}
	e, requests := l.take(r.PathValue("book"), key, posted)
	switch {
	case !bytes.Equal(e.Posted, posted):
		http.Error(w, "something else was posted with this Idempotency-Key", http.StatusUnprocessableEntity)
	case e.Number == 0:
		http.Error(w, "the ledger is busy, try again", http.StatusServiceUnavailable)
	case l.trouble && requests == 2:
		panic(http.ErrAbortHandler) // it is booked, and the connection ends without an answer
	default:
		answer(w, e)
	}
}

// take counts a request, and books its entry unless that has happened or there is to be trouble first. One that posts
// something else than the first with its key changes nothing.
func (l *ledger) take(book, key string, posted jsontext.Value) (e entry, requests int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entries := l.books[book]
	i := slices.IndexFunc(entries, func(e *entry) bool { return e.Key == key })
	if i < 0 {
		i = len(entries)
		l.books[book] = append(entries, &entry{Key: key, Posted: posted})
	}
	known := l.books[book][i]
	if !bytes.Equal(known.Posted, posted) {
		return *known, known.Requests
	}
	known.Requests++
	if known.Number == 0 && (!l.trouble || known.Requests > 1) {
		known.Number = len(booked(l.books[book])) + 1
	}
	return *known, known.Requests
}

func (l *ledger) list(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	entries := booked(l.books[r.PathValue("book")])
	l.mu.Unlock()
	answer(w, entries)
}

// booked are copies of the entries that have a number.
func booked(entries []*entry) []entry {
	found := []entry{}
	for _, e := range entries {
		if e.Number > 0 {
			found = append(found, *e)
		}
	}
	return found
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.MarshalWrite(w, v) // who does not read it asks again
}
