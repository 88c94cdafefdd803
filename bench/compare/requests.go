package main

import "context"

// The loads of 16 callers. Requests take the tokens of all clients in turn; a caller that owns an instance keeps one.
const callers = 16

func work(tokens, name string) load { return load{callers, tokens, []string{"--work", name}} }
func body(tokens, file string) load { return load{callers, tokens, []string{"--body", file}} }

func list(ctx context.Context, b *bench) ([]figure, error) {
	return b.request(ctx, "tools/list", "list", b.listBody)
}

func echo(ctx context.Context, b *bench) ([]figure, error) {
	return b.request(ctx, "echo", "call", b.echoBody)
}

// request compares one request that reads with what a bare server and two libraries need for it.
func (b *bench) request(ctx context.Context, what, kind, file string) ([]figure, error) {
	s, err := b.inTurn(ctx,
		trial{name: "floor", target: b.floor(), load: body(b.many.one, file)},
		trial{name: "shipped", target: b.prax(b.many), load: work(b.many.tokens, kind)},
		trial{name: "off", target: b.prax(b.many, "PRAX_AUDIT_READS=off"), load: work(b.many.tokens, kind)},
		trial{name: "one", target: b.prax(b.many), load: work(b.many.one, kind)},
		trial{name: "gosdk", target: b.bare("gosdk"), load: work(b.many.one, kind)},
		trial{name: "mcpgo", target: b.bare("mcpgo"), load: work(b.many.one, kind)},
	)
	if err != nil {
		return nil, err
	}
	return []figure{
		ratio(what+": CPU over floor, as shipped", "≤ 1.35", s["shipped"], s["floor"], cpu),
		ratio(what+": CPU over floor, PRAX_AUDIT_READS=off", "≤ 1.2", s["off"], s["floor"], cpu),
		ratio(what+": CPU over floor, one of the clients alone", "", s["one"], s["floor"], cpu),
		ratio(what+": p99 over floor, as shipped", "≤ 1.5", s["shipped"], s["floor"], p99),
		ratio(what+": p99 over floor, PRAX_AUDIT_READS=off", "≤ 1.5", s["off"], s["floor"], p99),
		ratio(what+": requests a CPU second over the Go SDK", "≥ 5", s["gosdk"], s["shipped"], cpu),
		ratio(what+": requests a CPU second over mcp-go", "≥ 2", s["mcpgo"], s["shipped"], cpu),
		size(what+": resident under load", "≤ 45", s["shipped"], rss),
	}, nil
}

func get(ctx context.Context, b *bench) ([]figure, error) {
	s, err := b.inTurn(ctx,
		trial{name: "floor", target: b.floor(), load: body(b.many.one, b.getBody)},
		trial{name: "shipped", target: b.prax(b.few), load: work(b.few.tokens, "get")},
		trial{name: "off", target: b.prax(b.few, "PRAX_AUDIT_READS=off"), load: work(b.few.tokens, "get")},
	)
	if err != nil {
		return nil, err
	}
	return []figure{
		ratio("get of an instance: CPU over floor, as shipped", "≤ 1.6", s["shipped"], s["floor"], cpu),
		ratio("get of an instance: CPU over floor, PRAX_AUDIT_READS=off", "", s["off"], s["floor"], cpu),
		ratio("get of an instance: p99 over floor, as shipped", "", s["shipped"], s["floor"], p99),
	}, nil
}

// moves compares durable moves of 64 callers of eight clients with what decodes, or inserts, the same bodies.
func moves(ctx context.Context, b *bench) ([]figure, error) {
	const callers = 64
	bare := load{callers, b.many.one, []string{"--body", b.moveBody}}
	s, err := b.inTurn(ctx,
		trial{name: "json", target: b.json(), load: bare},
		trial{name: "write-full", target: b.writeFull(), load: bare},
		trial{name: "prax", target: b.prax(b.few), load: load{callers, b.few.tokens, []string{"--work", "move"}}},
	)
	if err != nil {
		return nil, err
	}
	return []figure{
		ratio("moves, 64 callers: requests a second over json", "≥ 0.4", s["prax"], s["json"], rate),
		ratio("moves, 64 callers: requests a second over write-full", "≥ 5", s["prax"], s["write-full"], rate),
		ratio("moves, 64 callers: CPU over json", "", s["prax"], s["json"], cpu),
	}, nil
}

// oneCaller compares the moves of one caller, of whom nobody shares a transaction.
func oneCaller(ctx context.Context, b *bench) ([]figure, error) {
	s, err := b.inTurn(ctx,
		trial{name: "write-full", target: b.writeFull(), load: load{1, b.many.one, []string{"--body", b.moveBody}}},
		trial{name: "get", target: b.prax(b.few), load: load{1, b.few.one, []string{"--work", "get"}}},
		trial{name: "prax", target: b.prax(b.few), load: load{1, b.few.one, []string{"--work", "move"}}},
	)
	if err != nil {
		return nil, err
	}
	return []figure{
		ratio("moves, one caller: time over write-full", "≤ 1.15 + planning", s["prax"], s["write-full"], each),
		ratio("moves, one caller: CPU over write-full", "", s["prax"], s["write-full"], cpu),
		ratio("get, one caller: time over write-full", "", s["get"], s["write-full"], each),
	}, nil
}
