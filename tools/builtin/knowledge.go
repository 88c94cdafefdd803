package builtin

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools"
)

const maxConcepts = 20

type knowledgeArguments struct {
	Query     string `json:"query"`
	Namespace string `json:"namespace"`
}

func knowledgeSearch(c Config) *tools.Tool {
	return &tools.Tool{
		Name:        "knowledge_search",
		Title:       "Search knowledge",
		Description: "Search the concepts of your knowledge base, in all namespaces or in one. At most 20 are returned.",
		Tier:        auth.Low,
		Timeout:     searchTimeout,
		Idempotent:  true,
		Input: jsontext.Value(`{"type":"object","additionalProperties":false,"required":["query"],"properties":{` +
			`"query":{"type":"string","minLength":1,"maxLength":4096,"description":"What to look for, in plain words"},` +
			`"namespace":{"type":"string","default":"","maxLength":256,"description":"Only this namespace; empty: all"}}}`),
		Output: listSchema(conceptProperties...),
		Handler: handle(knowledgeArguments{}, func(ctx context.Context, call *tools.Call, a knowledgeArguments) (*tools.Result, error) {
			a.Query, a.Namespace = strings.TrimSpace(a.Query), line(a.Namespace)
			if a.Query == "" {
				return nil, misfit("query", "must not be blank")
			}
			var found []store.Document
			err := call.View(ctx, func(tx store.Tx) (err error) {
				found, err = find(ctx, tx, call.Principal.Scope(), store.Concept, a.Namespace, a.Query)
				return err
			})
			if err != nil {
				return nil, err
			}
			if found, err = rank(ctx, found, a.Query, c.Now(), c.HalfLife); err != nil {
				return nil, err
			}
			return knowledgeResult(found[:min(len(found), maxConcepts)], a)
		}),
	}
}

func knowledgeResult(found []store.Document, a knowledgeArguments) (*tools.Result, error) {
	if len(found) == 0 {
		text := fmt.Sprintf("No knowledge graph concepts found matching '%s'", store.SafeString(a.Query))
		if a.Namespace != "" {
			text += fmt.Sprintf(" in namespace '%s'", store.SafeString(a.Namespace))
		}
		return result(text+".", listOf[concept](nil))
	}
	lines := make([]string, 0, len(found))
	list := make([]concept, 0, len(found))
	for _, d := range found {
		c := newConcept(d)
		heading := fmt.Sprintf("- **%s** [%s] (importance=%.1f, source=%s)", c.DisplayName, d.Namespace, d.Importance, d.SourceType)
		lines = append(lines, heading+"\n"+indent(clip(d.Body, 100, "...")))
		list = append(list, c)
	}
	return result(strings.Join(lines, "\n"), listOf(list))
}

type namespace struct {
	Namespace string `json:"namespace"`
	Concepts  int    `json:"concepts"`
}

func knowledgeNamespaces() *tools.Tool {
	return &tools.Tool{
		Name:        "knowledge_namespaces",
		Title:       "List knowledge namespaces",
		Description: "List the namespaces of your knowledge base with the number of concepts in each, the largest first.",
		Tier:        auth.Low,
		Timeout:     searchTimeout,
		Idempotent:  true,
		Input:       jsontext.Value(`{"type":"object","additionalProperties":false,"properties":{}}`),
		Output:      listSchema(`"namespace":{"type":"string"}`, `"concepts":{"type":"integer"}`),
		Handler: func(ctx context.Context, call *tools.Call) (*tools.Result, error) {
			var counts []store.NamespaceCount
			err := call.View(ctx, func(tx store.Tx) (err error) {
				counts, err = tx.Namespaces(call.Principal.Scope(), store.Concept)
				return err
			})
			if err != nil {
				return nil, err
			}
			return namespacesResult(counts)
		},
	}
}

func namespacesResult(counts []store.NamespaceCount) (*tools.Result, error) {
	if len(counts) == 0 {
		return result("No knowledge namespaces yet: add a concept first.", listOf[namespace](nil))
	}
	lines := []string{"Knowledge namespaces:"}
	list := make([]namespace, 0, len(counts))
	for _, n := range counts {
		lines = append(lines, fmt.Sprintf("  - **%s**: %d concepts", n.Namespace, n.Documents))
		list = append(list, namespace{n.Namespace, n.Documents})
	}
	return result(strings.Join(lines, "\n"), listOf(list))
}
