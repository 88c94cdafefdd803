package main

import (
	"fmt"
	"slices"
	"strings"
)

// figure is one measured line.
type figure struct {
	what  string
	aim   string // what is promised; "": it only explains another
	value float64
	unit  string   // "×" or "MB"
	raw   []string // what the value is the median of
}

// ratio is the median of the ratios, round by round; raw are the pairs.
func ratio(what, aim string, over, under []sample, of func(sample) float64) figure {
	f := figure{what: what, aim: aim, unit: "×"}
	var ratios []float64
	for i := range over {
		ratios = append(ratios, of(over[i])/of(under[i]))
		f.raw = append(f.raw, short(of(over[i]))+"/"+short(of(under[i])))
	}
	f.value = median(ratios)
	return f
}

// size is the median of absolute values.
func size(what, aim string, samples []sample, of func(sample) float64) figure {
	f := figure{what: what, aim: aim, unit: "MB"}
	var all []float64
	for _, s := range samples {
		all = append(all, of(s))
		f.raw = append(f.raw, short(of(s)))
	}
	f.value = median(all)
	return f
}

func median(xs []float64) float64 {
	xs = slices.Sorted(slices.Values(xs))
	return (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
}

// short is a number with three digits or all those before the point.
func short(x float64) string {
	switch {
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// printer prints figures as they come.
type printer struct {
	head func(settings)
	row  func(name string, figures []figure)
}

func printerOf(markdown bool) printer {
	if markdown {
		return printer{func(settings) {
			fmt.Println("| row | what | aim | measured | rounds |\n| --- | --- | --- | --- | --- |")
		}, printMarkdown}
	}
	return printer{func(s settings) {
		fmt.Printf("rounds: %d of %v, %d clients; CPU in seconds for 100,000 requests, p99 in µs, start in ms, rates a second\n", s.rounds, s.length(), s.clients)
	}, printText}
}

func printText(name string, figures []figure) {
	for _, f := range figures {
		fmt.Printf("%-11s %-58s %7s %-2s  %-8s %s\n", name, f.what, short(f.value), f.unit, f.aim, strings.Join(f.raw, " "))
	}
}

func printMarkdown(name string, figures []figure) {
	for _, f := range figures {
		fmt.Printf("| `%s` | %s | %s | %s %s | %s |\n", name, f.what, f.aim, short(f.value), f.unit, strings.Join(f.raw, ", "))
	}
}
