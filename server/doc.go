// Package server listens, and decides what reaches an adapter at all: the limits of a connection,
// the request id, the Host and Origin guard, authentication, health, one access record a request,
// and the drain at the end.
//
// What stands before authentication is kept small and says nothing about who exists: every refused
// credential gets the same bytes. cmd/prax builds a [Server]; the adapters know only server/edge.
package server
