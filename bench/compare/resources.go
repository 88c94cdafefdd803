package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// memory is what a server has when nobody asks for anything.
func memory(ctx context.Context, b *bench) ([]figure, error) {
	var one, many []sample
	for range b.rounds {
		for _, t := range []struct {
			target target
			to     *[]sample
		}{{b.prax(b.few), &one}, {b.prax(b.many), &many}} {
			err := t.target.serving(ctx, serverCore, func(s server) error {
				select {
				case <-ctx.Done():
				case <-time.After(b.settle):
				}
				resident, err := s.resident()
				*t.to = append(*t.to, sample{rss: resident})
				return err
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return []figure{
		size("resident at rest, example configuration", "≤ 25", one, rss),
		size("resident at rest, "+strconv.Itoa(b.clients)+" clients", "", many, rss),
	}, nil
}

// start is how long it takes from the start of a process to its first answer, with data that is there already.
func start(ctx context.Context, b *bench) ([]figure, error) {
	prax := b.prax(b.few)
	data, err := b.filledBy(ctx, "start", prax, load{8, b.few.tokens, []string{"--work", "move"}}, b.filled/10)
	if err != nil {
		return nil, err
	}
	prax.from = data
	samples := map[string][]sample{}
	for range b.rounds {
		for _, t := range []struct {
			name   string
			target target
		}{{"floor", b.floor()}, {"prax", prax}} {
			if err := t.target.serving(ctx, serverCore, func(s server) error {
				samples[t.name] = append(samples[t.name], sample{start: float64(s.start) / float64(time.Millisecond)})
				return nil
			}); err != nil {
				return nil, err
			}
		}
	}
	return []figure{ratio("start to first answer, data that is there, over floor", "≤ 3", samples["prax"], samples["floor"], began)}, nil
}

// filledBy is the data directory of a target after n requests of a load, which it can be started from again.
func (b *bench) filledBy(ctx context.Context, name string, t target, l load, n int) (string, error) {
	dir := filepath.Join(b.work, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	data := filepath.Join(dir, "data")
	return data, t.servingIn(ctx, dir, "", func(s server) error {
		_, err := runLoad(ctx, b.benchCommand(s, l, "--warmup", "0s", "--duration", "10m", "--requests", strconv.Itoa(n)), "", io.Discard)
		return err
	})
}
