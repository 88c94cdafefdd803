package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// sample is one run of one target.
type sample struct {
	cpu    float64 // seconds of the server for 100,000 requests
	memory float64 // resident at rest, MB
}

// answered is what the load prints.
type answered struct {
	Requests   int64   `json:"requests"`
	ServerCPU  float64 `json:"server_cpu"`
	Errors     int64   `json:"errors"`
	FirstError string  `json:"first_error"`
}

// measure runs the load against a fresh process of the target.
func (t target) measure(ctx context.Context, s settings, body string) (sample, error) {
	var got sample
	err := t.serving(ctx, func(addr string, pid int) error {
		time.Sleep(s.settle)
		var err error
		if got.memory, err = resident(pid); err != nil {
			return err
		}
		load := pinned(ctx, loadCore, []string{s.program("load"), "-addr", addr, "-body", body, "-tokens", t.tokens,
			"-c", fmt.Sprint(s.connections), "-warm", s.warm.String(), "-time", s.time.String(), "-pid", fmt.Sprint(pid)})
		load.Stderr = os.Stderr
		out, err := load.Output()
		var r answered
		if bad := json.Unmarshal(out, &r); bad != nil {
			return errors.Join(err, bad)
		}
		if err != nil || r.Errors > 0 || r.Requests == 0 {
			return fmt.Errorf("load: %d requests, %d errors: %s", r.Requests, r.Errors, r.FirstError)
		}
		got.cpu = r.ServerCPU / float64(r.Requests) * 100_000
		return nil
	})
	return got, err
}

// resident reads the resident memory of a process, in MB.
func resident(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := bytes.Cut(status, []byte("VmRSS:"))
	var kB float64
	if _, err := fmt.Sscan(string(rest), &kB); err != nil {
		return 0, fmt.Errorf("resident memory of %d: %w", pid, err)
	}
	return kB / 1024, nil
}
