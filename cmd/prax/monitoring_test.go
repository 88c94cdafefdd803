package main

import (
	"context"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

const monitoringDoc = "docs/monitoring.md"

var metricName = regexp.MustCompile(`prax_[a-z_]+`)

// scrape is what the metrics of a server say, once it tells them.
func scrape(t *testing.T, addr string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		code, _, body, err := fetch(req)
		if err == nil && code == http.StatusOK {
			return body
		}
		if !pause(ctx) {
			t.Fatalf("a scrape gives %d, %v: %s", code, err, body)
		}
	}
}

// exported are the series that a server with everything has, by name, with their kinds.
func exported(t *testing.T) map[string]string {
	t.Helper()
	c := newCrash(t)
	if err := certify(filepath.Join(c.dir, "prax"), "prax", 90); err != nil {
		t.Fatal(err)
	}
	addr := freeAddress(t)
	cmd := c.start("", "PRAX_METRICS_ADDR="+addr, "PRAX_TLS_CERT=prax.crt", "PRAX_TLS_KEY=prax.key")
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	kinds := map[string]string{}
	for line := range strings.Lines(string(scrape(t, addr))) {
		if name, kind, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "# TYPE "), " "); ok && strings.HasPrefix(line, "# TYPE ") {
			kinds[name] = kind
		}
		if !strings.HasPrefix(line, "#") && !regexp.MustCompile(`^(prax|go|process)_`).MatchString(line) {
			t.Errorf("a series of no known kind: %s", line)
		}
	}
	return kinds
}

// TestMonitoringDocHasEverySeries: the document's table is what a server exports, each with its kind; and the rules read
// nothing else.
func TestMonitoringDocHasEverySeries(t *testing.T) {
	t.Parallel()
	text := readDoc(t, monitoringDoc)
	told := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(prax_[a-z_]+)` \\| (gauge|counter|histogram) \\|").FindAllStringSubmatch(text, -1) {
		told[row[1]] = row[2]
	}
	if diff := cmp.Diff(exported(t), told); diff != "" {
		t.Errorf("(-exported +told):\n%s", diff)
	}
	for _, name := range metricName.FindAllString(text, -1) {
		base := name
		if told[strings.TrimSuffix(name, "_bucket")] == "histogram" {
			base = strings.TrimSuffix(name, "_bucket")
		}
		if told[base] == "" {
			t.Errorf("%s is named, and not exported", name)
		}
	}
}

// rules are what Prometheus takes as a file of rules.
type rules struct {
	Groups []struct {
		Name  string
		Rules []struct {
			Alert, Expr, For string
			Annotations      map[string]string
		}
	}
}

// TestMonitoringRules: both YAML blocks are read strictly; each rule says what it means and what to do, by commands that there are.
func TestMonitoringRules(t *testing.T) {
	t.Parallel()
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(readDoc(t, monitoringDoc), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks of YAML", len(blocks))
	}
	var config map[string]any
	if err := yaml.Unmarshal([]byte(blocks[0][1]), &config); err != nil || config["scrape_configs"] == nil {
		t.Errorf("prometheus.yml: %v", err)
	}
	var all rules
	dec := yaml.NewDecoder(strings.NewReader(blocks[1][1]))
	dec.KnownFields(true)
	if err := dec.Decode(&all); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, rule := range all.Groups[0].Rules {
		if seen[rule.Alert] || rule.Expr == "" || rule.Annotations["summary"] == "" || rule.Annotations["action"] == "" {
			t.Errorf("%q stands twice, or says too little: %+v", rule.Alert, rule)
		}
		seen[rule.Alert] = true
		if !metricName.MatchString(rule.Expr) && rule.Alert != "PraxDown" {
			t.Errorf("%s reads no series of ours: %s", rule.Alert, rule.Expr)
		}
		if strings.Count(rule.Expr, "(") != strings.Count(rule.Expr, ")") || strings.Count(rule.Expr, "{") != strings.Count(rule.Expr, "}") {
			t.Errorf("%s: brackets: %s", rule.Alert, rule.Expr)
		}
		for _, m := range regexp.MustCompile(`\bprax ([a-z]+)(?: ([a-z]+))?`).FindAllStringSubmatch(rule.Annotations["action"], -1) {
			if !isCommand(m[1], m[2]) && !isCommand(m[1], "") {
				t.Errorf("%s: %q is no command", rule.Alert, m[0])
			}
		}
	}
	for _, need := range []string{
		"PraxDown", "PraxRegistryUnreadable", "PraxAuthFailures", "PraxUnknownAttempts", "PraxApprovalsWaitLong", "PraxSlowCommits", "PraxLogGrows",
		"PraxStoreRefusesWrites", "PraxClientsExpire", "PraxCertificateExpires",
	} {
		if !seen[need] {
			t.Errorf("there is no rule %s in %v", need, slices.Sorted(maps.Keys(seen)))
		}
	}
}
