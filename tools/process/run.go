package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
)

const (
	// grace is what a group has between SIGTERM and SIGKILL.
	grace = 2 * time.Second

	// linger is how long the output is waited for after the child has ended: others may hold it.
	linger = time.Second
)

// Run runs a command to its end. The error is a [*StartError] when nothing has begun, and wraps the one of ctx when ctx
// ended first: then the whole group was sent SIGTERM and, two seconds later, SIGKILL, and the outcome has what was read
// until then. A status that is not zero is no error, and neither is a signal that came from elsewhere.
//
// What the child leaves behind in its group is killed as well, so that nothing outlives Run but what moved into
// a session of its own. On Linux the child, though not those that it started, ends with this process, however that
// ends.
func Run(ctx context.Context, c Command) (Outcome, error) {
	// The kernel sends the signal of Pdeathsig when the thread ends that started the child, so that this one must
	// not end before.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	began := time.Now()
	k, err := start(ctx, c)
	if err != nil {
		return Outcome{}, &StartError{Path: c.Path, Err: err}
	}
	killed := k.wait(ctx)
	o, err := k.settle(killed)
	o.Took = time.Since(began)
	if !killed.IsZero() {
		return o, fmt.Errorf("killed: %w", ctx.Err())
	}
	return o, err
}

// child is a started command.
type child struct {
	process *os.Process
	pipes   *pipes
	ended   chan func() (*os.ProcessState, error) // receives how to reap it, once it has ended
}

func start(ctx context.Context, c Command) (*child, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	program, err := c.program()
	if err != nil {
		return nil, err
	}
	p, err := open(c)
	if err != nil {
		return nil, err
	}
	process, err := spawn(ctx, program, c, p)
	p.passed()
	if err != nil {
		p.abandon()
		return nil, err
	}
	p.serve(c.Stdin)
	k := &child{process: process, pipes: p, ended: make(chan func() (*os.ProcessState, error), 1)}
	go func() { k.ended <- awaitEnd(process) }()
	return k, nil
}

// spawn starts the program. One that was written a moment ago is busy for as long as another child, which is being
// started right now, holds the descriptor that it was written by: that is waited for.
func spawn(ctx context.Context, program string, c Command, p *pipes) (*os.Process, error) {
	attr := &os.ProcAttr{Dir: c.Dir, Env: c.environment(), Files: p.child[:], Sys: attributes()}
	argv := append([]string{c.Path}, c.Args...)
	for wait := time.Millisecond; ; wait *= 2 {
		sealDescriptors()
		process, err := os.StartProcess(program, argv, attr)
		if !errors.Is(err, syscall.ETXTBSY) || wait > 200*time.Millisecond {
			return process, cause(err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// cause is the error without the path, which [StartError] says.
func cause(err error) error {
	if of := (*os.PathError)(nil); errors.As(err, &of) {
		return of.Err
	}
	return err
}

// wait waits for the end of the child, and brings it about when ctx ends: then it says when.
func (k *child) wait(ctx context.Context) (killed time.Time) {
	select {
	case reap := <-k.ended:
		k.ended <- reap
		return time.Time{}
	case <-ctx.Done():
	}
	if len(k.ended) > 0 {
		return time.Time{}
	}
	killed = time.Now()
	k.signal(syscall.SIGTERM)
	if !k.endsWithin(grace) {
		k.signal(syscall.SIGKILL)
	}
	return killed
}

func (k *child) endsWithin(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case reap := <-k.ended:
		k.ended <- reap
		return true
	case <-t.C:
		return false
	}
}

// settle ends what the child has left behind and collects its outcome. Others of a group that was asked to end have
// what is left of the grace.
func (k *child) settle(killed time.Time) (Outcome, error) {
	reap := <-k.ended
	patience := linger
	if !killed.IsZero() {
		patience = time.Until(killed.Add(grace))
	}
	drained := k.pipes.drainWithin(patience)
	k.signal(syscall.SIGKILL) // on Linux the child is not reaped yet: its number is that of this group and of no other
	state, err := reap()
	if !drained {
		k.pipes.drainWithin(linger)
	}
	var o Outcome
	k.pipes.close(&o)
	if err != nil {
		o.Exit = -1
		return o, fmt.Errorf("wait for %d: %w", k.process.Pid, err)
	}
	o.Exit = state.ExitCode()
	if s, ok := state.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		o.Signal = s.Signal().String()
	}
	return o, nil
}

// signal sends to the whole group.
func (k *child) signal(s syscall.Signal) { _ = syscall.Kill(-k.process.Pid, s) }
