package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools"
)

// Limits of lists of notes.
const (
	maxListed  = 200
	maxMatches = 50
	nearby     = 80 // characters on each side of what a snippet is about
)

func noteList() *tools.Tool {
	return &tools.Tool{
		Name:        "note_list",
		Title:       "List notes",
		Description: "List your notes without their text, the one written last first: at most 200. note_search finds older ones.",
		Tier:        auth.Low,
		Timeout:     searchTimeout,
		Idempotent:  true,
		Input:       jsontext.Value(`{"type":"object","additionalProperties":false,"properties":{}}`),
		Output:      listSchema(headingProperties...),
		Handler: func(ctx context.Context, call *tools.Call) (*tools.Result, error) {
			var found []store.Document
			err := call.View(ctx, func(tx store.Tx) (err error) {
				found, err = tx.ListDocuments(call.Principal.Scope(), store.Filter{Kind: store.Note, Limit: maxListed + 1, Bare: true})
				return err
			})
			if err != nil {
				return nil, err
			}
			return noteListResult(found)
		},
	}
}

func noteListResult(found []store.Document) (*tools.Result, error) {
	if len(found) == 0 {
		return result("No notes yet: note_create makes one.", listOf[heading](nil))
	}
	lines := []string{"Notes:"}
	list := []heading{}
	for _, d := range found[:min(len(found), maxListed)] {
		h := newHeading(d)
		text := fmt.Sprintf("- %s %s", h, d.Updated.UTC().Format("2006-01-02"))
		if len(h.Tags) > 0 {
			text += " [" + strings.Join(h.Tags, ", ") + "]"
		}
		lines, list = append(lines, text), append(list, h)
	}
	if len(found) > maxListed {
		lines = append(lines, "Older ones are not shown: note_search finds them.")
	}
	return result(strings.Join(lines, "\n"), listOf(list))
}

// match is a note that a search found.
type match struct {
	heading
	Snippet string `json:"snippet"`
}

type noteSearchArguments struct {
	Query string  `json:"query"`
	Max   float64 `json:"max_results"`
}

func noteSearch(c Config) *tools.Tool {
	return &tools.Tool{
		Name:        "note_search",
		Title:       "Search notes",
		Description: "Find notes by words of their title, text and tags. The most relevant and recent come first, each with the place that matches.",
		Tier:        auth.Low,
		Timeout:     searchTimeout,
		Idempotent:  true,
		Input: jsontext.Value(`{"type":"object","additionalProperties":false,"required":["query"],"properties":{` +
			`"query":{"type":"string","minLength":1,"maxLength":4096,"description":"What to look for, in plain words"},` +
			`"max_results":{"type":"integer","default":20,"description":"How many notes to return, 1 to 50"}}}`),
		Output: listSchema(append(slices.Clone(headingProperties), `"snippet":{"type":"string"}`)...),
		Handler: handle(noteSearchArguments{Max: 20}, func(ctx context.Context, call *tools.Call, a noteSearchArguments) (*tools.Result, error) {
			if strings.TrimSpace(a.Query) == "" {
				return nil, misfit("query", "must not be blank")
			}
			var found []store.Document
			err := call.View(ctx, func(tx store.Tx) (err error) {
				found, err = find(ctx, tx, call.Principal.Scope(), store.Note, "", a.Query)
				return err
			})
			if err != nil {
				return nil, err
			}
			if found, err = rank(ctx, found, a.Query, c.Now(), c.HalfLife); err != nil {
				return nil, err
			}
			return noteSearchResult(found[:min(len(found), clamp(a.Max, 1, maxMatches))], a.Query)
		}),
	}
}

func noteSearchResult(found []store.Document, query string) (*tools.Result, error) {
	if len(found) == 0 {
		return result(fmt.Sprintf("No notes found matching '%s'.", store.SafeString(strings.TrimSpace(query))), listOf[match](nil))
	}
	lines := make([]string, 0, len(found))
	list := make([]match, 0, len(found))
	for _, d := range found {
		m := match{newHeading(d), snippet(d.Body, query)}
		lines = append(lines, fmt.Sprintf("- %s\n  %s", m.heading, m.Snippet))
		list = append(list, m)
	}
	return result(strings.Join(lines, "\n"), listOf(list))
}

// snippet is the part of a text around the query, or else around the first of its words that the text
// has, or else the beginning; on one line.
func snippet(text, query string) string {
	lower := strings.Map(unicode.ToLower, text) // a character for each, so that places agree
	from, length := 0, 0
	for _, wanted := range append([]string{strings.TrimSpace(query)}, strings.Fields(query)...) {
		wanted = strings.Map(unicode.ToLower, wanted)
		if at := strings.Index(lower, wanted); at >= 0 {
			from, length = utf8.RuneCountInString(lower[:at]), utf8.RuneCountInString(wanted)
			break
		}
	}
	all := []rune(text)
	begin, end := max(0, from-nearby), min(len(all), from+length+nearby)
	cut := line(string(all[begin:end]))
	if begin > 0 {
		cut = "..." + cut
	}
	if end < len(all) {
		cut += "..."
	}
	return cut
}
