// Package clients is the registry of who may call: clients.json, read into an immutable snapshot that
// every request is judged by. [Open] loads it, [Registry.Run] keeps it in step with the file,
// [Registry.Lookup] finds the principal of a credential, and [Check] reports what is wrong with a
// file without putting it in force.
//
// The file decides, now: a reload reads, validates everything, reports every problem with its line,
// builds the next snapshot aside and swaps one pointer. One bad entry is out and touches no other. A
// file that cannot be read at all keeps the last good snapshot for a second, because an editor may be
// saving, and then admits nobody that the file admitted, until it reads again.
//
// [AddClient], [RotateClient] and [RevokeClient] edit the file as an operator would, leaving every byte
// that they need not change; [List] shows it.
//
// No token and no hash of one ever stands in a problem, a report, a change or a log line.
package clients
