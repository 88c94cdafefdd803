package edge

// Edge is what all exchanges of a server share.
type Edge struct{}
