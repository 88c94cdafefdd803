package builtin_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/tools"
)

func TestClock(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	utc := map[string]any{
		"rfc3339": "2026-11-29T18:33:07Z", "timezone": "UTC", "abbreviation": "UTC", "utc_offset": "+00:00", "weekday": "Sunday", "unix": 1795977187.0,
	}
	for _, tt := range []struct {
		name, arguments, text string
		object                map[string]any
	}{
		{"without arguments", ``, "Current date/time: Sunday, November 29, 2026 at 06:33 PM (UTC)", utc},
		{"null", `{"timezone_name":null}`, "Current date/time: Sunday, November 29, 2026 at 06:33 PM (UTC)", utc},
		{"blank", `{"timezone_name":" "}`, "Current date/time: Sunday, November 29, 2026 at 06:33 PM (UTC)", utc},
		{"a zone", `{"timezone_name":"Asia/Tokyo"}`, "Current date/time: Monday, November 30, 2026 at 03:33 AM (Asia/Tokyo)", map[string]any{
			"rfc3339": "2026-11-30T03:33:07+09:00", "timezone": "Asia/Tokyo", "abbreviation": "JST", "utc_offset": "+09:00", "weekday": "Monday", "unix": 1795977187.0,
		}},
		{"half an hour off", `{"timezone_name":"America/St_Johns"}`, "Current date/time: Sunday, November 29, 2026 at 03:03 PM (America/St_Johns)", map[string]any{
			"rfc3339": "2026-11-29T15:03:07-03:30", "timezone": "America/St_Johns", "abbreviation": "NST", "utc_offset": "-03:30", "weekday": "Sunday", "unix": 1795977187.0,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, object := g.good(t, "alice", "get_current_datetime", tt.arguments)
			if text != tt.text {
				t.Errorf("text %q, want %q", text, tt.text)
			}
			if diff := cmp.Diff(tt.object, object); diff != "" {
				t.Errorf("object (-want +got):\n%s", diff)
			}
		})
	}
}

// TestClockKnowsNoHost: what the machine itself calls a zone tells where it stands, so only the names
// of IANA are zones.
func TestClockKnowsNoHost(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	for _, name := range []string{
		"Local", "local", "localtime", "posixrules", "Factory", "posix/Europe/Berlin", "right/UTC", "/etc/localtime", "/usr/share/zoneinfo/UTC",
		"Europe/../localtime", "../localtime", "./localtime", "Europe", "Europe/", "Europe/Nowhere", "zone.tab",
	} {
		code, text := g.refused(t, "alice", "get_current_datetime", `{"timezone_name":"`+name+`"}`)
		if code != "INVALID_ARGUMENTS" || !strings.Contains(text, "IANA") {
			t.Errorf("%s: %s %s", name, code, text)
		}
	}
	for _, name := range []string{"UTC", "Etc/GMT+5", "GB-Eire", "EST5EDT", "America/Argentina/Buenos_Aires", "US/Hawaii", "Zulu"} {
		if _, object := g.good(t, "alice", "get_current_datetime", `{"timezone_name":"`+name+`"}`); object["timezone"] != name {
			t.Errorf("%s: %v", name, object)
		}
	}
}

func BenchmarkClock(b *testing.B) {
	g := newRig(b)
	call := &tools.Call{
		Principal: auth.Principal{Client: "alice-agent", User: "alice", Allow: auth.Names("get_current_datetime")},
		Name:      "get_current_datetime", Arguments: jsontext.Value(`{"timezone_name":"UTC"}`),
	}
	b.ReportAllocs()
	for b.Loop() {
		if res, err := g.Call(b.Context(), call); err != nil || res.IsError {
			b.Fatal(res, err)
		}
	}
}
