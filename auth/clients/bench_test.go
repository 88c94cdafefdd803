package clients_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"prax/auth"
	"prax/auth/clients"
)

// many is a file of n clients with a handful of allowlists.
func many(n int) string {
	allows := []string{`"default"`, `["memory_recall"]`, `["memory_recall", "memory_remember"]`, `[]`}
	var b strings.Builder
	b.WriteString("{\"clients\":[\n")
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `{"name":"agent-%d","user_id":"user-%d","token_sha256":"%s","allow":%s}`,
			i, i/2, auth.HashToken(tokenOf(i)).Hex(), allows[i%len(allows)])
	}
	b.WriteString("\n]}\n")
	return b.String()
}

func tokenOf(i int) string { return fmt.Sprintf("prx_%032d", i) }

// TestManyClients: a hundred thousand are read, found, and told apart.
func TestManyClients(t *testing.T) {
	t.Parallel()
	const n = 100_000
	reg := reopen(t, filepath.Join(t.TempDir(), "clients.json"), many(n))
	if s := reg.Status(); s.Clients != n || len(s.Problems) != 0 {
		t.Fatalf("%d clients, problems %v", s.Clients, s.Problems)
	}
	for _, i := range []int{0, 1, n / 2, n - 1} {
		want := fmt.Sprintf("agent-%d", i)
		if p, ok := reg.Lookup(auth.HashToken(tokenOf(i))); !ok || p.Client != want || p.User != fmt.Sprintf("user-%d", i/2) {
			t.Errorf("client %d is %t %+v", i, ok, p)
		}
		if p, ok := reg.ByName(want); !ok || p.Credential != auth.HashToken(tokenOf(i)) {
			t.Errorf("%s by name is %t", want, ok)
		}
	}
}

// TestLookupAllocatesNothing, whether it finds anybody or not.
func TestLookupAllocatesNothing(t *testing.T) {
	reg := reopen(t, filepath.Join(t.TempDir(), "clients.json"), file(alice(`"expires_at": "2999-01-01"`), bystander))
	known, unknown := auth.HashToken(aliceToken), auth.HashToken("nobody")
	if n := testing.AllocsPerRun(100, func() { reg.Lookup(known); reg.Lookup(unknown) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func BenchmarkLookup(b *testing.B) {
	for _, n := range []int{1, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			reg := reopen(b, filepath.Join(b.TempDir(), "clients.json"), many(n))
			tokens := make([]string, 1024)
			for i := range tokens {
				tokens[i] = tokenOf(i * 97 % n)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, ok := reg.Lookup(auth.HashToken(tokens[i%len(tokens)])); !ok {
					b.Fatal("unknown")
				}
			}
		})
	}
}

// BenchmarkReload reads 100,000 clients, changed each time, and reports the heap that they stay on.
func BenchmarkReload(b *testing.B) {
	path := filepath.Join(b.TempDir(), "clients.json")
	text := many(100_000)
	texts := [2][]byte{[]byte(text), []byte(text + "\n")}
	reg := reopen(b, path, text)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		if err := os.WriteFile(path, texts[(i+1)%2], 0o600); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if report := reg.Reload("benchmark"); !report.OK || report.Unchanged {
			b.Fatal("not reloaded")
		}
	}
	b.ReportMetric(heap(reg)/(1<<20), "live-MB")
}

// BenchmarkUnchanged reads 100,000 clients that are in force already.
func BenchmarkUnchanged(b *testing.B) {
	reg := reopen(b, filepath.Join(b.TempDir(), "clients.json"), many(100_000))
	for b.Loop() {
		if !reg.Reload("benchmark").Unchanged {
			b.Fatal("reloaded")
		}
	}
}

// heap is what is live while the registry is, in bytes.
func heap(reg *clients.Registry) float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	runtime.KeepAlive(reg)
	return float64(m.HeapAlloc)
}
