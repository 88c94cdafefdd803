package doctor

import (
	"os"
	"path/filepath"
	"strings"
)

// marks are what programs that copy folders to other machines leave in the root of theirs.
var marks = []struct{ file, by string }{
	{".dropbox", "Dropbox"},
	{".dropbox.cache", "Dropbox"},
	{".849C9593-D756-4E56-8D6E-42412F2A707B", "OneDrive"},
	{".tmp.drivedownload", "Google Drive"},
	{".tmp.driveupload", "Google Drive"},
	{".stfolder", "Syncthing"},
	{".SynologyWorkingDirectory", "Synology Drive"},
}

// names are what their folders are called, where they have a name of their own; after some of them comes the name of an account.
var names = []struct{ name, by string }{
	{"Dropbox", "Dropbox"},
	{"OneDrive", "OneDrive"},
	{"Google Drive", "Google Drive"},
	{"GoogleDrive", "Google Drive"},
	{"My Drive", "Google Drive"},
	{"CloudStorage", "a cloud"},
	{"Mobile Documents", "iCloud"},
	{"com~apple~CloudDocs", "iCloud"},
	{"iCloudDrive", "iCloud"},
	{"Nextcloud", "Nextcloud"},
	{"pCloudDrive", "pCloud"},
}

// syncedBy is the program that copies the folder of a path elsewhere; "" when none is known to.
func syncedBy(path string) string {
	for at := resolved(path); at != filepath.Dir(at); at = filepath.Dir(at) {
		for _, n := range names {
			if rest, found := strings.CutPrefix(filepath.Base(at), n.name); found && (rest == "" || strings.ContainsAny(rest[:1], " -(")) {
				return n.by
			}
		}
		for _, m := range marks {
			if _, err := os.Lstat(filepath.Join(at, m.file)); err == nil {
				return m.by
			}
		}
	}
	return ""
}
