// Package secret reads the references to secrets that connections have in place of values, resolves them when they
// are used, and cuts what they stand for out of whatever is stored or shown: [Text], [Source], [Values]. Variables that every
// program of a machine may know, as HOME and PATH, are resolved like secrets and are none.
package secret
