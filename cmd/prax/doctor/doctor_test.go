package doctor_test

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"prax/auth"
	"prax/auth/clients"
	"prax/cmd/prax/doctor"
	"prax/store"
	"prax/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	goodHash = "4f6f3dd9de9b4a1c2d3ef4ac0ccf0fb6b6ffd0d3e6b3a52ee0d6e8a3f7f3a111"
	secret   = "prx_plain2plain2plain2plain2plain2pl"
)

// installation is a healthy one in a directory of its own, to plant a fault in.
type installation struct {
	t     *testing.T
	dir   string
	facts doctor.Facts
}

// catalogue knows two tools.
type catalogue struct{}

func (catalogue) Tier(name string) (auth.Tier, bool) {
	switch name {
	case "memory_recall":
		return auth.Low, true
	case "note_delete":
		return auth.High, true
	}
	return auth.TierUnknown, false
}

func newInstallation(t *testing.T) *installation {
	t.Helper()
	dir := t.TempDir()
	must(t, os.Chmod(dir, 0o700))
	w := &installation{t: t, dir: dir}
	w.serve(time.Now)
	w.write("clients.json", `{"clients":[{"name":"a","user_id":"u","allow":["memory_recall"],"token_sha256":"`+goodHash+`"}]}`)
	w.write("praxec.yaml", "version: \"1.0.0\"\n")
	w.write("config.env", "PRAX_LOG=info\n")
	w.write("token", secret)
	m := doctor.ThisMachine(os.Getenv("PATH"))
	m.Mounts = func() ([]byte, error) { return []byte("1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"), nil }
	m.Disk = func(string) (doctor.Disk, error) {
		return doctor.Disk{Free: 1 << 40, Files: 1 << 20, FilesUnused: 1 << 19}, nil
	}
	m.Listen = func(string) error { return nil }
	m.Run = func(context.Context, ...string) ([]byte, error) { return nil, fs.ErrNotExist }
	w.facts = doctor.Facts{
		UID: os.Getuid(), Version: "v1", Data: w.path("data"), Addr: "127.0.0.1:8808", Enabled: true,
		Files: []doctor.File{
			{Path: w.path("clients.json"), What: "the file of clients", Watched: true},
			{Path: w.path("praxec.yaml"), What: "the definitions", Watched: true},
			{Path: w.path("config.env"), What: "the file of settings"},
			{Path: w.path("token"), What: "the file of MCP_BEARER_TOKEN", Secret: true},
		},
		Word: func(path string) string { return path }, Machine: m,
	}
	return w
}

// serve has a server run with the data for a moment, under a clock.
func (w *installation) serve(now func() time.Time) {
	db, err := sqlite.Open(w.t.Context(), sqlite.Config{Dir: w.path("data"), Now: now})
	must(w.t, err)
	must(w.t, db.Update(w.t.Context(), func(tx store.Tx) error {
		tx.AddEvent(store.Event{Kind: store.EventServer, Outcome: "ok"})
		return nil
	}))
	must(w.t, db.Close())
}

func (w *installation) path(name string) string { return filepath.Join(w.dir, name) }

func (w *installation) write(name, text string) {
	w.t.Helper()
	must(w.t, os.WriteFile(w.path(name), []byte(text), 0o600))
}

// age has a file be of another time.
func (w *installation) age(name string, by time.Duration) {
	w.t.Helper()
	at := time.Now().Add(-by)
	must(w.t, os.Chtimes(w.path(name), at, at))
}

// examine looks at it as it is now.
func (w *installation) examine() doctor.Report {
	w.t.Helper()
	f := w.facts
	f.Now = time.Now()
	f.Listed, f.Clients = clients.List(clients.Config{Path: w.path("clients.json")}, catalogue{}, f.Now)
	f.Open = func() (doctor.Store, error) { return sqlite.OpenReadOnly(f.Data) }
	return doctor.Examine(w.t.Context(), f)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestHealthy: of an installation without a fault nothing is said, with a server and without.
func TestHealthy(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func(*installation){
		"at rest": func(*installation) {},
		"running": func(w *installation) {
			w.facts.Machine.Listen = func(string) error { return errors.New("it must not be tried") }
			w.facts.Server = &doctor.Server{Version: "v1", Addr: "127.0.0.1:8808", Enabled: true, Digest: w.digest()}
		},
		"behind tailscale serve": func(w *installation) {
			w.facts.Public = "https://box.tail.ts.net"
			w.tailscale(`{"TCP":{"443":{"HTTPS":true}},"Web":{"box.tail.ts.net:443":{"Handlers":{"/":{"Proxy":"http://127.0.0.1:8808"}}}}}`)
		},
		"a funnel to something else": func(w *installation) {
			w.tailscale(`{"TCP":{"443":{"HTTPS":true}},"Web":{"box.tail.ts.net:443":{"Handlers":{"/":{"Proxy":"http://127.0.0.1:3000"}}}},"AllowFunnel":{"box.tail.ts.net:443":true}}`)
		},
		"tailscale does not answer, and nobody asked for it": func(w *installation) {
			w.facts.Machine.Run = func(context.Context, ...string) ([]byte, error) { return nil, context.DeadlineExceeded }
		},
		"an edit of this moment": func(w *installation) { w.write("clients.json.ABC.tmp", "{}") },
		"an old copy kept by hand": func(w *installation) {
			w.write("clients.json.bak", "{}")
			w.age("clients.json.bak", time.Hour)
		},
		"a rotation that overlaps": func(w *installation) {
			w.write("clients.json", `{"clients":[{"name":"a","user_id":"u","allow":["memory_recall"],"tokens":[{"sha256":"`+goodHash+`","expires_at":"`+
				time.Now().Add(time.Hour).UTC().Format(time.RFC3339)+`"},{"sha256":"6`+goodHash[1:]+`"}]}]}`)
		},
		"a drive named alike": func(w *installation) { w.move("Dropboxes") },
		"a mount of the directory": func(w *installation) {
			w.mounts("2 1 8:2 / " + w.dir + " rw - ext4 /dev/sdb1 rw")
		},
		"definitions that the group may edit": func(w *installation) { w.chmod(0o664, "praxec.yaml") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newInstallation(t)
			plant(w)
			r := w.examine()
			if !r.OK || len(r.Findings) > 0 || len(r.Looked) < 8 {
				t.Errorf("%+v", r)
			}
		})
	}
}

func (w *installation) digest() string {
	return clients.Check(clients.Config{Path: w.path("clients.json")}, catalogue{}, time.Now()).Digest
}

func (w *installation) tailscale(text string) {
	w.facts.Machine.Run = func(context.Context, ...string) ([]byte, error) { return []byte(text), nil }
}

// mounts adds a line to those that the system has.
func (w *installation) mounts(line string) {
	w.facts.Machine.Mounts = func() ([]byte, error) {
		return []byte("1 0 8:1 / / rw - ext4 /dev/sda1 rw\n" + line + "\n"), nil
	}
}

// move puts the data into a folder of this name.
func (w *installation) move(folder string) {
	must(w.t, os.Mkdir(w.path(folder), 0o700))
	must(w.t, os.Rename(w.path("data"), w.path(folder+"/data")))
	w.facts.Data = w.path(folder + "/data")
}

func (w *installation) chmod(mode fs.FileMode, names ...string) {
	w.t.Helper()
	for _, name := range names {
		must(w.t, os.Chmod(w.path(name), mode))
	}
}

// client has one more entry be in the file.
func (w *installation) client(entry string) {
	w.write("clients.json", `{"clients":[{"name":"a","user_id":"u","allow":["memory_recall"],"token_sha256":"`+goodHash+`"},`+entry+`]}`)
}

// socket leaves a socket that nobody listens at.
func (w *installation) socket() {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: w.path("data/prax.sock"), Net: "unix"})
	must(w.t, err)
	l.SetUnlinkOnClose(false)
	must(w.t, os.Chmod(w.path("data/prax.sock"), 0o600))
	must(w.t, l.Close())
}

func (w *installation) root() {
	if os.Getuid() != 0 {
		w.t.Skip("only root can give files away")
	}
}

// TestPlanted: every fault that is planted is found, once, with a hint, and nothing else.
func TestPlanted(t *testing.T) {
	t.Parallel()
	const other = `{"name":"b","user_id":"u","allow":["memory_recall"],"token_sha256":"5f6f3dd9de9b4a1c2d3ef4ac0ccf0fb6b6ffd0d3e6b3a52ee0d6e8a3f7f3a111"`
	for name, tt := range map[string]struct {
		plant    func(*installation)
		severity string
		code     doctor.Code
	}{
		"off":                          {func(w *installation) { w.facts.Enabled = false }, doctor.Warning, doctor.Off},
		"off for the server that runs": {func(w *installation) { w.facts.Server = w.server("v1", false) }, doctor.Warning, doctor.Off},
		"a server of before":           {func(w *installation) { w.facts.Server = w.server("v0", true) }, doctor.Warning, doctor.OtherVersion},
		"a misspelt name":              {func(w *installation) { w.facts.Unread = []string{"PRAX_ADRR has no effect"} }, doctor.Warning, doctor.UnknownSetting},

		"no data":              {func(w *installation) { w.facts.Data = w.path("nowhere") }, doctor.Warning, doctor.NoData},
		"data that is a file":  {func(w *installation) { w.facts.Data = w.path("token") }, doctor.Error, doctor.DataUnusable},
		"data of another user": {func(w *installation) { w.facts.UID = 4711 }, doctor.Error, doctor.NotYours},
		"data that its owner may not write": {func(w *installation) {
			w.root() // others could not look into it afterwards
			w.chmod(0o500, "data")
		}, doctor.Error, doctor.DataUnusable},
		"data open to readers":      {func(w *installation) { w.chmod(0o755, "data") }, doctor.Warning, doctor.DataOpen},
		"data open to writers":      {func(w *installation) { w.chmod(0o770, "data") }, doctor.Error, doctor.DataOpen},
		"files open in closed data": {func(w *installation) { w.chmod(0o644, "data/prax.db", "data/keys/audit.key") }, doctor.Warning, doctor.DataFileOpen},
		"a log of root": {func(w *installation) {
			w.root()
			w.write("data/prax.db-wal", "")
			must(w.t, os.Chown(w.path("data/prax.db-wal"), 4711, -1))
		}, doctor.Error, doctor.DataOwner},

		"clients that all may edit":     {func(w *installation) { w.chmod(0o646, "clients.json") }, doctor.Error, doctor.FileOpen},
		"definitions that all may edit": {func(w *installation) { w.chmod(0o666, "praxec.yaml") }, doctor.Error, doctor.FileOpen},
		"a secret that others may read": {func(w *installation) { w.chmod(0o640, "token") }, doctor.Error, doctor.FileOpen},
		"clients of another user": {func(w *installation) {
			w.root()
			must(w.t, os.Chown(w.path("clients.json"), 4711, -1))
			w.chmod(0o644, "clients.json")
		}, doctor.Warning, doctor.FileOwner},
		"clients that the server cannot read": {func(w *installation) {
			w.root()
			must(w.t, filepath.WalkDir(w.path("data"), func(path string, _ fs.DirEntry, err error) error {
				return errors.Join(err, os.Chown(path, 4711, -1))
			}))
			for _, name := range []string{"praxec.yaml", "config.env", "token"} {
				must(w.t, os.Chown(w.path(name), 4711, -1))
			}
		}, doctor.Error, doctor.FileOwner},
		"a folder that all may write": {func(w *installation) {
			must(w.t, os.Mkdir(w.path("open"), 0o700))
			w.chmod(0o777, "open")
			must(w.t, os.Rename(w.path("token"), w.path("open/token")))
			w.facts.Files[3].Path = w.path("open/token")
		}, doctor.Error, doctor.FolderOpen},

		"clients mounted by themselves": {func(w *installation) {
			w.mounts("2 1 8:2 /etc/clients.json " + w.path("clients.json") + " rw - ext4 /dev/sdb1 rw")
		}, doctor.Warning, doctor.MountedFile},
		"data by NFS": {func(w *installation) {
			w.mounts("2 1 0:9 / " + w.path("data") + " rw shared:3 master:4 - nfs4 host:/x rw")
		}, doctor.Error, doctor.RemoteData},
		"data above by 9p": {func(w *installation) { w.mounts("2 1 0:9 / " + w.dir + " rw - 9p drvfs rw") }, doctor.Error, doctor.RemoteData},
		"data by sshfs": {func(w *installation) {
			w.move("a b")
			w.mounts(`2 1 0:9 / ` + w.path(`a\040b`) + ` rw - fuse.sshfs host: rw`)
		}, doctor.Error, doctor.RemoteData},
		"data in Dropbox":                {func(w *installation) { w.move("Dropbox") }, doctor.Error, doctor.SyncedData},
		"data in OneDrive":               {func(w *installation) { w.move("OneDrive - Example Ltd") }, doctor.Error, doctor.SyncedData},
		"data in Google Drive":           {func(w *installation) { w.move("GoogleDrive-a@example.net") }, doctor.Error, doctor.SyncedData},
		"data in iCloud":                 {func(w *installation) { w.move("com~apple~CloudDocs") }, doctor.Error, doctor.SyncedData},
		"data below a mark of Syncthing": {func(w *installation) { must(w.t, os.Mkdir(w.path(".stfolder"), 0o700)) }, doctor.Error, doctor.SyncedData},

		"a full disk":        {func(w *installation) { w.disk(doctor.Disk{Free: 1 << 20}) }, doctor.Error, doctor.DiskFull},
		"a disk with little": {func(w *installation) { w.disk(doctor.Disk{Free: 100 << 20}) }, doctor.Warning, doctor.DiskLow},
		"a read-only disk":   {func(w *installation) { w.disk(doctor.Disk{ReadOnly: true}) }, doctor.Error, doctor.ReadOnlyData},
		"no inodes":          {func(w *installation) { w.disk(doctor.Disk{Free: 1 << 40, Files: 100, FilesUnused: 3}) }, doctor.Error, doctor.NoFilesLeft},
		"few inodes":         {func(w *installation) { w.disk(doctor.Disk{Free: 1 << 40, Files: 5000, FilesUnused: 300}) }, doctor.Warning, doctor.FewFilesLeft},
		"a disk that says nothing": {func(w *installation) {
			w.facts.Machine.Disk = func(string) (doctor.Disk, error) { return doctor.Disk{}, errors.New("stale file handle") }
		}, doctor.Warning, doctor.DiskUnknown},
		"a log that grew": {func(w *installation) {
			w.write("data/prax.db-wal", "")
			must(w.t, os.Truncate(w.path("data/prax.db-wal"), 100<<20))
		}, doctor.Warning, doctor.LargeLog},

		"a clock behind the audit": {func(w *installation) { w.serve(func() time.Time { return time.Now().Add(time.Hour) }) }, doctor.Error, doctor.ClockBack},
		"files of the future": {func(w *installation) {
			w.age("clients.json", -time.Hour)
			w.age("data/prax.db", -time.Hour)
		}, doctor.Warning, doctor.ClockFiles},

		"the socket of a dead server":  {(*installation).socket, doctor.Warning, doctor.DeadSocket},
		"a file in the socket's place": {func(w *installation) { w.write("data/prax.sock", "") }, doctor.Error, doctor.NoSocket},
		"a socket that one may not ask at": {func(w *installation) {
			w.socket()
			w.facts.Down = fs.ErrPermission
		}, doctor.Error, doctor.SocketUnusable},
		"an interrupted restore":   {func(w *installation) { must(w.t, os.Mkdir(w.path("data/restoring"), 0o700)) }, doctor.Error, doctor.InterruptedRestore},
		"a chain that did not fit": {func(w *installation) { w.write("data/audit-head.mismatch.json", "{}") }, doctor.Warning, doctor.ChainMismatch},
		"what a killed server was writing": {func(w *installation) {
			w.write("data/audit-head.json.123.new", "")
			w.age("data/audit-head.json.123.new", time.Hour)
		}, doctor.Warning, doctor.Leftover},
		"what a killed edit was writing": {func(w *installation) {
			w.write("clients.json.ABC.tmp", "")
			w.age("clients.json.ABC.tmp", time.Hour)
		}, doctor.Warning, doctor.LeftoverEdit},
		"no database":             {func(w *installation) { must(w.t, os.Remove(w.path("data/prax.db"))) }, doctor.Error, doctor.StoreClosed},
		"a database that is none": {func(w *installation) { w.write("data/prax.db", strings.Repeat("x", 4096)) }, doctor.Error, doctor.StoreClosed},

		"clients that are no JSON":    {func(w *installation) { w.write("clients.json", "{") }, doctor.Error, doctor.ClientsUnusable},
		"an entry with a mistake":     {func(w *installation) { w.client(`{"name":"b","user_id":"u","token_sha256":"none"}`) }, doctor.Error, doctor.Refused},
		"an unknown tool":             {func(w *installation) { w.client(strings.Replace(other, "recall", "recal", 1) + "}") }, doctor.Error, doctor.GrantsNothing},
		"a HIGH tool":                 {func(w *installation) { w.client(strings.Replace(other, "memory_recall", "note_delete", 1) + "}") }, doctor.Error, doctor.GrantsNothing},
		"a member that nothing reads": {func(w *installation) { w.client(other + `,"colour":"red"}`) }, doctor.Error, doctor.UnreadMember},
		"a token in plain text": {func(w *installation) {
			w.client(`{"name":"b","user_id":"u","allow":["memory_recall"],"token":"` + secret + `"}`)
		}, doctor.Warning, doctor.PlainToken},
		"a client without a name":              {func(w *installation) { w.client(strings.Replace(other, `"name":"b",`, "", 1) + "}") }, doctor.Warning, doctor.ClientsDoubtful},
		"a client that has expired":            {func(w *installation) { w.client(other + `,"expires_at":"2020-01-01T00:00:00Z"}`) }, doctor.Warning, doctor.ExpiredClient},
		"a client whose expiry cannot be read": {func(w *installation) { w.client(other + `,"expires_at":"soon"}`) }, doctor.Error, doctor.Refused},
		"a token that is never good": {func(w *installation) {
			w.client(`{"name":"b","user_id":"u","allow":["memory_recall"],"tokens":[{"sha256":"7` + goodHash[1:] + `","not_before":"never"}]}`)
		}, doctor.Error, doctor.Refused},
		"a client that will expire": {func(w *installation) {
			w.client(other + `,"expires_at":"` + time.Now().Add(48*time.Hour).UTC().Format(time.RFC3339) + `"}`)
		}, doctor.Warning, doctor.ExpiresSoon},
		"a client whose tokens leave a gap": {func(w *installation) {
			in := func(days int) string { return time.Now().AddDate(0, 0, days).UTC().Format(time.RFC3339) }
			w.client(`{"name":"b","user_id":"u","allow":["memory_recall"],"tokens":[{"sha256":"7` + goodHash[1:] + `","expires_at":"` + in(2) + `"},
				{"sha256":"8` + goodHash[1:] + `","not_before":"` + in(30) + `"}]}`)
		}, doctor.Warning, doctor.ExpiresSoon},
		"nobody": {func(w *installation) { w.write("clients.json", `{"clients":[]}`) }, doctor.Error, doctor.Nobody},
		"an edit that the server does not see": {func(w *installation) {
			w.facts.Server = w.server("v1", true)
			w.facts.Server.Digest = strings.Repeat("0", 64)
			w.age("clients.json", time.Hour)
		}, doctor.Error, doctor.NotInForce},

		"the port of another process":                              {func(w *installation) { w.listener(false) }, doctor.Error, doctor.PortUsed},
		"the port of another process, beside our server elsewhere": {func(w *installation) { w.listener(true) }, doctor.Warning, doctor.PortUsed},
		"the port of metrics, which another process has": {func(w *installation) {
			w.listener(false)
			w.facts.Addr, w.facts.Metrics = "127.0.0.1:0", w.facts.Addr
		}, doctor.Error, doctor.PortUsed},
		"an address of another machine": {func(w *installation) {
			w.facts.Addr = "192.0.2.1:8808" // RFC 5737: nobody's
			w.facts.Machine.Listen = doctor.ThisMachine("").Listen
		}, doctor.Error, doctor.NoAddress},
		"a port that one may not have": {func(w *installation) {
			w.facts.Machine.Listen = func(string) error { return &net.OpError{Op: "listen", Err: fs.ErrPermission} }
		}, doctor.Error, doctor.PortForbidden},

		"a funnel": {func(w *installation) {
			w.tailscale(`{"TCP":{"443":{"HTTPS":true}},"Web":{"box.tail.ts.net:443":{"Handlers":{"/prax":{"Proxy":"http://localhost:8808"}}}},"AllowFunnel":{"box.tail.ts.net:443":true}}`)
		}, doctor.Warning, doctor.Funnel},
		"a funnel of TCP, in the foreground": {func(w *installation) {
			w.tailscale(`{"Foreground":{"s1":{"TCP":{"8443":{"TCPForward":"127.0.0.1:8808"}},"AllowFunnel":{"box.tail.ts.net:8443":true}}}}`)
		}, doctor.Warning, doctor.Funnel},
		"a name of a tailnet and nothing that serves it": {func(w *installation) {
			w.facts.Public = "https://box.tail.ts.net/prax"
			w.tailscale(`{}`)
		}, doctor.Warning, doctor.NotServed},
		"a name of a tailnet and no answer": {func(w *installation) {
			w.facts.Public = "https://box.tail.ts.net"
			w.tailscale("not JSON")
		}, doctor.Warning, doctor.TailscaleSilent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newInstallation(t)
			tt.plant(w)
			r := w.examine()
			if len(r.Findings) != 1 {
				t.Fatalf("%d findings: %+v", len(r.Findings), r.Findings)
			}
			got := r.Findings[0]
			if got.Severity != tt.severity || got.Code != tt.code || r.OK != (tt.severity != doctor.Error) {
				t.Errorf("%+v, OK is %v; want %s %s", got, r.OK, tt.severity, tt.code)
			}
			if got.Text == "" || got.Hint == "" && got.Code != doctor.DiskUnknown {
				t.Errorf("no text, or nothing to do about it: %+v", got)
			}
			if all := got.Text + got.Hint + got.File; strings.Contains(all, secret) || strings.Contains(all, goodHash) {
				t.Errorf("a secret is shown: %+v", got)
			}
		})
	}
}

func (w *installation) server(version string, enabled bool) *doctor.Server {
	return &doctor.Server{Version: version, Addr: "127.0.0.1:8808", Enabled: enabled, Digest: w.digest()}
}

func (w *installation) disk(d doctor.Disk) {
	w.facts.Machine.Disk = func(string) (doctor.Disk, error) { return d, nil }
}

// listener takes a port, and has that be the one of the settings.
func (w *installation) listener(ours bool) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(w.t, err)
	w.t.Cleanup(func() { _ = l.Close() })
	w.facts.Addr = l.Addr().String()
	w.facts.Machine.Listen = doctor.ThisMachine("").Listen
	if ours {
		w.facts.Server = w.server("v1", true)
		w.facts.Server.Addr = "127.0.0.1:1"
	}
}

// TestOneFaultHidesNoOther: several faults are several findings, and none keeps the others from being looked for.
func TestOneFaultHidesNoOther(t *testing.T) {
	t.Parallel()
	w := newInstallation(t)
	w.facts.Enabled = false
	w.write("clients.json", "{")
	must(t, os.Remove(w.path("data/prax.db")))
	w.chmod(0o644, "token")
	w.facts.Machine.Listen = func(string) error { return errors.New("no") }
	var codes []string
	for _, f := range w.examine().Findings {
		codes = append(codes, string(f.Code))
	}
	if got, want := strings.Join(codes, " "), "off file-open clients-unusable store-closed cannot-listen"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestChangesNothing: looking leaves every file as it was, and makes none.
func TestChangesNothing(t *testing.T) {
	t.Parallel()
	w := newInstallation(t)
	w.socket()
	w.age("clients.json", time.Hour)
	before := w.picture()
	w.examine()
	if after := w.picture(); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// picture is every file with its size and times.
func (w *installation) picture() string {
	var b strings.Builder
	must(w.t, filepath.WalkDir(w.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			b.WriteString(path + " " + info.Mode().String() + " " + info.ModTime().String() + "\n")
		}
		return err
	}))
	return b.String()
}
