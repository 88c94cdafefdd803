// Package workflow is the engine: pure. A definition, an instance, a request, facts about the principal and a
// time go in, a decision comes out. It reads no clock, no file and no store, starts nothing and waits for
// nothing, so that what it decides can be proven, replayed and explained.
//
// tools/definition fills a [Definition] from the operator's files, tools/runner asks the engine what a
// request means and commits what it says, tools/praxec shows instances to callers.
package workflow
