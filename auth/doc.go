// Package auth names who is calling and what a credential is: [Principal], the
// verified identity of one request; [Scope], whose rows that identity may read;
// [Grant], what a signed token lends; [Tier], how dangerous a tool is; [NameSet], a set of names such as an
// allowlist; and the reading and minting of bearer tokens.
//
// It decides nothing and reads no file. The registry of clients is auth/clients,
// the one decision is auth/policy, and every other package may use this one.
package auth
