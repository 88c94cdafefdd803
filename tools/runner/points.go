package runner

// CrashPoints are the places at which a build with the tag crashpoints ends itself with SIGKILL, as those of the
// store are: when the environment variable PRAX_CRASH_AT names one of them, or name:n for the n-th time.
var CrashPoints = []string{
	"attempt-opened", // it is durable, and nobody runs it yet
	"attempt-begins", // its executor is about to be started
	"attempt-ended",  // its executor is done, and nobody knows it yet
	"attempt-renews", // its next try is durable
	"attempt-closed", // its end is durable, and nobody was told
}

// NoticePoints are those of a notice to the operator, which a life comes by when it has a hook.
var NoticePoints = []string{
	"notice-claimed", // it is about to be delivered
	"notice-told",    // its hook is done, and nobody knows it yet
}
