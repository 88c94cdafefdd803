// Package executor is what a capability does, one kind each. By now there is static: canned answers, with
// templates over the caller's arguments, progress, delays and errors, to test clients against a server that
// their author controls.
//
// An executor here is a configuration: tools/definition fills it from the operator's file and has it compiled
// once. What a caller sends is data and stays data: it is put into a template's place and never looked at
// again.
package executor
