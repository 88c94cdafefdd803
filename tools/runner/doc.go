// Package runner runs instances of workflows. It asks the engine (tools/workflow) what a request means, on a read of
// the store, and commits what the engine says in one versioned mutation: nothing of a guard, a schema or an encoding
// runs in the store's writer. A change, its history, its evidence, the approval that it opens or uses up and its
// audit event are one fact.
//
// An executor with an effect runs between two of them, in an attempt that is durable before the effect begins. It goes
// on whoever waits for it; what becomes of it is committed together with the change that it leads to. Whether it may run
// is judged when it is planned and before each further try. An attempt that a server left behind is taken over by the
// next: started again where that does no more than once, else in doubt, until a person settles it ([Runner.Reconcile]).
//
// [Runner.Run] keeps time: it applies the timeouts of instances that nobody touches, and takes over such attempts.
// [Runner.Stop] waits for those that run.
//
// What waits for a person, an approval or an effect in doubt, is written down for the operator in the transaction in which it
// comes about. [Runner.Deliver] tells it, through a [Hook], and tries again until that got there.
package runner
