package runner

import (
	"errors"
	"fmt"

	"prax/store"
	"prax/tools/workflow"
)

// Answer is an instance as it is now, what became of it, and for whom that is.
type Answer struct {
	Definition *workflow.Definition // the one that the instance has pinned, with the version that the store gave it
	Instance   *workflow.Instance   // its Evidence may be missing where no guard of the definition counts any
	Stored     store.Instance
	Change     *workflow.Change  // what this call changed; nil: nothing
	Refusal    *workflow.Refusal // why the request was refused, or what failed although the change stands; nil: nothing
	Approvals  []store.Approval  // the open ones of this instance
	Attempt    *store.Attempt    // the one that it waits for; nil: none
	Caller     workflow.Caller
	Expired    bool // this call found that the time was over, and took the instance to where the timeout leads

	form  *form  // of Stored, where all of the answer follows from it until an approval expires, and nothing was asked of the instance; else nil
	drive *drive // what it set going; nil: nothing
}

// waitFor says which attempt the instance waits for; nil: none.
func (a *Answer) waitFor(s *store.Attempt) {
	a.Attempt = s
	if a.Instance == nil {
		return
	}
	instance := *a.Instance
	instance.Busy = busy(s)
	a.Instance = &instance
}

// busy is an attempt as the engine sees it; nil for nil.
func busy(a *store.Attempt) *workflow.Busy {
	if a == nil {
		return nil
	}
	return &workflow.Busy{
		Attempt: a.ID, Transition: a.Transition, Kind: a.Kind, Unknown: a.Status == store.AttemptUnknown, Since: a.Created,
	}
}

// The errors that say that something is not there. They are the same, byte for byte, whether it never existed, is
// somebody else's, or is of a definition that the caller may not use.
var (
	ErrUnknownDefinition = errors.New("unknown workflow definition")
	ErrUnknownInstance   = errors.New("unknown workflow")
	ErrUnknownApproval   = errors.New("unknown approval")
)

// RunTaken says that the caller's user has an instance with this run id already.
type RunTaken struct {
	InstanceID string // "" when it is of a definition that the caller may not use
}

// Error is the same whichever instance it is.
func (*RunTaken) Error() string { return "this run id is taken" }

// Corrupt says that an instance cannot be read: its row, or the definition that it has pinned, is not what was
// stored, or needs something that this version does not have. It can still be cancelled.
type Corrupt struct {
	InstanceID   string
	DefinitionID string
	State        string
	Err          error
}

// Error names the instance, its state and its definition.
func (c *Corrupt) Error() string {
	return fmt.Sprintf("workflow %s in the state %q of the definition %q cannot be read: %v", c.InstanceID, c.State, c.DefinitionID, c.Err)
}

// Unwrap is why.
func (c *Corrupt) Unwrap() error { return c.Err }
