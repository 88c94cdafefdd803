package doctor

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"syscall"

	"prax/tools/process"
)

// Machine is what is asked of the machine.
type Machine struct {
	Owner  func(fs.FileInfo) (uid int, ok bool)
	Mounts func() ([]byte, error)                                 // as Linux has them in /proc/self/mountinfo; fs.ErrNotExist elsewhere
	Disk   func(path string) (Disk, error)                        // that a file is on
	Listen func(addr string) error                                // whether one could
	Run    func(context.Context, ...string) (out []byte, _ error) // a program; fs.ErrNotExist when it is not installed
}

// Disk is the room of a file system.
type Disk struct {
	Free        uint64 // bytes that a user may still take
	Files       uint64 // there can be; 0: as many as there is room for
	FilesUnused uint64
	ReadOnly    bool
}

// ThisMachine is the one that prax runs on; path is where programs are looked for.
func ThisMachine(path string) Machine {
	return Machine{
		Owner: owner, Disk: disk, Listen: listen,
		Mounts: func() ([]byte, error) { return os.ReadFile("/proc/self/mountinfo") },
		Run:    func(ctx context.Context, argv ...string) ([]byte, error) { return run(ctx, path, argv) },
	}
}

func owner(info fs.FileInfo) (int, bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}

func disk(path string) (Disk, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return Disk{}, err
	}
	const readOnly = 1 // ST_RDONLY of Linux, MNT_RDONLY elsewhere
	return Disk{
		Free: uint64(s.Bavail) * uint64(s.Bsize), Files: uint64(s.Files), FilesUnused: uint64(s.Ffree), ReadOnly: s.Flags&readOnly != 0,
	}, nil
}

// listen takes an address for a moment; nobody is answered.
func listen(addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	return l.Close()
}

var errFailed = errors.New("it failed")

// run is the output of a program that may see the search path and nothing else of the environment.
func run(ctx context.Context, path string, argv []string) ([]byte, error) {
	out, err := process.Run(ctx, process.Command{Path: argv[0], Args: argv[1:], Env: []string{"PATH=" + path}})
	if err == nil && out.Exit != 0 {
		err = errFailed
	}
	return out.Stdout, err
}
