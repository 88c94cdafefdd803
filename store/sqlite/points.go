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
