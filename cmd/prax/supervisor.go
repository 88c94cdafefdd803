package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"time"
)

// supervisor is the service manager that started the server and wants to be told how it is (sd_notify(3)). A nil one is told
// nothing.
type supervisor struct {
	socket   *net.UnixAddr
	watchdog time.Duration // it takes a server for hung that says nothing for so long; 0: it does not
	log      *slog.Logger
}

// tellTime bounds how long one that does not read is waited for.
const tellTime = time.Second

// supervisorOf is who NOTIFY_SOCKET names, nil when it is unset. WATCHDOG_USEC counts only for the process that
// WATCHDOG_PID names, if that is set (sd_watchdog_enabled(3)).
func supervisorOf(environ map[string]string, pid int, log *slog.Logger) (*supervisor, error) {
	name := environ["NOTIFY_SOCKET"]
	if name == "" {
		return nil, nil
	}
	if name[0] != '/' && name[0] != '@' || len(name) < 2 {
		return nil, fmt.Errorf("NOTIFY_SOCKET=%s: neither a path nor an abstract socket", name)
	}
	s := &supervisor{socket: &net.UnixAddr{Name: name, Net: "unixgram"}, log: log} // net reads @ as abstract
	usec := environ["WATCHDOG_USEC"]
	if of := environ["WATCHDOG_PID"]; usec == "" || of != "" && of != strconv.Itoa(pid) {
		return s, nil
	}
	n, err := strconv.ParseInt(usec, 10, 64)
	if err != nil || n < 1 || n > int64(time.Duration(1<<63-1)/time.Microsecond) {
		return nil, fmt.Errorf("WATCHDOG_USEC=%s: not a number of microseconds", usec)
	}
	s.watchdog = time.Duration(n) * time.Microsecond
	return s, nil
}

func (s *supervisor) ready()    { s.tell("READY=1\nSTATUS=serving") }
func (s *supervisor) stopping() { s.tell("STOPPING=1\nSTATUS=finishing what runs") }
func (s *supervisor) alive()    { s.tell("WATCHDOG=1") }

// reloading says when the reload began, by which it tells one from another; ready ends it.
func (s *supervisor) reloading() {
	state := "RELOADING=1\nSTATUS=reading the files again"
	if now, known := monotonic(); known {
		state += "\nMONOTONIC_USEC=" + strconv.FormatInt(now.Microseconds(), 10)
	}
	s.tell(state)
}

// tell sends one datagram. One that does not take it is no reason not to serve.
func (s *supervisor) tell(state string) {
	if s == nil {
		return
	}
	if err := s.send(state); err != nil {
		s.log.Warn("the service manager could not be told", slog.String("state", state), slog.Any("error", err))
	}
}

func (s *supervisor) send(state string) error {
	c, err := net.DialUnix(s.socket.Net, nil, s.socket)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetWriteDeadline(time.Now().Add(tellTime))
	_, err = c.Write([]byte(state))
	return err
}

// tellSupervisor says that the server is there, once it listens and has taken over what an earlier one left behind, and then
// that it stops.
func (a *app) tellSupervisor(serving context.Context) {
	select {
	case <-a.runner.Recovered():
		a.supervisor.ready()
		<-serving.Done()
	case <-serving.Done():
	}
	a.supervisor.stopping()
}

// feedWatchdog tells, twice in the time that the supervisor waits, that the server goes on. Before each word it asks the
// store, and says nothing for as long as that does not answer; that it cannot write, as on a full disk, is an answer.
func (a *app) feedWatchdog(ctx context.Context) error {
	if a.supervisor == nil || a.supervisor.watchdog == 0 {
		<-ctx.Done()
		return nil
	}
	tick := time.NewTicker(max(a.supervisor.watchdog/2, time.Millisecond))
	defer tick.Stop()
	for {
		_ = a.db.Health(ctx)
		select {
		case <-ctx.Done():
			return nil
		default:
			a.supervisor.alive()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
