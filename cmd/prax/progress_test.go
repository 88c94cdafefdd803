package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// onTerminal is a program whose standard error is a terminal of this kind.
func onTerminal(term string, more ...string) (*program, *screenText) {
	p, _, _ := trial(append(more, "TERM="+term)...)
	out := &screenText{screen: &screen{}}
	out.screen.to = &out.text
	p.stderr = out.screen
	return p, out
}

// screenText is what a screen was given, which is read while the screen still gets some.
type screenText struct {
	screen *screen
	text   bytes.Buffer
}

// String is all of it so far.
func (s *screenText) String() string {
	s.screen.mu.Lock()
	defer s.screen.mu.Unlock()
	return s.text.String()
}

// TestProgress: what takes long is told of, in one line that is gone at the end; what is printed meanwhile stays whole.
func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, out := onTerminal("xterm")
		at := p.progress("backup")
		time.Sleep(900 * time.Millisecond)
		synctest.Wait()
		if text := out.String(); text != "" {
			t.Errorf("told too soon: %q", text)
		}
		at.say("copying\x1b[2J")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if text := out.String(); !strings.HasSuffix(text, `copying\u{1b}[2J … 2s`) || strings.Contains(text, "\n") {
			t.Errorf("%q", text)
		}
		if _, err := p.stderr.Write([]byte("a line of the log\n")); err != nil {
			t.Error(err)
		}
		if text := out.String(); !strings.HasSuffix(text, "2s"+clearLine+"a line of the log\n") {
			t.Errorf("%q", text)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		at.end()
		at.end()
		if text := out.String(); !strings.HasSuffix(text, "3s"+clearLine) {
			t.Errorf("%q", text)
		}
	})
}

// TestProgressQuick: what is over soon leaves no trace.
func TestProgressQuick(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, out := onTerminal("xterm")
		at := p.progress("backup")
		time.Sleep(patientFor / 2)
		at.end()
		if text := out.String(); text != "" {
			t.Errorf("%q", text)
		}
	})
}

// TestProgressElsewhere: nothing is told where there is no terminal, or one that only prints lines.
func TestProgressElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dumb, shown := onTerminal("dumb")
		none, _, stderr := trial("TERM=xterm")
		for _, p := range []*program{dumb, none} {
			at := p.progress("backup")
			at.say("copying")
			time.Sleep(5 * time.Second)
			at.end()
		}
		if shown.String() != "" || stderr.Len() > 0 {
			t.Errorf("%q %q", shown, stderr)
		}
	})
}

// TestColoured: colours are shown on a terminal that has them, unless they are not wanted.
func TestColoured(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		term, variable string
		want           string
	}{
		{"xterm", "", red + "x" + plain},
		{"xterm", "NO_COLOR=", red + "x" + plain}, // set to nothing is not set, https://no-color.org
		{"xterm", "NO_COLOR=1", "x"},
		{"dumb", "", "x"},
		{"", "", "x"},
	} {
		p, _ := onTerminal(tt.term, tt.variable)
		if got := p.coloured(p.stderr, red, "x"); got != tt.want {
			t.Errorf("TERM=%s %s: %q, want %q", tt.term, tt.variable, got, tt.want)
		}
		if got := p.coloured(p.stdout, red, "x"); got != "x" {
			t.Errorf("elsewhere: %q", got)
		}
	}
}
