package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	firstID  = 1_000_000_000 // ids keep their ten digits, so that a request keeps its length
	parseOne = 64            // of so many answers one is parsed in full
)

// worker is one connection that sends the next request when the last is answered.
type worker struct {
	conn     net.Conn
	reader   *bufio.Reader
	request  []byte
	idAt     int
	tokenAt  int
	tokens   []string
	sent     int
	offset   int // so that two workers rarely use one token at the same time
	body     []byte
	err      error
	answered atomic.Int64
}

func newWorker(o options, tokens []string, index int) (*worker, error) {
	conn, err := net.DialTimeout("tcp", o.addr, 5*time.Second)
	if err != nil {
		return nil, err
	}
	conn.SetDeadline(time.Now().Add(o.warm + o.measured + 10*time.Second))
	body := strings.Replace(o.body, "{{id}}", strconv.Itoa(firstID), 1)
	head := fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n"+
		"Content-Length: %d\r\nAuthorization: Bearer %s\r\n\r\n", o.addr, len(body), tokens[0])
	w := &worker{
		conn: conn, reader: bufio.NewReaderSize(conn, 64<<10), request: []byte(head + body),
		tokens: tokens, offset: index * len(tokens) / o.workers,
		tokenAt: strings.Index(head, tokens[0]), idAt: len(head) + strings.Index(body, strconv.Itoa(firstID)),
	}
	return w, nil
}

// run sends until stop is set or something is wrong.
func (w *worker) run(stop *atomic.Bool) {
	for !stop.Load() {
		if w.err = w.exchange(); w.err != nil {
			return
		}
		w.answered.Add(1)
	}
}

func (w *worker) exchange() error {
	id := strconv.AppendInt(w.request[w.idAt:w.idAt], int64(firstID+w.sent), 10)
	copy(w.request[w.tokenAt:], w.tokens[(w.offset+w.sent)%len(w.tokens)])
	w.sent++
	if _, err := w.conn.Write(w.request); err != nil {
		return err
	}
	status, err := w.receive()
	if err != nil {
		return err
	}
	return w.check(status, id)
}

// receive reads one answer into body and returns its status. An answer must say its length.
func (w *worker) receive() (string, error) {
	line, err := w.reader.ReadSlice('\n')
	if err != nil {
		return "", err
	}
	if len(line) < len("HTTP/1.1 200") {
		return "", fmt.Errorf("status line %q", line)
	}
	status, length := string(line[9:12]), -1
	for {
		if line, err = w.reader.ReadSlice('\n'); err != nil {
			return "", err
		}
		if line = bytes.TrimRight(line, "\r\n"); len(line) == 0 {
			break
		}
		if name, value, _ := bytes.Cut(line, []byte(":")); bytes.EqualFold(name, []byte("content-length")) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return "", fmt.Errorf("content length: %w", err)
			}
		}
	}
	if length < 0 || length > 1<<20 {
		return "", fmt.Errorf("status %s with a body of unknown or impossible length", status)
	}
	w.body = append(w.body[:0], make([]byte, length)...)
	_, err = io.ReadFull(w.reader, w.body)
	return status, err
}

func (w *worker) check(status string, id []byte) error {
	ours := bytes.Contains(w.body, append([]byte(`"id":`), id...))
	if status != "200" || !ours || !bytes.Contains(w.body, []byte(`"result":`)) || bytes.Contains(w.body, []byte(`"isError":true`)) {
		return fmt.Errorf("request %s: status %s: %.300s", id, status, w.body)
	}
	if w.sent%parseOne == 0 && !json.Valid(w.body) {
		return fmt.Errorf("request %s: not JSON: %.300s", id, w.body)
	}
	return nil
}
