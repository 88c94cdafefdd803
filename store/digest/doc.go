// Package digest says what a JSON text is, independent of how it was spelled: its canonical form
// (RFC 8785) and the SHA-256 of that. It also holds the installation key, under which arguments
// become a MAC in the audit log and the head of the chain is signed.
package digest
