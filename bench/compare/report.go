package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
)

// capture writes the result that prax gives for tools/list, so that the floor answers with the same bytes.
func capture(ctx context.Context, s settings, r registry, path string) error {
	t := r.prax(s, "one")
	return t.serving(ctx, func(addr string, _ int) error {
		result, err := t.list(ctx, addr)
		if err != nil {
			return err
		}
		return os.WriteFile(path, result, 0o600)
	})
}

func print(s settings, list, call map[string][]sample) {
	cpu := func(x sample) float64 { return x.cpu }
	memory := func(x sample) float64 { return x.memory }
	fmt.Printf("CPU seconds of the server for 100,000 requests, %d connections, %d rounds of %v in turn:\n",
		s.connections, s.rounds, s.time)
	ratio(fmt.Sprintf("tools/list, %d clients over 1", s.clients), "≤ 1.1", list["many"], list["one"], cpu)
	ratio(fmt.Sprintf("tools/call, %d clients over 1", s.clients), "≤ 1.1", call["many"], call["one"], cpu)
	ratio("tools/list over the floor", "≤ 1.6", list["one"], list["floor"], cpu)
	ratio("the same, floor with 100 bytes", "≤ 1.6", list["one"], list["short"], cpu)
	fmt.Println("Resident memory at rest, MB:")
	values("1 client", "≤ 30", append(list["one"], call["one"]...), memory)
	values(fmt.Sprintf("%d clients", s.clients), "", append(list["many"], call["many"]...), memory)
	values("floor", "", list["floor"], memory)
}

// ratio prints the median of the ratios, round by round, and the pairs that they come from.
func ratio(label, aim string, over, under []sample, of func(sample) float64) {
	var ratios []float64
	var pairs []string
	for i := range over {
		ratios = append(ratios, of(over[i])/of(under[i]))
		pairs = append(pairs, fmt.Sprintf("%.2f/%.2f", of(over[i]), of(under[i])))
	}
	line(label, aim, median(ratios), pairs)
}

func values(label, aim string, samples []sample, of func(sample) float64) {
	var all []float64
	var raw []string
	for _, x := range samples {
		all = append(all, of(x))
		raw = append(raw, fmt.Sprintf("%.1f", of(x)))
	}
	line(label, aim, median(all), raw)
}

func line(label, aim string, value float64, raw []string) {
	if aim != "" {
		aim = "aim " + aim
	}
	fmt.Printf("  %-34s %6.2f  %-9s  %s\n", label, value, aim, strings.Join(raw, " "))
}

func median(xs []float64) float64 {
	slices.Sort(xs)
	return (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
}
