package main

import (
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"prax/auth"
	"prax/server"
	"prax/tools/egress"
)

func readText(text string) (string, error) { return text, nil }

// readBool is strict, because a mistyped switch must not turn into its opposite.
func readBool(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "true", "1", "yes", "y", "on", "t":
		return true, nil
	case "false", "0", "no", "n", "off", "f":
		return false, nil
	}
	return false, fmt.Errorf("neither true nor false (say true, false, 1, 0, yes, no, on or off)")
}

func readAddr(text string) (string, error) {
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", fmt.Errorf("not HOST:PORT, as 127.0.0.1:8808")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", fmt.Errorf("port %q is not a number from 0 to %d", port, math.MaxUint16)
	} else if strconv.FormatUint(n, 10) != port {
		return "", fmt.Errorf("port %q is not written plainly", port)
	}
	return text, nil
}

// readMetricsAddr takes an address, or off.
func readMetricsAddr(text string) (string, error) {
	if strings.EqualFold(text, "off") {
		return "", nil
	}
	addr, err := readAddr(text)
	if err != nil {
		return "", fmt.Errorf("neither off nor HOST:PORT, as 127.0.0.1:8809: %w", err)
	}
	return addr, nil
}

// readURL takes an address without anything that would be lost or leaked when callers are told it.
func readURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("not an http or https address")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("an address without user, query and fragment is wanted")
	}
	return u, server.Config{PublicURL: text}.Check()
}

func readHosts(text string) ([]string, error) {
	hosts := list(text)
	return hosts, server.Config{AllowedHosts: hosts}.Check()
}

func readOrigins(text string) ([]string, error) {
	origins := list(text)
	return origins, server.Config{AllowedOrigins: origins}.Check()
}

func readProxies(text string) ([]netip.Prefix, error) { return server.ParseProxies(list(text)) }

func readEgress(text string) ([]string, error) {
	allowed := list(text)
	_, err := egress.New(egress.Config{Allow: allowed})
	return allowed, err
}

func readSpelling(text string) (auth.Spelling, error) {
	switch text {
	case "dot":
		return auth.Dot, nil
	case "underscore":
		return auth.Underscore, nil
	}
	return auth.Dot, fmt.Errorf("neither dot nor underscore")
}

func readOnError(text string) (keep bool, err error) {
	switch text {
	case "close":
		return false, nil
	case "keep":
		return true, nil
	}
	return false, fmt.Errorf("neither close nor keep")
}

// maxBody bounds what an operator may allow: a request body is held in memory.
const maxBody = 1 << 30

func readSize(text string) (int64, error) {
	digits, unit := text, int64(1)
	for _, u := range []struct {
		suffix string
		bytes  int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}} {
		if rest, found := strings.CutSuffix(text, u.suffix); found {
			digits, unit = strings.TrimSpace(rest), u.bytes
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 1 || n > maxBody/unit {
		return 0, fmt.Errorf("not a size from 1 to 1GiB, as 1048576, 512KiB or 1MiB")
	}
	return n * unit, nil
}

func readCount(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 1_000_000 {
		return 0, fmt.Errorf("not a whole number from 1 to 1000000")
	}
	return n, nil
}

// readRate takes a number a second, and how many may come at once beside it, or off.
func readRate(text string) (r auth.Rate, err error) {
	if strings.EqualFold(text, "off") {
		return r, nil
	}
	number, burst, bursts := strings.Cut(text, ",")
	r.PerSecond, err = strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(auth.LeastPerSecond <= r.PerSecond && r.PerSecond <= auth.MostPerSecond) {
		return auth.Rate{}, fmt.Errorf("neither off nor a number from %v to %d a second, as 10 or 10,burst=50", auth.LeastPerSecond, auth.MostPerSecond)
	}
	r.Burst = auth.UsualBurst(r.PerSecond)
	if !bursts {
		return r, nil
	}
	digits, named := strings.CutPrefix(strings.TrimSpace(burst), "burst=")
	if r.Burst, err = strconv.Atoi(digits); !named || err != nil || r.Burst < 1 || r.Burst > auth.MostBurst {
		return auth.Rate{}, fmt.Errorf("what follows the number is not burst= and a whole number from 1 to %d, as 10,burst=50", auth.MostBurst)
	}
	return r, nil
}

func readDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("not a time span above zero, as 90s, 10m or 168h")
	}
	return d, nil
}

// leastKeep keeps a server from archiving what it has just written, over and over.
const leastKeep = time.Second

// readKeep takes a span, also in days, or off.
func readKeep(text string) (time.Duration, error) {
	if strings.EqualFold(text, "off") {
		return 0, nil
	}
	d, err := parseSpan(text)
	if err != nil || d < leastKeep {
		return 0, fmt.Errorf("neither off nor a time span of a second or more, as 90d or 720h")
	}
	return d, nil
}

func readLevel(text string) (slog.Level, error) {
	switch strings.ToLower(text) {
	case "debug":
		return slog.LevelDebug, nil
	case "info":
		return slog.LevelInfo, nil
	case "warn":
		return slog.LevelWarn, nil
	case "error":
		return slog.LevelError, nil
	}
	return 0, fmt.Errorf("none of debug, info, warn, error")
}

// list splits at commas and drops blanks and empty items.
func list(text string) []string {
	var items []string
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}
