package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// files are those beside the data: who can read what is secret, and change what decides.
func (x *examination) files(context.Context) {
	x.looked("files")
	for _, file := range x.Files {
		info, err := os.Stat(file.Path)
		if err != nil {
			continue // missing ones are for the settings to tell
		}
		x.fileMode(file, info)
		x.fileOwner(file, info)
		x.fileFolder(file)
	}
}

func (x *examination) fileMode(file File, info fs.FileInfo) {
	mode := info.Mode().Perm()
	switch {
	case info.IsDir():
		if mode&0o002 != 0 {
			x.found(Error, FileOpen, file.Path, "chmod go-w "+x.Word(file.Path), "%s, %s, can be changed by everybody (%04o)", file.What, file.Path, mode)
		}
	case mode&0o002 != 0 || file.Secret && mode&0o022 != 0:
		x.found(Error, FileOpen, file.Path, x.closing(file), "%s, %s, can be changed by others (%04o)", file.What, file.Path, mode)
	case file.Secret && mode&0o077 != 0:
		x.found(Error, FileOpen, file.Path, x.closing(file), "%s, %s, has a secret in it and can be read by others (%04o)", file.What, file.Path, mode)
	}
}

// closing is the command that closes a file to others, as far as it has to be.
func (x *examination) closing(file File) string {
	if file.Secret {
		return "chmod go= " + x.Word(file.Path)
	}
	return "chmod go-w " + x.Word(file.Path)
}

// fileOwner: whoever owns a file can change it, and the server has to be able to read it.
func (x *examination) fileOwner(file File, info fs.FileInfo) {
	uid, ok := x.Machine.Owner(info)
	server := x.serverUID()
	if !ok || uid == server {
		return
	}
	hint := fmt.Sprintf("chown %d %s", server, x.Word(file.Path))
	if server != 0 && info.Mode().Perm()&0o044 == 0 {
		x.found(Error, FileOwner, file.Path, hint, "%s, %s, belongs to uid %d, and the server, as uid %d, cannot read it", file.What, file.Path, uid, server)
	} else if uid != 0 {
		x.found(Warning, FileOwner, file.Path, hint, "%s, %s, belongs to uid %d, who can change it; the server is uid %d", file.What, file.Path, uid, server)
	}
}

// serverUID is as whom the server runs: the owner of the data, or else whoever asks.
func (x *examination) serverUID() int {
	if dir, err := os.Stat(x.Data); err == nil {
		if uid, ok := x.Machine.Owner(dir); ok {
			return uid
		}
	}
	return x.UID
}

// fileFolder: who can write to a file's directory can put another file in its place, unless the directory is sticky.
func (x *examination) fileFolder(file File) {
	folder := filepath.Dir(file.Path)
	info, err := os.Stat(folder)
	if err == nil && info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
		x.found(Error, FolderOpen, folder, "chmod o-w "+x.Word(folder), "everybody can put another file in the place of %s, %s: %s is open to all (%04o)",
			file.What, file.Path, folder, info.Mode().Perm())
	}
}
