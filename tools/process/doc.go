// Package process is the one way to start a child: in a group of its own that is killed as a whole, with exactly the
// environment and the descriptors that it was given, with bounded output, and never for longer than its context.
//
// It knows nothing of secrets and of workflows: tools/executor and tools/binding decide what is run, and cut what is
// read.
package process
