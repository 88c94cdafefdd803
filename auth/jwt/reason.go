package jwt

// reason says why a token is none, in one of a few fixed texts without anything of the caller's: for the operator's
// records, never for the caller.
type reason string

func (r reason) Error() string { return string(r) }

// The reasons beside errNotOurs.
const (
	reasonAlgorithm reason = "signed token: another algorithm"
	reasonKey       reason = "signed token: unknown key"
	reasonSignature reason = "signed token: bad signature"
	reasonAudience  reason = "signed token: another audience"
	reasonTooLong   reason = "signed token: lasts too long"
	reasonExpired   reason = "signed token: expired"
	reasonFuture    reason = "signed token: issued in the future"
	reasonRevoked   reason = "signed token: revoked"
	reasonClient    reason = "signed token: its client is out"
	reasonEpoch     reason = "signed token: its client was changed since"
	reasonMalformed reason = "signed token: malformed"
)
