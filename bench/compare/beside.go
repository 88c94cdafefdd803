package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// reload reads while a clients.json of 100,000 is replaced once a second.
func reload(ctx context.Context, b *bench) ([]figure, error) {
	reads := work(b.many.tokens, "call")
	s, err := b.inTurn(ctx,
		trial{name: "quiet", target: b.prax(b.many), load: reads, shared: true},
		trial{name: "reload", target: b.prax(b.many), load: reads, shared: true, beside: replaceClients},
	)
	if err != nil {
		return nil, err
	}
	return []figure{
		ratio("p99 of reads while clients.json is replaced each second", "≤ 3", s["reload"], s["quiet"], p99),
		ratio("requests a second meanwhile", "", s["reload"], s["quiet"], rate),
	}, nil
}

// replaceClients writes another clients.json once a second until it is stopped.
func replaceClients(ctx context.Context, b *bench, _ server) (func() error, error) {
	text, err := os.ReadFile(b.many.tokens)
	if err != nil {
		return nil, err
	}
	tokens := strings.Fields(string(text))
	ctx, cancel := context.WithCancel(ctx)
	result := make(chan error, 1)
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for i := 0; ; i++ {
			if err := writeClients(b.many.clients, tokens, oneTool, fmt.Sprintf("another token %d", i)); err != nil {
				result <- err
				return
			}
			select {
			case <-ctx.Done():
				result <- nil
				return
			case <-tick.C:
			}
		}
	}()
	return func() error { cancel(); return <-result }, nil
}

// writers reads while 64 callers move. That they are many more callers costs by itself: 64 further readers show how much.
func writers(ctx context.Context, b *bench) ([]figure, error) {
	reads := work(b.few.tokens, "get")
	s, err := b.inTurn(ctx,
		trial{name: "quiet", target: b.prax(b.few), load: reads, shared: true},
		trial{name: "writers", target: b.prax(b.few), load: reads, shared: true, beside: others("move")},
		trial{name: "readers", target: b.prax(b.few), load: reads, shared: true, beside: others("get")},
	)
	if err != nil {
		return nil, err
	}
	return []figure{
		ratio("p99 of reads while 64 callers move", "≤ 2", s["writers"], s["quiet"], p99),
		ratio("p99 of reads while 64 more callers read", "", s["readers"], s["quiet"], p99),
		ratio("CPU a read and its share of the moves", "", s["writers"], s["quiet"], cpu),
	}, nil
}

// others is 64 callers more, from when all of them have begun until they are stopped. Their answers must be right too.
func others(kind string) func(context.Context, *bench, server) (func() error, error) {
	return func(ctx context.Context, b *bench, s server) (func() error, error) {
		ctx, cancel := context.WithCancel(ctx)
		c := b.benchCommand(s, load{64, b.few.tokens, []string{"--work", kind}}, "--warmup", "0s", "--duration", "10m")
		begun, result := make(firstWrite, 1), make(chan error, 1)
		go func() {
			_, err := runLoad(ctx, c, "", begun)
			result <- err
		}()
		select {
		case <-begun:
			return func() error { cancel(); return <-result }, nil
		case err := <-result:
			cancel()
			return nil, errors.Join(errors.New("the other callers ended at once"), err)
		}
	}
}

// flood has one caller of 16 connections and a good token, while 16 more send tokens that nobody has as fast as they are answered.
func flood(ctx context.Context, b *bench) ([]figure, error) {
	calls := work(b.many.tokens, "call")
	s, err := b.inTurn(ctx,
		trial{name: "quiet", target: b.prax(b.many), load: calls, shared: true},
		trial{name: "flood", target: b.prax(b.many), load: calls, shared: true, beside: badTokens},
	)
	if err != nil {
		return nil, err
	}
	return []figure{
		ratio("p99 of calls while tokens are tried", "≤ 2", s["flood"], s["quiet"], p99),
		ratio("requests a second meanwhile", "", s["flood"], s["quiet"], rate),
		ratio("CPU a call and its share of the trials", "", s["flood"], s["quiet"], cpu),
	}, nil
}

// badTokens sends tokens that nobody has until it is stopped: it has begun with more than a server answers at once, and no answer may be
// anything but 401.
func badTokens(ctx context.Context, b *bench, s server) (func() error, error) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	var tried atomic.Int64
	results := make(chan error, callers)
	begun := make(chan struct{})
	for range callers {
		all.Go(func() {
			err := s.tryTokens(ctx, func() {
				if tried.Add(1) == trialsBefore {
					close(begun)
				}
			})
			if err != nil {
				results <- err
				cancel() // there is nothing to measure any more
			}
		})
	}
	stop := func() error {
		cancel()
		all.Wait()
		close(results)
		return <-results
	}
	select {
	case <-begun:
		return stop, nil
	case <-ctx.Done():
		return nil, errors.Join(errors.New("tokens could not be tried"), stop())
	}
}

// trialsBefore is how many tokens are tried before a measurement begins.
const trialsBefore = 70

// tryTokens tries one token after the other on one connection, until ctx ends, and tells of each answer.
func (s server) tryTokens(ctx context.Context, answered func()) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	in := bufio.NewReader(conn)
	const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for n := 0; ctx.Err() == nil; n++ {
		fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer prx_tried%d\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			s.addr, n, len(body), body)
		response, err := http.ReadResponse(in, nil)
		if err == nil {
			_, err = io.Copy(io.Discard, response.Body)
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		case response.StatusCode != http.StatusUnauthorized:
			return fmt.Errorf("a token that nobody has got %s", response.Status)
		}
		answered()
	}
	return nil
}

// firstWrite tells when something was written to it: prax bench says one line when its callers have begun.
type firstWrite chan struct{}

func (w firstWrite) Write(p []byte) (int, error) {
	select {
	case w <- struct{}{}:
	default:
	}
	return len(p), nil
}
