package server

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// Card is what is published of the server to whoever asks (MCP extension io.modelcontextprotocol/server-card): that it
// is there, where, which protocol it speaks, and that it takes a token. It names no tool, no client and no other host.
type Card struct {
	Title       string
	Description string // at most 100 characters
	Version     string
	Revisions   []string // of the protocol, the newest first
}

// cardPath is where a card is, below an endpoint.
const cardPath = "/server-card"

const routeCard = routeMCP + cardPath

const cardMedia = "application/mcp-server-card+json"

// card is a Card as it is sent, or what leads to one.
type card struct {
	media string
	body  []byte
	tag   string // strong, with its quotes (RFC 9110 8.8.3)
}

type cardBody struct {
	Schema      string       `json:"$schema"`
	Name        string       `json:"name"`
	Title       string       `json:"title"`
	Description string       `json:"description"`
	Version     string       `json:"version"`
	Remotes     []cardRemote `json:"remotes"`
}

type cardRemote struct {
	Type      string       `json:"type"`
	URL       string       `json:"url"`
	Headers   []cardHeader `json:"headers"`
	Revisions []string     `json:"supportedProtocolVersions"`
}

type cardHeader struct {
	Name      string               `json:"name"`
	Required  bool                 `json:"isRequired"`
	Secret    bool                 `json:"isSecret"`
	Value     string               `json:"value"`
	Variables map[string]cardInput `json:"variables"`
}

type cardInput struct {
	Description string `json:"description"`
	Required    bool   `json:"isRequired"`
	Secret      bool   `json:"isSecret"`
}

// CheckPublic tells whether a card may point to a public URL: one with TLS, as callers will send their tokens there, and
// with a name, from which the server has its own.
func CheckPublic(public *url.URL) error {
	if public == nil || public.Scheme != "https" {
		return errors.New("a card is published only with an https address in PRAX_PUBLIC_URL")
	}
	name, ok := hostname(public.Host)
	if _, err := netip.ParseAddr(name); !ok || err == nil || !strings.Contains(name, ".") {
		return errors.New("a card is published only with a full host name in PRAX_PUBLIC_URL")
	}
	return nil
}

// publish is what is published: a card, and the catalog that leads to it. It is nothing where nothing is to be.
func publish(c Config) (itself, leading *card) {
	public, err := url.Parse(c.PublicURL)
	if c.Card == nil || c.PublicURL == "" || err != nil || c.Check() != nil || CheckPublic(public) != nil {
		return nil, nil
	}
	return newCard(c, public), newCatalog(c, public)
}

func newCard(c Config, public *url.URL) *card {
	host, _ := hostname(public.Host)
	token := cardInput{Description: "The bearer token that the operator of this server gave out.", Required: true, Secret: true}
	return sent(cardMedia, cardBody{
		Schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
		Name:   reversed(host) + "/prax", Title: c.Card.Title, Description: c.Card.Description, Version: c.Card.Version,
		Remotes: []cardRemote{{
			Type: "streamable-http", URL: public.ResolveReference(&url.URL{Path: c.endpoint()}).String(), Revisions: c.Card.Revisions,
			Headers: []cardHeader{{
				Name: "Authorization", Required: true, Secret: true, Value: "Bearer {token}", Variables: map[string]cardInput{"token": token},
			}},
		}},
	})
}

// sent is a document as it is sent.
func sent(media string, document any) *card {
	b, err := json.Marshal(document, json.Deterministic(true))
	if err != nil {
		return nil // text of ours and of a URL that was read: valid UTF-8
	}
	sum := sha256.Sum256(b)
	return &card{media: media, body: append(b, '\n'), tag: `"` + hex.EncodeToString(sum[:16]) + `"`}
}

// reversed is a host name with its parts the other way round: net.example.prax.
func reversed(host string) string {
	parts := strings.Split(host, ".")
	slices.Reverse(parts)
	return strings.Join(parts, ".")
}

// isCard knows the card below the endpoint, as isMCP knows that.
func (s *Server) isCard(path string) bool {
	at, found := strings.CutSuffix(path, cardPath)
	return found && s.publishes(s.card) && (at == routeMCP || at == s.endpoint)
}

// publishes tells whether a document is there: with the endpoint, and not without it.
func (s *Server) publishes(c *card) bool { return c != nil && s.cfg.Enabled != nil && s.cfg.Enabled() }

// serveCard answers everybody alike: it looks at no credential, at no Host and at no Origin, as nothing of the answer
// depends on them. A page of any origin may read it.
func (s *Server) serveCard(x *exchange, r *http.Request, c *card) {
	if !x.onlyReads(r) {
		return
	}
	x.card = c
	status := http.StatusOK
	if c.unchanged(r.Header["If-None-Match"]) {
		status = http.StatusNotModified
	}
	x.refuse(r, status, c.body)
}

// unchanged compares as RFC 9110 13.1.2 has it.
func (c *card) unchanged(known []string) bool {
	for _, line := range known {
		for tag := range strings.SplitSeq(line, ",") {
			if tag = strings.TrimSpace(tag); tag == "*" || strings.TrimPrefix(tag, "W/") == c.tag {
				return true
			}
		}
	}
	return false
}

func (c *card) headers(h http.Header) {
	h["Content-Type"] = []string{c.media}
	h["Cache-Control"] = []string{"public, max-age=3600"}
	h["Etag"] = []string{c.tag}
	h["Access-Control-Allow-Origin"] = []string{"*"}
	h["Access-Control-Expose-Headers"] = []string{"ETag"}
}
