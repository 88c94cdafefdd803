package workflow

import "prax/tools/schema"

// Code names why something was refused. Codes are part of the wire: they never change their meaning.
type Code string

// The codes that the engine itself decides.
const (
	StaleVersion       Code = "STALE_WORKFLOW_VERSION"              // the workflow was moved since the caller read it
	InvalidTransition  Code = "INVALID_TRANSITION"                  // its state has no such transition
	ActorMismatch      Code = "ACTOR_MISMATCH"                      // the transition is for another kind of actor, mostly a person
	ChoiceMismatch     Code = "CHOICE_MISMATCH"                     // the answer is none of the options of the gate
	FireCapExceeded    Code = "TRANSITION_FIRE_CAP_EXCEEDED"        // the transition was taken as often as it may be
	InputViolation     Code = "INPUT_SCHEMA_VIOLATION"              // the arguments do not fit the inputSchema of the transition
	GuardRejected      Code = "GUARD_REJECTED"                      // a condition of the transition does not hold
	GuardUnsetSlot     Code = "GUARD_UNSET_SLOT"                    // a condition reads what nothing has written yet
	DigestRequired     Code = "EVIDENCE_DIGEST_REQUIRED"            // there is evidence, but none with a digest, which the guard asks for
	ConfidenceLow      Code = "EVIDENCE_CONFIDENCE_BELOW_THRESHOLD" // there is evidence, but none that is confident enough for the guard
	InvalidConfidence  Code = "INVALID_CONFIDENCE"                  // what ran stated a confidence that is not between 0 and 1
	ExecutorFailed     Code = "EXECUTOR_FAILED"                     // what the transition runs has failed; errorClass says how
	SlotTypeError      Code = "BLACKBOARD_TYPE_ERROR"               // a value that would be written is not of the declared type
	ConstraintViolated Code = "SLOT_CONSTRAINT_VIOLATED"            // a value that would be written is not one that its constraint allows
	ContextTooLarge    Code = "CONTEXT_TOO_LARGE"                   // the context of the workflow would grow too large
	WhileCapExceeded   Code = "WHILE_ITERATION_CAP_EXCEEDED"        // the state was gone through as often as it may be
	ChainFailed        Code = "CHAIN_FAILED"                        // the server could not go on by itself behind the transition
	Livelock           Code = "LIVELOCK_QUARANTINE"                 // the server went on by itself for too many steps
	DeadlineExceeded   Code = "MISSION_DEADLINE_EXCEEDED"           // the server went on by itself for too long
	TimedOut           Code = "WORKFLOW_TIMED_OUT"                  // the time of the workflow, or of its state, was over
	WorkflowCancelled  Code = "WORKFLOW_CANCELLED"                  // it was cancelled
	WorkflowCompleted  Code = "WORKFLOW_COMPLETED"                  // it is in a terminal state
	InvalidInput       Code = "INVALID_INPUT"                       // the input does not fit the inputSchema of the definition
	Corrupt            Code = "CORRUPT_WORKFLOW"                    // what is stored of the workflow cannot be read any more

	InProgress    Code = "IN_PROGRESS"    // an attempt runs: its end decides what comes next
	EffectUnknown Code = "EFFECT_UNKNOWN" // an effect may have happened, and a person has to find out
	ClientRevoked Code = "CLIENT_REVOKED" // the client that caused it is out: nothing more is done for it

	ApprovalNotOpen  Code = "APPROVAL_NOT_OPEN"        // unknown, used up, rejected, or voided by a change
	ApprovalExpired  Code = "APPROVAL_EXPIRED"         // nobody answered in time
	ApprovalMismatch Code = "APPROVAL_DIGEST_MISMATCH" // the answer is to other material than what was asked
)

// Refusal says no, and what to do about it. Message and Hint are for a caller: they name what the caller sees
// anyway, never the text of a guard, and never a value that is not the caller's own argument.
type Refusal struct {
	Code       Code
	Message    string
	Hint       string
	Transition string // the one that was tried; "" where there is none
	Class      string // of a failed executor or chain: errorClass on the wire
	Violations []schema.Violation
}

// hints say the next step to a caller, by code. All of them rely on the links that come with the refusal.
var hints = map[Code]string{
	StaleVersion:       "copy one of the links of this answer: they carry the current version",
	InvalidTransition:  "take one of the links of this answer",
	ActorMismatch:      "a person has to take this transition, with a client of the role human; wait, or take another link",
	ChoiceMismatch:     "send one of the options that are shown with the gate",
	FireCapExceeded:    "take another link: this one is used up until the state is left",
	InputViolation:     "correct the arguments by the violations and the link's inputSchema, and send it again",
	GuardRejected:      "take another link, or bring about first what the guard demands; explain tells its parts",
	GuardUnsetSlot:     "take the transition that sets this path first",
	DigestRequired:     "record evidence that carries a digest first",
	ConfidenceLow:      "record evidence of more confidence first",
	InvalidConfidence:  "the executor must state a confidence between 0 and 1",
	ExecutorFailed:     "nothing was changed: correct the cause, then send it again",
	SlotTypeError:      "nothing was changed: send arguments whose result fits the slot",
	ConstraintViolated: "nothing was changed: send a value that the slot's constraint allows",
	ContextTooLarge:    "nothing was changed: send less at a time",
	WhileCapExceeded:   "nothing was changed: send arguments with which the state is done, or take another link",
	ChainFailed:        "the state was kept: a link with the actor deterministic tries the step again",
	Livelock:           "the workflow was cancelled: start it anew once its definition has a way out",
	DeadlineExceeded:   "the workflow was cancelled: start it anew",
	TimedOut:           "the time of this workflow was over before the request: see its state and links",
	WorkflowCancelled:  "start a new one",
	WorkflowCompleted:  "start a new one",
	InvalidInput:       "correct the input by the violations and the definition's inputSchema, and start again",
	Corrupt:            "the operator must look at this instance",
	InProgress:         "read the workflow until it is done: the link get; cancel ends it",
	EffectUnknown:      "a person has to find out whether it happened, and take reconcile_applied or reconcile_not_applied",
	ClientRevoked:      "a person has to take it on, or cancel it",
	ApprovalNotOpen:    "ask again by taking the transition",
	ApprovalExpired:    "ask again by taking the transition",
	ApprovalMismatch:   "look at the approval again, and answer with the digest of what is shown now",
}

func refuse(code Code, message string) *Refusal {
	return &Refusal{Code: code, Message: message, Hint: hints[code]}
}

// of names the transition that was tried.
func (r *Refusal) of(transition string) *Refusal {
	r.Transition = clip(transition)
	return r
}
