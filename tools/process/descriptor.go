package process

import (
	"os"
	"strconv"
	"syscall"
)

// sealListed marks each descriptor in a directory of them as closed on exec, the standard ones left out.
func sealListed(dir string) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range list {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}
