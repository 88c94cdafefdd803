// Package executor is what a capability does, one kind each.
//
// static gives canned answers, with templates over the caller's arguments, progress, delays and errors, to test
// clients against a server that their author controls. The others have an effect, and run in an attempt, as a [Run]
// that their [Kind] has prepared: cli a program, script a script of the library, rest a request to a service, tool
// a tool of this server.
//
// An executor here is a configuration: tools/definition fills it from the operator's file and has it checked or
// compiled once. Its targets are literals. What a caller sends is data and stays data: it is put into a place that was
// made for it and never looked at again. Where it could be run as code nevertheless, the tier is HIGH.
package executor
