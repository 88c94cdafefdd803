package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools"
)

// Limits of what one hit shows, and of hits.
const (
	maxHits      = 50
	maxHitLines  = 5
	maxHitLength = 500
)

// conversationLine is one line in results.
type conversationLine struct {
	ID   string `json:"id"`
	At   string `json:"at"`
	Role string `json:"role"`
	Text string `json:"text"` // the lines that match, as in the text
}

type conversationArguments struct {
	Query string  `json:"query"`
	Max   float64 `json:"max_results"`
}

func conversationSearch() *tools.Tool {
	return &tools.Tool{
		Name:  "conversation_search",
		Title: "Search conversations",
		Description: "Find earlier conversation lines that contain the query, whatever their case, newest first. " +
			"The query is taken literally; an empty one gives the newest lines.",
		Tier:       auth.Low,
		Timeout:    searchTimeout,
		Idempotent: true,
		Input: jsontext.Value(`{"type":"object","additionalProperties":false,"required":["query"],"properties":{` +
			`"query":{"type":"string","maxLength":4096,"description":"The text to find, literally"},` +
			`"max_results":{"type":"integer","default":20,"description":"How many hits to return, 1 to 50"}}}`),
		Output: listSchema(`"id":{"type":"string"}`, `"at":{"type":"string","format":"date-time"}`, `"role":{"type":"string"}`, `"text":{"type":"string"}`),
		Handler: handle(conversationArguments{Max: 20}, func(ctx context.Context, call *tools.Call, a conversationArguments) (*tools.Result, error) {
			var found []store.Document
			err := call.View(ctx, func(tx store.Tx) (err error) {
				found, err = containing(ctx, tx, call.Principal.Scope(), a.Query)
				return err
			})
			if err != nil {
				return nil, err
			}
			return conversationResult(found[:min(len(found), clamp(a.Max, 1, maxHits))], a.Query)
		}),
	}
}

// containing is the conversation lines that have the query in them: among those with its words, as
// far back as they go, and among the newest of all, where it may begin within a word or be none.
func containing(ctx context.Context, tx store.Documents, s auth.Scope, query string) ([]store.Document, error) {
	found, err := tx.ListDocuments(s, store.Filter{Kind: store.Conversation})
	if err != nil {
		return nil, err
	}
	if words := store.QueryWords(query); len(words) > 0 {
		older, err := tx.SearchDocuments(s, store.Query{Kind: store.Conversation, Words: words, All: true})
		if err != nil {
			return nil, err
		}
		found = append(found, older...)
	}
	seen := map[string]bool{}
	found = slices.DeleteFunc(found, func(d store.Document) bool {
		again := seen[d.ID]
		seen[d.ID] = true
		return again
	})
	// Both lists come newest first, and what only the second has is older than all of the first.
	return having(ctx, found, query, func(d store.Document) string { return d.Body })
}

func conversationResult(found []store.Document, query string) (*tools.Result, error) {
	if len(found) == 0 {
		return result(fmt.Sprintf("No matches for '%s' in conversation history.", store.SafeString(query)), listOf[conversationLine](nil))
	}
	hits := make([]string, 0, len(found))
	list := make([]conversationLine, 0, len(found))
	for _, d := range found {
		at, text := stamp(d.Created), excerpt(d.Body, query)
		hits = append(hits, fmt.Sprintf("**%s**\n[%s] %s", at, strings.ToUpper(d.Key), text))
		list = append(list, conversationLine{d.ID, at, d.Key, text})
	}
	return result(fmt.Sprintf("Found %d match(es):\n\n%s", len(found), strings.Join(hits, "\n---\n")), listOf(list))
}

// excerpt is the lines of a text that contain the query, the first few of them; the first lines of
// all when it spans several.
func excerpt(text, query string) string {
	literal := strings.ToLower(query)
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if len(lines) < maxHitLines && strings.Contains(strings.ToLower(line), literal) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		lines = strings.SplitN(text, "\n", maxHitLines+1)
		lines = lines[:min(len(lines), maxHitLines)]
	}
	return clip(strings.Join(lines, "\n"), maxHitLength, "...")
}
