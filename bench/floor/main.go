// Command floor is the least that a server of net/http can do for an MCP request: compare the token, read the body,
// find the id by a scan, write one prepared result. What prax costs is told as a multiple of it.
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

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "loopback address to listen on")
	token := flag.String("token", "", "the one bearer token")
	result := flag.String("result", "", "file with the result that every request gets")
	flag.Parse()
	if err := serve(*addr, *token, *result); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func serve(addr, token, result string) error {
	prepared, err := os.ReadFile(result)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: &floor{authorization: []byte("Bearer " + token), result: prepared},
		// The limits that any server on a network has; they are part of the floor.
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    64 << 10,
	}
	return server.Serve(listener)
}

type floor struct {
	authorization, result []byte
}

var (
	buffers     = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	contentType = []string{"application/json"}
)

func (f *floor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), f.authorization) != 1 {
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
	id := scanID(buffer.Bytes())
	answer := buffer.AvailableBuffer()
	answer = append(answer, `{"jsonrpc":"2.0","id":`...)
	answer = append(answer, id...)
	answer = append(answer, `,"result":`...)
	answer = append(answer, f.result...)
	answer = append(answer, '}')
	w.Header()["Content-Type"] = contentType
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	w.Write(answer)
}

// scanID returns the bytes after the first "id": up to a comma or a brace.
func scanID(body []byte) []byte {
	_, rest, _ := bytes.Cut(body, []byte(`"id":`))
	if end := bytes.IndexAny(rest, ",}"); end >= 0 {
		return rest[:end]
	}
	return []byte("null")
}
