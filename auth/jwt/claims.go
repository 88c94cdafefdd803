package jwt

import (
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jwtlib "github.com/golang-jwt/jwt/v5"

	"prax/auth"
)

// MaxTTL is the longest that a token lasts.
const MaxTTL = 24 * time.Hour

// skew is how far a clock may have gone back since a token was made. A token's end is held to the moment.
const skew = 30 * time.Second

// issuer is the iss of every token.
const issuer = "prax"

// algorithm is the alg of every token.
const algorithm = "EdDSA"

// header is the whole of a token's header (RFC 7515, 4.1). One that has any other member, such as a key, an address of
// one, or something critical, is not ours.
type header struct {
	Algorithm string `json:"alg"`
	KeyID     string `json:"kid"`
	Type      string `json:"typ"`
}

// claims is the whole of what a token says (RFC 7519, 4.1, and ours). What is not in it is nowhere in a token of ours.
type claims struct {
	Issuer    string         `json:"iss"`
	Subject   string         `json:"sub"`
	Audience  string         `json:"aud"`
	Expires   int64          `json:"exp"`
	Issued    int64          `json:"iat"`
	ID        string         `json:"jti"`
	User      string         `json:"user_id"`
	Epoch     int64          `json:"epoch"`
	Allow     jsontext.Value `json:"allow,omitzero"`
	Workflows jsontext.Value `json:"workflows,omitzero"`
}

// strictly refuses what could be read in two ways: members that are unknown or stand twice, other capitals, text that
// is not UTF-8, anything after the end.
var strictly = json.JoinOptions(json.RejectUnknownMembers(true), json.MatchCaseInsensitiveNames(false))

var errNotOurs = errors.New("not a token of this server")

// decodeClaims reads what a token says. That it is complete is judged here, whether it holds now by [claims.judge].
func decodeClaims(text []byte) (c claims, err error) {
	if err := json.Unmarshal(text, &c, strictly); err != nil {
		return c, errNotOurs // the cause would quote the token
	}
	if c.Subject == "" || c.User == "" || c.Epoch < 1 || c.Issued < 1 || c.Expires <= c.Issued || !isID(c.ID) {
		return c, errNotOurs
	}
	return c, nil
}

// grant is what the claims lend, signed by this key. A list that cannot be read is an error: it was meant to leave something out.
func (c *claims) grant(key string) (*auth.Grant, error) {
	allow, err := narrowing(c.Allow)
	if err != nil {
		return nil, err
	}
	workflows, err := narrowing(c.Workflows)
	if err != nil {
		return nil, err
	}
	return &auth.Grant{
		ID: c.ID, Key: key, Audience: c.Audience, Client: c.Subject, User: c.User, Epoch: c.Epoch, Expires: time.Unix(c.Expires, 0).UTC(),
		Allow: allow, Workflows: workflows,
	}, nil
}

// narrowing reads a list of names. Absent is not given; everything else but a list of names, null too, is an error.
func narrowing(v jsontext.Value) (auth.Narrowing, error) {
	if v == nil {
		return auth.Narrowing{}, nil
	}
	n := auth.Narrowing{Given: true, Names: []string{}}
	if v.Kind() != jsontext.KindBeginArray || json.Unmarshal(v, &n.Names) != nil {
		return n, errNotOurs
	}
	for _, name := range n.Names {
		if name == "" { // null is read as one
			return n, errNotOurs
		}
	}
	return n, nil
}

// judge tells why the claims do not hold at now; nil when they do. RFC 7519 leaves the longest time to us.
func (c *claims) judge(audience string, now time.Time) error {
	switch {
	case audience == "" || c.Audience != audience:
		return reasonAudience
	case c.Expires-c.Issued > int64(MaxTTL/time.Second):
		return reasonTooLong
	case !now.Before(time.Unix(c.Expires, 0)):
		return reasonExpired
	}
	err := jwtlib.NewValidator(
		jwtlib.WithAudience(audience), jwtlib.WithIssuer(issuer), jwtlib.WithIssuedAt(), jwtlib.WithExpirationRequired(),
		jwtlib.WithLeeway(skew), jwtlib.WithTimeFunc(func() time.Time { return now }),
	).Validate(registered{c})
	switch {
	case errors.Is(err, jwtlib.ErrTokenUsedBeforeIssued):
		return reasonFuture
	case err != nil:
		return errNotOurs
	}
	return nil
}

// registered are the claims as the library asks for them.
type registered struct{ *claims }

// GetExpirationTime is exp.
func (r registered) GetExpirationTime() (*jwtlib.NumericDate, error) { return numeric(r.Expires), nil }

// GetIssuedAt is iat.
func (r registered) GetIssuedAt() (*jwtlib.NumericDate, error) { return numeric(r.Issued), nil }

// GetNotBefore is nbf, which no token has.
func (registered) GetNotBefore() (*jwtlib.NumericDate, error) { return nil, nil }

// GetIssuer is iss.
func (r registered) GetIssuer() (string, error) { return r.Issuer, nil }

// GetSubject is sub.
func (r registered) GetSubject() (string, error) { return r.Subject, nil }

// GetAudience is aud.
func (r registered) GetAudience() (jwtlib.ClaimStrings, error) {
	return jwtlib.ClaimStrings{r.Audience}, nil
}

func numeric(seconds int64) *jwtlib.NumericDate {
	return jwtlib.NewNumericDate(time.Unix(seconds, 0))
}
