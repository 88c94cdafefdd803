package doctor

// Code names a kind of finding; it never changes, so that scripts may rely on it.
type Code string

// The codes of findings.
const (
	UnknownSetting     Code = "unknown-setting"     // a name is set that nothing reads
	Off                Code = "off"                 // /mcp answers 404
	OtherVersion       Code = "other-version"       // the running server is of another version than the command
	NoData             Code = "no-data"             // there is no data directory yet
	DataUnusable       Code = "data-unusable"       // the data directory is none, or its owner may not write there
	NotYours           Code = "not-yours"           // the data directory belongs to another user than who asks
	DataOpen           Code = "data-open"           // others than its owner reach the data directory
	DataFileOpen       Code = "data-file-open"      // files in it are open to others
	DataOwner          Code = "data-owner"          // files in it belong to another user than the directory
	FileOpen           Code = "file-open"           // a file beside the data can be changed by others, or is secret and can be read
	FileOwner          Code = "file-owner"          // a file beside the data belongs to another user than the server
	FolderOpen         Code = "folder-open"         // everybody can put another file in its place
	MountedFile        Code = "mounted-file"        // a file is mounted by itself: edits outside are not seen
	RemoteData         Code = "remote-data"         // the data is on a file system of another machine
	SyncedData         Code = "synced-data"         // the data is in a folder that a program copies elsewhere
	ReadOnlyData       Code = "read-only-data"      // the file system of the data is read-only
	DiskFull           Code = "disk-full"           // writes are refused, or soon will be
	DiskLow            Code = "disk-low"            // there is no room for a backup or an upgrade
	DiskUnknown        Code = "disk-unknown"        // how much room there is cannot be told
	NoFilesLeft        Code = "no-files-left"       // the file system has no room for more files
	FewFilesLeft       Code = "few-files-left"      // it soon will have none
	LargeLog           Code = "large-log"           // the log of the database is not folded back
	ClockBack          Code = "clock-back"          // the clock is behind the newest event of the audit
	ClockFiles         Code = "clock-files"         // files are from the future
	InterruptedRestore Code = "interrupted-restore" // no server starts with what it left
	SocketUnusable     Code = "socket-unusable"     // it cannot be told whether a server runs
	NoSocket           Code = "no-socket"           // something else has the name of the operator's socket
	DeadSocket         Code = "dead-socket"         // a server was killed and left its socket
	ChainMismatch      Code = "chain-mismatch"      // a server found that the audit did not fit its signed head
	Leftover           Code = "leftover"            // a file was being written when somebody was killed
	LeftoverEdit       Code = "leftover-edit"       // so was another version of a file beside the data
	ClientsUnusable    Code = "clients-unusable"    // the file of clients cannot be read: nobody of it is admitted
	Refused            Code = "refused"             // entries are out for a mistake
	GrantsNothing      Code = "grants-nothing"      // allow has names that no tool has, or that are never exposed
	UnreadMember       Code = "unread-member"       // entries have members that nothing reads
	ClientsDoubtful    Code = "clients-doubtful"    // whatever else prax check warns of in the file of clients
	PlainToken         Code = "plain-token"         // tokens stand in the file of clients instead of their hashes
	ExpiredClient      Code = "expired"             // clients are out by their expiry
	ExpiresSoon        Code = "expires-soon"        // clients will be within a week
	Nobody             Code = "nobody"              // /mcp is enabled and no client is live
	NotInForce         Code = "not-in-force"        // the running server has another file of clients in force
	StoreClosed        Code = "store-closed"        // the database cannot be opened
	StoreUnreadable    Code = "store-unreadable"    // the database cannot be read
	InDoubt            Code = "in-doubt"            // operations may have happened outside, or not
	Approvals          Code = "approvals"           // approvals wait for a person
	Parked             Code = "parked"              // workflows are open whose clients are out
	Untold             Code = "untold"              // notices to the operator wait after a failure
	PortUsed           Code = "port-used"           // another process has the port
	NoAddress          Code = "no-address"          // the machine has no such address to listen at
	PortForbidden      Code = "port-forbidden"      // the user may not listen at the port
	CannotListen       Code = "cannot-listen"       // one cannot listen there for another reason
	Funnel             Code = "funnel"              // tailscale opens the server to the internet
	NotServed          Code = "not-served"          // the public address is a tailnet's, and tailscale hands nothing on
	TailscaleSilent    Code = "tailscale-silent"    // it is, and tailscale does not answer
)
