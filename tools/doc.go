// Package tools is what a caller can do: [Tool], [Call], [Result], the [Registry] of tools that
// exist now, and the one pipeline that every call passes, whichever protocol it came by.
//
// Protocol packages translate and then call [Registry.Call]; it finds, asks auth/policy, checks the
// arguments, sets the deadline, runs the handler and writes the audit event, in that order. Nothing
// that could tell a forbidden tool from a missing one happens before the decision.
package tools
