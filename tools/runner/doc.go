// Package runner runs instances of workflows. It asks the engine (tools/workflow) what a request means, on a read of
// the store, and commits what the engine says in one versioned mutation: nothing of a guard, a schema or an encoding
// runs in the store's writer. A change, its history, its evidence, the approval that it opens or uses up and its
// audit event are one fact.
//
// It also keeps time: [Runner.Run] applies the timeouts of instances that nobody touches.
package runner
