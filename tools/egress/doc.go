// Package egress is the one way out of the process over HTTP: one dialer and one client for whatever a definition has it
// fetch or post. It decides on the very address that is connected to, so that no name, redirect or change of DNS
// leads where an outsider must not reach: the machine itself, its networks, the services that hand out credentials.
//
// What may be reached: every global address; what the operator wrote out, as the base URL of a connection or in the
// list of Config.Allow; the metadata services of clouds never.
//
// Nothing is sent twice. Each request has a connection of its own, over HTTP/1.1: net/http repeats what it lost on a
// connection that it used before (RFC 9110, 9.2.2, and any request with an Idempotency-Key), and HTTP/2 what a stream
// refused. Whoever asked decides on a second try.
//
// It knows nothing of tools or instances; the executors and the bindings use it.
package egress
