// Package control is the operator's way in: a unix socket in the data directory, for the user that
// the server runs as and for root, never TCP and never a bearer token. It lets an operator call a
// tool with exactly a client's rights, ask why a client may or may not use one, read and verify the
// audit, and have clients.json read again.
//
// [Server] serves the socket, [Client] is its other end, and [Operator] is what either does: commands
// that find no server use one directly on the files. Every act is audited with the operator's uid.
package control
