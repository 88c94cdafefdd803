package store

import (
	"errors"
	"fmt"
	"time"
)

// NoticeKind is what a notice tells.
type NoticeKind string

// The kinds, each with the members of a [Notice] that it has.
const (
	NoticeApproval NoticeKind = "approval.opened"  // Workflow, Approval, Expires
	NoticeUnknown  NoticeKind = "attempt.unknown"  // Attempt, and Workflow where it has one
	NoticeExpiring NoticeKind = "client.expiring"  // Client, Expires
	NoticeRefused  NoticeKind = "registry.refused" // all of clients.json, or entries of it
)

// Notice is something that the operator is to be told of outside: ids, names of clients and times, and nothing of what
// callers sent. It waits until it was delivered, or is given up.
type Notice struct {
	ID       string // nt_ and 26 characters: by it whoever is told twice knows
	Kind     NoticeKind
	Workflow string
	Approval string
	Attempt  string
	Client   string
	At       time.Time // when it came about
	Expires  time.Time // of what it tells; zero: never

	User  string    // whose doings led to it, of whom too many are not kept; "": the server's own
	Once  string    // what is the same is told once until Until; "": it is told in any case
	Until time.Time // zero where there is no Once

	Tries  int       // how often its delivery was begun
	Worker string    // who delivers it; "": nobody
	Next   time.Time // when it is due; while a worker has it, until when that is taken to be alive
}

// Notices is the noun's part of a transaction: the server's own, which no caller reads.
type Notices interface {
	// AddNotice has a notice wait, due at once. false: one with the same Once is there, or was told and its Until is
	// not over at n.At; or MaxNotices of its kind and user wait. Nothing is written then.
	AddNotice(n Notice) (added bool, err error)

	// ClaimNotice gives the worker the notice that has been due longest, until lease, and counts a try; one that
	// another worker has counts as due when its lease ended before a time. ErrNotFound when none is due.
	ClaimNotice(worker string, before, lease, now time.Time) (Notice, error)

	// DelayNotice has one that the worker has wait until next. ErrConflict when another has it; ErrNotFound when
	// it does not wait.
	DelayNotice(id, worker string, next time.Time) error

	// EndNotice has one that the worker has wait no more; its Once stays. Errors are those of DelayNotice.
	EndNotice(id, worker string) error

	// NextNotice is when the next is due; zero when none waits.
	NextNotice() (time.Time, error)

	// FailedNotices tells how many wait although their delivery was tried, and when the oldest came about: zero where
	// there is none.
	FailedNotices() (n int64, since time.Time, err error)

	// DropNotices ends all that wait, and tells how many there were: after a restore.
	DropNotices() (int64, error)
}

// Check tells whether a store may take the notice.
func (n Notice) Check() error {
	if err := checkNamed(text{"id of the notice", n.ID, MaxIDBytes}); err != nil {
		return err
	}
	err := checkTexts(text{"workflow", n.Workflow, MaxIDBytes}, text{"approval", n.Approval, MaxIDBytes}, text{"attempt", n.Attempt, MaxIDBytes},
		text{"client", n.Client, MaxFieldBytes}, text{"user of the notice", n.User, MaxFieldBytes}, text{"once", n.Once, MaxIDBytes})
	if err != nil {
		return err
	}
	if n.At.IsZero() || (n.Once == "") != n.Until.IsZero() {
		return errors.New("a notice needs its time, and a last one exactly if it is told once")
	}
	return n.checkSubject()
}

// checkSubject: a notice has the members of its kind, so that no other text gets outside.
func (n Notice) checkSubject() error {
	has := func(workflow, approval, attempt, client bool) bool {
		return (n.Workflow != "") == workflow && (n.Approval != "") == approval && (n.Attempt != "") == attempt && (n.Client != "") == client
	}
	fits := false
	switch n.Kind {
	case NoticeApproval:
		fits = has(true, true, false, false)
	case NoticeUnknown:
		fits = has(n.Workflow != "", false, true, false)
	case NoticeExpiring:
		fits = has(false, false, false, true)
	case NoticeRefused:
		fits = has(false, false, false, false)
	}
	if !fits {
		return fmt.Errorf("a notice of the kind %q does not have these members", SafeString(string(n.Kind)))
	}
	return nil
}

// Normal is a new notice as a store keeps it: times in milliseconds and UTC, due at once, tried by nobody.
func (n Notice) Normal() Notice {
	n.Tries, n.Worker, n.Next = 0, "", n.At
	for _, t := range []*time.Time{&n.At, &n.Expires, &n.Until, &n.Next} {
		*t = Milliseconds(*t)
	}
	return n
}
