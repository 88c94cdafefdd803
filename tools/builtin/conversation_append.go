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

// said is a conversation line in results, whole.
type said struct {
	ID      string `json:"id"`
	At      string `json:"at"`
	Role    string `json:"role"`
	Content string `json:"content"`
	Source  string `json:"source"`
}

type appendArguments struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func (a appendArguments) size() int { return len(a.Content) }

func conversationAppend(turns *store.Turns) *tools.Tool {
	return &tools.Tool{
		Name:        "conversation_append",
		Title:       "Append to the conversation",
		Description: "Keep what was said, so that conversation_search finds it later. Lines are never changed. At most 64 KiB.",
		Tier:        auth.Medium,
		Input: jsontext.Value(`{"type":"object","additionalProperties":false,"required":["role","content"],"properties":{` +
			`"role":{"type":"string","enum":["user","assistant","tool"],"description":"Who said it"},` +
			`"content":{"type":"string","minLength":1,"maxLength":65536,"description":"What was said"}}}`),
		Output: jsontext.Value(object(`"id":{"type":"string"}`, `"at":{"type":"string","format":"date-time"}`, `"role":{"type":"string"}`,
			`"content":{"type":"string"}`, `"source":{"type":"string"}`)),
		Handler: handle(appendArguments{}, byTurns(turns, appendArguments.size, appendLine)),
	}
}

func appendLine(ctx context.Context, call *tools.Call, a appendArguments) (*tools.Result, error) {
	body, err := content("content", a.Content)
	if err != nil {
		return nil, err
	}
	d, err := put(ctx, call, store.Document{Kind: store.Conversation, Key: a.Role, Body: body})
	if err != nil {
		return nil, err
	}
	return result(fmt.Sprintf("Appended (id=%s): [%s] %s", d.ID, strings.ToUpper(d.Key), clip(d.Body, 100, "")),
		said{d.ID, stamp(d.Created), d.Key, d.Body, d.Source})
}
