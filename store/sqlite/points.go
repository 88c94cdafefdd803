package sqlite

// CrashPoints are the places at which a build with the tag crashpoints ends itself with SIGKILL,
// when the environment variable PRAX_CRASH_AT names one of them: name, or name:n for the n-th time
// that it is reached. The order is that of a life: start, a write, the head.
var CrashPoints = []string{
	"mid-migration", "after-migration",
	"before-begin", "after-begin", "after-savepoint", "mid-move", "after-function",
	"before-events", "mid-events", "before-commit", "after-commit", "before-answer",
	"before-block", "after-block",
	"before-head", "after-head",
	"before-checkpoint", "after-checkpoint",
}

// AttemptPoints are those of attempts, in their order: within [store.Attempts]' OpenAttempt and CloseAttempt.
var AttemptPoints = []string{"mid-attempt", "mid-closing"}

// MergePoints are those of merging the leads to what many users did. A life comes by them once it has written enough blocks
// of many users.
var MergePoints = []string{"before-merge", "mid-merge"}

// ArchivePoints are those of an [DB.Archive], BackupPoints those of a [WriteBackup], RestorePoints those
// of a restore from [OpenBackup] to [Restoration.Finish]. They lie outside the life of a server that is
// asked for none of it.
var (
	ArchivePoints = []string{"mid-archive", "archive-unnamed", "archive-written", "mid-removal", "after-removal"}
	BackupPoints  = []string{"backup-begun", "backup-copied", "backup-signed", "backup-verified", "mid-manifest", "after-manifest"}
	RestorePoints = []string{"restore-begun", "mid-copy", "restore-copied", "restore-applied", "mid-move", "restore-moved", "restore-done"}
)
