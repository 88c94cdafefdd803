package process

import (
	"errors"
	"io"
	"os"
	"time"
)

// What is kept of the outputs when the command does not say.
const (
	defaultMaxOut = 1 << 20
	defaultMaxErr = 64 << 10
)

// pipes are the three standard descriptors of a child, and our ends of them.
type pipes struct {
	child [3]*os.File // what the child gets
	input *os.File    // our end of its standard input; nil: it has none
	out   *capture
	err   *capture
	done  chan struct{} // closed when both outputs have been read to their end
	fed   chan struct{} // closed when nothing is written any more
}

func open(c Command) (*pipes, error) {
	p := &pipes{done: make(chan struct{}), fed: make(chan struct{})}
	err := p.openInput(len(c.Stdin) > 0)
	if err == nil {
		p.out, p.child[1], err = newCapture(c.MaxOut, defaultMaxOut)
	}
	if err == nil {
		p.err, p.child[2], err = newCapture(c.MaxErr, defaultMaxErr)
	}
	if err != nil {
		p.passed()
		p.abandon()
		return nil, err
	}
	return p, nil
}

func (p *pipes) openInput(some bool) (err error) {
	if some {
		p.child[0], p.input, err = os.Pipe()
	} else {
		p.child[0], err = os.Open(os.DevNull)
	}
	return err
}

// passed closes the ends that the child has, or was to have.
func (p *pipes) passed() {
	for _, f := range p.child {
		if f != nil {
			_ = f.Close()
		}
	}
}

// abandon closes our ends when there is no child.
func (p *pipes) abandon() {
	if p.input != nil {
		_ = p.input.Close()
	}
	for _, c := range []*capture{p.out, p.err} {
		if c != nil {
			_ = c.from.Close()
		}
	}
}

// serve starts to write and read.
func (p *pipes) serve(stdin []byte) {
	go func() {
		defer close(p.fed)
		if p.input != nil {
			_, _ = p.input.Write(stdin) // one that does not read all of it may do so
			_ = p.input.Close()
		}
	}()
	go func() {
		defer close(p.done)
		other := make(chan struct{})
		go func() { defer close(other); p.err.read() }()
		p.out.read()
		<-other
	}()
}

// drainWithin waits for the end of both outputs.
func (p *pipes) drainWithin(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.done:
		return true
	case <-t.C:
		return false
	}
}

// close ends all reading and writing, whoever else holds the other ends, and hands over what was read.
func (p *pipes) close(o *Outcome) {
	if p.input != nil {
		_ = p.input.Close()
	}
	for _, c := range []*capture{p.out, p.err} {
		_ = c.from.Close()
	}
	<-p.done
	<-p.fed
	o.Stdout, o.StdoutCut = p.out.kept, p.out.cut
	o.Stderr, o.StderrCut = p.err.kept, p.err.cut
}

// capture keeps the first bytes of an output. All of it is read, so that the child never waits.
type capture struct {
	from *os.File
	most int
	kept []byte
	cut  bool
}

func newCapture(most, otherwise int) (*capture, *os.File, error) {
	if most <= 0 {
		most = otherwise
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	return &capture{from: r, most: most}, w, nil
}

func (c *capture) read() {
	buf := make([]byte, 32<<10)
	for {
		n, err := c.from.Read(buf)
		room := min(n, c.most-len(c.kept))
		c.kept = append(c.kept, buf[:room]...)
		c.cut = c.cut || room < n
		if err != nil {
			c.cut = c.cut || !errors.Is(err, io.EOF) // its end was not seen
			return
		}
	}
}
