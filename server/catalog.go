package server

import "net/url"

// Where catalogs of what a host offers to agents are looked for: by AI Catalog 0.9, and by Agentic Resource Discovery
// 0.91, which reads the entries of the same document.
const (
	aiCatalog  = routeWellKnown + "ai-catalog.json"
	ardCatalog = routeWellKnown + "ard.json"
)

type catalogBody struct {
	Version string         `json:"specVersion"`
	Host    catalogHost    `json:"host"`
	Entries []catalogEntry `json:"entries"`
}

type catalogHost struct {
	Name string `json:"displayName"`
}

type catalogEntry struct {
	Identifier  string `json:"identifier"`
	Name        string `json:"displayName"`
	Type        string `json:"type"`
	URL         string `json:"url"`
	Description string `json:"description"`
	Version     string `json:"version"`
}

// newCatalog leads to the card, and says no more than it: an entry could have questions that the server is good for, but
// those would tell of its tools.
func newCatalog(c Config, public *url.URL) *card {
	host, _ := hostname(public.Host)
	return sent("application/ai-catalog+json", catalogBody{
		Version: "0.9", Host: catalogHost{host},
		Entries: []catalogEntry{{
			Identifier: "urn:air:" + host + ":prax:mcp", Name: c.Card.Title, Description: c.Card.Description, Version: c.Card.Version,
			Type: cardMedia, URL: public.ResolveReference(&url.URL{Path: c.endpoint() + cardPath}).String(),
		}},
	})
}

// isCatalog knows the catalog. It stands at the root of the host, whatever path the endpoint has.
func (s *Server) isCatalog(path string) bool {
	return (path == aiCatalog || path == ardCatalog) && s.publishes(s.catalog)
}
