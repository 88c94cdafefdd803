package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestLaw10EnvironmentIsHidden: another process of the same user cannot read what the server was started with.
func TestLaw10EnvironmentIsHidden(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can start processes of a user that has no rights over them")
	}
	t.Parallel()
	c := newCrash(t)
	const nobody = 65534
	server := filepath.Join(t.TempDir(), "prax")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Another process writes it: while this one has it open for writing, what it starts meanwhile would keep it busy.
	if text, err := exec.Command("install", "-m", "755", self, server).CombinedOutput(); err != nil {
		t.Fatalf("install: %v\n%s", err, text)
	}
	for dir := filepath.Dir(server); len(dir) > len(os.TempDir()); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := filepath.Walk(c.dir, func(path string, _ os.FileInfo, err error) error {
		return firstOf(err, os.Lchown(path, nobody, nobody))
	}); err != nil {
		t.Fatal(err)
	}
	as := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	c.prax, c.as = server, as
	cmd := c.start("", "CANARY_VARIABLE=canary")
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	if !c.ready(make(chan struct{})) {
		t.Fatalf("not ready: %s", cmd.Stderr)
	}
	look := exec.Command("cat", fmt.Sprintf("/proc/%d/environ", cmd.Process.Pid))
	look.SysProcAttr = as
	if text, err := look.CombinedOutput(); err == nil {
		t.Errorf("another process of the user reads %q", text)
	}
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
