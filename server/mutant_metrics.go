//go:build mutant_metrics

package server

// anyHost tells the metrics to whoever asks, by whatever name: a mutant that tests must notice.
const anyHost = true
