package main

import (
	"context"
	"fmt"
)

// tenfold compares the cost of one kind of request between a small target and one with ten times as much of something.
func (b *bench) tenfold(ctx context.Context, what, kind string, small, large target, smallTokens, largeTokens string) (figure, error) {
	s, err := b.inTurn(ctx,
		trial{name: "small", target: small, load: work(smallTokens, kind)},
		trial{name: "large", target: large, load: work(largeTokens, kind)},
	)
	if err != nil {
		return figure{}, err
	}
	return ratio(fmt.Sprintf("10 × %s: CPU a %s", what, kind), "≤ 1.1", s["large"], s["small"], cpu), nil
}

func growClients(ctx context.Context, b *bench) ([]figure, error) {
	f, err := b.tenfold(ctx, "clients", "call", b.prax(b.fewer), b.prax(b.many), b.fewer.tokens, b.many.tokens)
	return []figure{f}, err
}

func growDefinitions(ctx context.Context, b *bench) ([]figure, error) {
	var targets [2]target
	for i, n := range []int{b.defined / 10, b.defined} {
		config, err := b.definitions(n)
		if err != nil {
			return nil, err
		}
		targets[i] = b.praxWith(b.few, config)
	}
	return b.kinds(ctx, "definitions", targets, "get", "move")
}

func growInstances(ctx context.Context, b *bench) ([]figure, error) {
	targets, err := b.filledTwice(ctx, "instances", load{64, b.few.tokens, []string{"--work", "start"}}, b.filled)
	if err != nil {
		return nil, err
	}
	return b.kinds(ctx, "instances", targets, "get", "move")
}

func growAudit(ctx context.Context, b *bench) ([]figure, error) {
	targets, err := b.filledTwice(ctx, "audit", load{64, b.few.tokens, []string{"--work", "call"}}, b.called)
	if err != nil {
		return nil, err
	}
	return b.kinds(ctx, "audit rows", targets, "call", "move")
}

// filledTwice is a server with n of what a load leaves behind, after one with a tenth of it.
func (b *bench) filledTwice(ctx context.Context, name string, l load, n int) (targets [2]target, err error) {
	for i, n := range []int{max(n/10, l.callers), n} {
		targets[i] = b.prax(b.few)
		targets[i].from, err = b.filledBy(ctx, fmt.Sprintf("%s-%d", name, i), targets[i], l, n)
		if err != nil {
			return targets, err
		}
	}
	return targets, nil
}

func (b *bench) kinds(ctx context.Context, what string, targets [2]target, kinds ...string) (figures []figure, err error) {
	for _, kind := range kinds {
		f, err := b.tenfold(ctx, what, kind, targets[0], targets[1], b.few.tokens, b.few.tokens)
		if err != nil {
			return nil, err
		}
		figures = append(figures, f)
	}
	return figures, nil
}
