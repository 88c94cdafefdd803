package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// DefaultPath is the PATH of a child that was given none.
const DefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Check says why the command could not be started, as far as that can be told without starting it: nil or a [*StartError].
func (c Command) Check() error {
	if _, err := c.program(); err != nil {
		return &StartError{Path: c.Path, Err: err}
	}
	return nil
}

// program is the file that is run, once the command has been found in order. What it says of a command has no
// argument and no value in it.
func (c Command) program() (string, error) {
	if err := c.check(); err != nil {
		return "", err
	}
	switch {
	case c.Path == "":
		return "", errors.New("no program was named")
	case filepath.IsAbs(c.Path):
		return c.Path, runnable(c.Path)
	case strings.HasPrefix(c.Path, "./"):
		return c.Path, runnable(filepath.Join(c.Dir, c.Path)) // the child is in Dir already when it looks
	case strings.Contains(c.Path, "/"):
		return "", errors.New(`neither a name, nor an absolute path, nor one that begins with "./"`)
	}
	return c.lookUp()
}

// check refuses what the system would cut short, and a directory that is none.
func (c Command) check() error {
	if strings.IndexByte(c.Path, 0) >= 0 || strings.IndexByte(c.Dir, 0) >= 0 {
		return errors.New("NUL in the name of a program or directory")
	}
	for i, a := range c.Args {
		if strings.IndexByte(a, 0) >= 0 {
			return fmt.Errorf("NUL in argument %d", i+1)
		}
	}
	for i, e := range c.Env {
		name, _, ok := strings.Cut(e, "=")
		switch {
		case !ok || name == "":
			return fmt.Errorf("element %d of the environment is not NAME=value", i+1)
		case strings.IndexByte(e, 0) >= 0:
			return fmt.Errorf("NUL in element %d of the environment", i+1)
		}
	}
	return checkDir(c.Dir)
}

func checkDir(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("directory %s: %w", dir, cause(err))
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", dir)
	}
	return nil
}

// lookUp finds a name in the PATH that the child will have. What is not absolute there leads nowhere: it would mean
// another program in another directory.
func (c Command) lookUp() (string, error) {
	path := valueOf(c.environment(), "PATH")
	found := error(fs.ErrNotExist)
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		file := filepath.Join(dir, c.Path)
		err := runnable(file)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			found = err
		}
	}
	if errors.Is(found, fs.ErrNotExist) {
		return "", fmt.Errorf("not found in %s: %w", path, fs.ErrNotExist)
	}
	return "", found
}

// runnable tells why a file cannot be run, as far as that can be told without running it.
func runnable(file string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return cause(err)
	case !info.Mode().IsRegular():
		return errors.New("not a regular file")
	case info.Mode()&0o111 == 0:
		return fmt.Errorf("not executable: %w", fs.ErrPermission)
	}
	return nil
}

// environment is Env with a PATH. It is never nil: that would mean our own.
func (c Command) environment() []string {
	env := make([]string, 0, len(c.Env)+1)
	place := make(map[string]int, len(c.Env))
	for _, e := range c.Env {
		name, _, _ := strings.Cut(e, "=")
		if at, twice := place[name]; twice {
			env[at] = e // the last one holds, as a shell has it
			continue
		}
		place[name] = len(env)
		env = append(env, e)
	}
	if _, given := place["PATH"]; !given {
		env = append(env, "PATH="+DefaultPath)
	}
	return env
}

func valueOf(env []string, name string) string {
	for _, e := range env {
		if n, value, _ := strings.Cut(e, "="); n == name {
			return value
		}
	}
	return ""
}
