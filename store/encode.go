package store

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store/digest"
)

// EncodeEvent is the canonical JSON (RFC 8785) of a normal event. Without Hash it is what the hash is over;
// with it, one line of an export: who takes the member "hash" out and canonicalizes what is left
// has what was hashed.
func EncodeEvent(e Event) []byte { return appendEvent(nil, &e) }

// appendEvent appends the canonical form. An audited read costs an event, so it is written by hand: a
// member that is missing here, or stands elsewhere than by its name, is found by the tests, which
// compare with eventJSON.
func appendEvent(b []byte, e *Event) []byte {
	b = appendBegin(b, e)
	opens := callsMember
	for i := range e.Calls {
		b = append(b, opens...)
		b = appendEvent(b, &e.Calls[i])
		opens = ","
	}
	if len(e.Calls) > 0 {
		b = append(b, ']')
	}
	return appendEnd(b, e)
}

const callsMember = `,"calls":[`

// appendBegin appends the members that stand before the calls.
func appendBegin(b []byte, e *Event) []byte {
	b = append(b, '{')
	if e.Args != "" {
		b = append(b, `"args":`...)
		b = appendText(b, e.Args)
		b = append(b, ',')
	}
	b = append(b, `"at":`...)
	return strconv.AppendInt(b, e.At.UnixMilli(), 10)
}

// appendEnd appends the members that stand behind the calls.
func appendEnd(b []byte, e *Event) []byte {
	b = appendMember(b, `,"chain":`, e.Chain)
	b = appendMember(b, `,"client":`, e.Client)
	b = appendMember(b, `,"code":`, e.Code)
	b = appendMember(b, `,"decision":`, e.Decision)
	if e.Detail != "" {
		b = append(b, `,"detail":`...)
		b = append(b, e.Detail...) // canonical, as the event is normal
	}
	b = appendNumber(b, `,"duration_ns":`, int64(e.Duration))
	b = appendMember(b, `,"hash":`, e.Hash)
	b = append(b, `,"kind":`...)
	b = appendText(b, string(e.Kind))
	b = appendMember(b, `,"method":`, e.Method)
	b = appendMember(b, `,"outcome":`, e.Outcome)
	b = appendMember(b, `,"prev":`, e.Prev)
	if e.Registry != 0 {
		b = append(b, `,"registry":`...)
		b = strconv.AppendUint(b, e.Registry, 10)
	}
	b = appendMember(b, `,"remote":`, e.Remote)
	b = appendMember(b, `,"request_id":`, e.RequestID)
	b = appendNumber(b, `,"seq":`, e.Seq)
	b = appendMember(b, `,"tier":`, e.Tier)
	b = appendMember(b, `,"tool":`, e.Tool)
	b = appendMember(b, `,"user":`, e.User)
	return append(b, '}')
}

func appendMember(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	return appendText(append(b, name...), text)
}

func appendNumber(b []byte, name string, n int64) []byte {
	if n == 0 {
		return b
	}
	return strconv.AppendInt(append(b, name...), n, 10)
}

// appendText appends a string. What is not UTF-8, which a normal event has nowhere, becomes U+FFFD.
func appendText(b []byte, text string) []byte {
	if !digest.Verbatim(text) {
		b, _ = jsontext.AppendQuote(b, text) // the error says that something was replaced
		return b
	}
	b = append(b, '"')
	b = append(b, text...)
	return append(b, '"')
}
