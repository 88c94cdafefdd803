// Package lexicon is what the words of workflows mean: terms with a definition, their aliases, and the subjects
// that nobody has defined yet.
//
// Three layers lie over each other. The operator's file says what terms there are ([Entry]). What was defined at
// run time for everybody lies over it. What a user's own clients defined lies on top, and is seen by that user
// alone: a client, a person's too, changes nothing for anybody else. Only the operator makes an entry everybody's,
// by [Lexicon.Accept] or [Lexicon.Publish].
//
// Within a user, persons may define whatever they like; an agent needs a term that says agent-may-propose, or a
// subject that a workflow of its own waits for. Aliases obey the same.
//
// Names are exact: what only looks alike is another name, and one name at most of those that differ in case is ever
// added. Who looks one up need not know the case.
//
// The package keeps nothing. Its methods read and write through a transaction of the caller's.
package lexicon
