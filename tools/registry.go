package tools

// record is the audit event of a call in the making, and the store it goes to.
type record struct{}
