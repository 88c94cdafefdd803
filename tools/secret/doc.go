// Package secret reads the references to secrets that connections have in place of values, resolves them when they
// are used, and cuts what they stand for out of whatever is stored or shown: [Text], [Source], [Values].
package secret
