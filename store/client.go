package store

import "context"

type clientKey struct{}

// ForClient is a context in which changes are made for a client. A store that has more to do than it can
// do at once serves clients in turn. Without it changes are the server's own.
func ForClient(ctx context.Context, client string) context.Context {
	return context.WithValue(ctx, clientKey{}, client)
}

// Client is the client that a context names; "" is the server.
func Client(ctx context.Context) string {
	client, _ := ctx.Value(clientKey{}).(string)
	return client
}
