# What a contributor runs. `make` alone lists it.
.DEFAULT_GOAL := help
.PHONY: help check build test fuzz bench bench-compare bench-01 bench-03 mutants interop soak release

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24

check: ## everything that gates a change, in order; the first failure ends it
	@.ci/run

build: ## the one static binary, ./prax
	CGO_ENABLED=0 go build -trimpath -o prax ./cmd/prax

release: ## out/release: a static binary for each platform, and SHA256SUMS; VERSION names it. The same commit gives the same bytes
	@.ci/release

test: ## the whole suite; needs Go alone
	go test ./...

fuzz: ## every fuzz target for FUZZTIME, ten seconds by default
	@.ci/run fuzz

bench: ## the benchmarks of every package
	go test -run '^$$' -bench . -benchmem ./...

bench-compare: ## every figure of docs/performance.md: prax beside bare servers, in ratios; a quarter of an hour
	@bench/run

bench-01: ## of these: the served request, cost with 100,000 clients over 10,000, memory at rest
	@bench/run -only list,clients,memory

bench-03: ## the workflow kernel: planning a move over encoding its answer, a search over 10,000 things over one among 100
	@bench/kernel

mutants: ## each safeguard switched off in turn: a test must notice
	@.ci/mutants

interop: ## the official MCP suite and clients against a server of this tree
	@server/mcp/interop/run

soak: ## 300 kills of a server under load, then 15 minutes at half load: nothing is lost, nothing grows (SOAK=15m)
	PRAX_TEST_KILLS=50 go test -tags crashpoints -count=6 -timeout 3h -v -run '^TestCrash' ./cmd/prax
	SOAK=$${SOAK:-15m} go test -count=1 -timeout 3h -v -run '^TestSoak$$' ./cmd/prax
