package clients_test

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// TestReloadHundredTimesASecond: whoever stands in every version is served while the file is rewritten a hundred
// times a second in every way there is, torn saves among them; one that left for good is out soon after, and what
// is held does not grow. A file that was found torn stays whole until it is read again: if every look fell into a save
// for a second, it would admit nobody.
func TestReloadHundredTimesASecond(t *testing.T) {
	t.Parallel()
	gone, goneToken := client("gone")
	l := run(t, file(bystander, gone))
	l.in(goneToken)
	release := l.hold(byToken)
	defer release()
	saves := time.NewTicker(10 * time.Millisecond)
	defer saves.Stop()
	save := func(i int, entries ...string) {
		<-saves.C
		if !l.Status().OK {
			l.until("the whole file is read", func() bool { return l.Status().OK })
		}
		other, _ := client(fmt.Sprint("other", i))
		text := file(append(entries, other)...)
		switch i % 4 {
		case 0:
			l.rename(text)
		case 1:
			l.write(text)
		case 2: // torn, for a moment
			l.write(text[:len(text)/2])
			l.write(text)
		case 3:
			l.must(os.Remove(l.path))
			l.write(text)
		}
	}
	for i := range 150 {
		save(i, bystander, gone)
	}
	l.want(goneToken, true)
	before := l.Status().Generation
	left := time.Now()
	for i := 0; l.knows(goneToken); i++ {
		if time.Since(left) > 10*time.Second {
			t.Fatal("a client that is in no version any more is still served")
		}
		save(i, bystander)
	}
	for i := range 50 {
		save(i, bystander)
		l.want(goneToken, false)
	}
	if l.Status().Generation == before {
		t.Error("nothing was reloaded meanwhile")
	}
	l.rename(file(bystander))
	_, lastToken := client("other49")
	l.out(lastToken)
}
