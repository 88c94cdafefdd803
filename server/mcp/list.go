package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/server/jsonrpc"
	"prax/tools"
)

// list is tools/list: bytes made once for all callers with one allowlist, between an opening and an
// end that depend on the era.
func (q *request) list(dst []byte) ([]byte, error) {
	l := q.s.lists.of(q.x.Principal)
	n, err := l.page(q.m.Cursor)
	if err != nil {
		return dst, err
	}
	if !q.modern() {
		dst = append(dst, '{')
		dst = append(dst, l.pages[n]...)
		return append(dst, '}'), nil
	}
	// Always stale: an allowlist that is edited holds at once, and nobody is to show it to another.
	dst = append(dst, `{"resultType":"complete","ttlMs":0,"cacheScope":"private",`...)
	dst = append(dst, l.pages[n]...)
	return q.s.fixed.appendMeta(dst), nil
}

// list is the tools that some callers see, encoded: never changed once it is made.
type list struct {
	pages [][]byte // each the members tools and nextCursor, without braces
	sum   [sha256.Size]byte
	size  int
}

// A cursor is opaque to callers: the beginning of the list's sum and the number of the page. It holds
// for exactly this list, so nobody pages from one list into another without noticing.
const cursorSum = 8

func (l *list) cursor(page int) string {
	raw := append([]byte(nil), l.sum[:cursorSum]...)
	raw = binary.BigEndian.AppendUint16(raw, uint16(page))
	return base64.RawURLEncoding.EncodeToString(raw)
}

// page is the number of the page that a cursor asks for; the first without one.
func (l *list) page(cursor jsontext.Value) (int, error) {
	if !isGiven(cursor) {
		return 0, nil
	}
	text, _ := jsonrpc.String(cursor)
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	spelled := err == nil && len(text) == base64.RawURLEncoding.EncodedLen(len(raw)) // the decoder skips line ends
	if !spelled || len(raw) != cursorSum+2 || !bytes.Equal(raw[:cursorSum], l.sum[:cursorSum]) {
		return 0, badCursor()
	}
	n := int(binary.BigEndian.Uint16(raw[cursorSum:]))
	if n == 0 || n >= len(l.pages) {
		return 0, badCursor()
	}
	return n, nil
}

func badCursor() *failure {
	return badParams("the cursor is not one of the list as it is now: begin again without one")
}

// newList cuts the encoded tools into pages. The sum is over all of them, before any cursor is made
// from it.
func newList(entries [][]byte, pageSize int) *list {
	l := &list{}
	sum := sha256.New()
	for _, e := range entries {
		sum.Write(e)
		sum.Write([]byte{'\n'})
	}
	sum.Sum(l.sum[:0])
	for from := 0; from == 0 || from < len(entries); from += pageSize {
		to := min(from+pageSize, len(entries))
		page := append([]byte(`"tools":[`), bytes.Join(entries[from:to], []byte{','})...)
		page = append(page, ']')
		if to < len(entries) {
			page = append(page, `,"nextCursor":"`...)
			page = append(page, l.cursor(to/pageSize)...)
			page = append(page, '"')
		}
		page = slices.Clip(page)
		l.pages = append(l.pages, page)
		l.size += len(page)
	}
	return l
}

// appendTool appends a tool as tools/list shows it (MCP, tools: data types). The schemas go out as
// they were written: callers may know keywords that we do not.
func appendTool(dst []byte, t *tools.Tool, s auth.Spelling) []byte {
	dst = appendMember(append(dst, '{'), "name", tools.Spelling(t.Name, s))
	if t.Title != "" {
		dst = appendMember(append(dst, ','), "title", t.Title)
	}
	if t.Description != "" {
		dst = appendMember(append(dst, ','), "description", t.Description)
	}
	dst = append(dst, `,"inputSchema":`...)
	dst = append(dst, t.Input...)
	if t.Output != nil {
		dst = append(dst, `,"outputSchema":`...)
		dst = append(dst, t.Output...)
	}
	return append(appendAnnotations(dst, t), '}')
}

// appendAnnotations follows the tier, which decides; the hints only tell. What is destructive is HIGH
// and never shown, so nothing here is.
func appendAnnotations(dst []byte, t *tools.Tool) []byte {
	for i, hint := range []struct {
		name string
		set  bool
	}{
		{"readOnlyHint", t.Tier == auth.Low},
		{"destructiveHint", !t.Tier.Exposable()},
		{"idempotentHint", t.Idempotent},
		{"openWorldHint", t.OpenWorld},
	} {
		if i == 0 {
			dst = append(dst, `,"annotations":{`...)
		} else {
			dst = append(dst, ',')
		}
		dst = jsonrpc.AppendString(dst, hint.name)
		dst = strconv.AppendBool(append(dst, ':'), hint.set)
	}
	return append(dst, '}')
}
