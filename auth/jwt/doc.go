// Package jwt makes and judges signed tokens that last a day at most (RFC 7519). Such a token stands for a client
// of clients.json as it is now: it is good for as long as that client is live, has the user and the tokens that it
// had when the signed one was made, and the one of the token's id was not revoked. It may leave of the client's
// tools and workflows only some; it never adds one.
//
// An [Authority] is an authenticator of server/edge. It signs with Ed25519 keys of its own (RFC 8037) and takes
// nothing else: no other algorithm, no key that a token names, no second spelling of a token. What must outlast the
// process goes to a [Ledger]; what a request is judged by is in memory.
package jwt
