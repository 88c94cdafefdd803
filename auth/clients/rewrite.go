package clients

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// patience is how long an edit waits for another one to end.
const patience = 5 * time.Second

// testBeforeRename runs right before the last comparison.
var testBeforeRename = func() {}

// edit replaces the file by what change makes of its text, as one step: whoever reads it sees the old text
// or the new. The file must read before and after; judge, which may be nil, has the last word on what
// the new text means. A missing file counts as one without clients if create says so.
func edit(path string, create bool, change func([]byte) ([]byte, error), judge func(*snapshot) error) error {
	target, err := resolve(path)
	if err != nil {
		return err
	}
	unlock, err := lockDirectory(filepath.Dir(target))
	if err != nil {
		return err
	}
	defer unlock()
	before, f := readSource(target)
	switch {
	case f != nil && f.missing() && create:
		before.text = []byte("{\n  \"clients\": []\n}\n")
	case f != nil:
		return errors.New(f.text)
	}
	if err := reads(before, nil); err != nil {
		return err
	}
	after := source{path: target}
	if after.text, err = change(before.text); err != nil {
		return err
	}
	if err := reads(after, judge); err != nil {
		return err
	}
	return rewrite(target, before, after.text)
}

// reads tells why a text does not read as a clients file, or what judge says of it.
func reads(src source, judge func(*snapshot) error) error {
	s, report, f := assemble(&Config{}, nil, time.Now(), &src)
	if f != nil {
		p := report.Problems[0]
		return fmt.Errorf("line %d, column %d: %s", p.Line, p.Column, f.text)
	}
	if judge == nil {
		return nil
	}
	return judge(s)
}

// resolve follows links, so that the file behind them is edited and they stay. What is not there yet
// stands for itself; a link to nowhere is an error.
func resolve(path string) (string, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return filepath.Abs(path)
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("follow links: %w", err)
	}
	return filepath.Abs(target)
}

// lockDirectory keeps our own edits apart. The lock is on the directory itself: a lock file would be left
// behind, and one on the file would go with its inode.
func lockDirectory(dir string) (unlock func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("open directory: %w", err)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		err = syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = d.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) || time.Now().After(deadline) {
			_ = d.Close()
			return nil, fmt.Errorf("lock directory: %w", busy(err))
		}
	}
}

func busy(err error) error {
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrBusy
	}
	return err
}

// rewrite puts text in the place of a file that was read, unless it is another one by now. Owner and mode
// are those of the file; a new one is for its owner alone. It returns when the change is on disk.
func rewrite(target string, before source, text []byte) error {
	temp := target + "." + rand.Text() + ".tmp"
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write beside the file: %w", err)
	}
	defer func() { _ = os.Remove(temp) }() // gone already when all went well
	_, err = f.Write(text)
	err = errors.Join(err, likeOld(f, target), f.Sync(), f.Close())
	if err != nil {
		return fmt.Errorf("write beside the file: %w", err)
	}
	testBeforeRename()
	if now, f := readSource(target); now.digest != before.digest || f != nil && !f.missing() {
		return ErrChanged
	}
	if err := os.Rename(temp, target); err != nil {
		return fmt.Errorf("rename over the file: %w", err)
	}
	return syncDirectory(filepath.Dir(target))
}

// likeOld gives a new file owner and mode of the one that it will replace.
func likeOld(f *os.File, target string) error {
	info, err := os.Stat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return f.Chmod(0o600)
	}
	if err != nil {
		return err
	}
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	if was, is := owner(info), owner(mine); was != is {
		if err := f.Chown(int(was.uid), int(was.gid)); err != nil {
			return fmt.Errorf("keep the owner: %w", err)
		}
	}
	return f.Chmod(info.Mode().Perm())
}

type ownership struct{ uid, gid uint32 }

func owner(info fs.FileInfo) ownership {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return ownership{st.Uid, st.Gid}
	}
	return ownership{}
}

func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	return errors.Join(d.Sync(), d.Close())
}
