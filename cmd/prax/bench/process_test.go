package bench

import (
	"os"
	"runtime"
	"testing"
)

// TestProcess: a process has memory, and has used the time that it says itself.
func TestProcess(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("what a process uses is read from /proc, which Linux has")
	}
	before := ownTime()
	p, err := processOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if after := ownTime(); p.cpu < before-0.1 || p.cpu > after+0.1 { // in ticks, user and system each
		t.Errorf("%.2f s of processor time, which is between %.2f and %.2f", p.cpu, before, after)
	}
	if p.rss <= 0 || p.peak < p.rss {
		t.Errorf("%.1f MB resident, %.1f at its peak", p.rss, p.peak)
	}
	if nobody, err := processOf(0); err != nil || nobody != (process{}) {
		t.Errorf("no process used %+v, error %v", nobody, err)
	}
	if _, err := processOf(1<<31 - 1); err == nil {
		t.Error("a process that cannot be has used something")
	}
}
