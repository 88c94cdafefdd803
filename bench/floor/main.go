// Command floor is what prax is measured against: servers that do the least of the same work with the tools that every Go
// program has.
//
//	floor       compares the token, reads the body, finds the id by a scan, writes one prepared result
//	json        the same, with the body read by encoding/json, and a result made of its arguments
//	write-full  json, and one INSERT a request, each a transaction of its own with synchronous=FULL
package main

import (
	"bytes"
	"crypto/subtle"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

// echoed is the prepared result: that of the tool echo.
const echoed = `{"content":[{"type":"text","text":"the quick brown fox jumps over the lazy dog"}]}`

func main() {
	mode := flag.String("mode", "floor", "floor, json or write-full")
	addr := flag.String("addr", "127.0.0.1:0", "loopback address to listen on")
	token := flag.String("token", "", "the one bearer token")
	dir := flag.String("dir", ".", "of write-full: directory of its database")
	flag.Parse()
	if err := serve(*mode, *addr, *token, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

// answer appends to out the whole message that a body is answered with.
type answer func(out, body []byte) ([]byte, error)

func answerOf(mode, dir string) (answer, error) {
	switch mode {
	case "floor":
		return prepared, nil
	case "json":
		return decoded(nil), nil
	case "write-full":
		insert, err := openDatabase(dir)
		return decoded(insert), err
	}
	return nil, fmt.Errorf("no mode %q", mode)
}

func serve(mode, addr, token, dir string) error {
	do, err := answerOf(mode, dir)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: &handler{authorization: []byte("Bearer " + token), answer: do},
		// The time limits that any server on a network has, of both directions; they are part of the floor.
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    64 << 10,
	}
	return server.Serve(listener)
}

type handler struct {
	authorization []byte
	answer        answer
}

var (
	buffers     = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	contentType = []string{"application/json"}
)

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), h.authorization) != 1 {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	buffer := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buffer)
	buffer.Reset()
	if _, err := io.Copy(buffer, http.MaxBytesReader(w, r.Body, 1<<20)); err != nil {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	answer, err := h.answer(buffer.AvailableBuffer(), buffer.Bytes())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header()["Content-Type"] = contentType
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	w.Write(answer)
}

// prepared answers everything with the result of echo.
func prepared(out, body []byte) ([]byte, error) {
	out = append(out, `{"jsonrpc":"2.0","id":`...)
	out = append(out, scanID(body)...)
	return append(out, `,"result":`+echoed+`}`...), nil
}

// scanID returns the bytes after the first "id": up to a comma or a brace.
func scanID(body []byte) []byte {
	_, rest, _ := bytes.Cut(body, []byte(`"id":`))
	if end := bytes.IndexAny(rest, ",}"); end >= 0 {
		return rest[:end]
	}
	return []byte("null")
}
