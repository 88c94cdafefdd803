package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // for machines that have no zones

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/tools"
)

func clock(c Config) *tools.Tool {
	return &tools.Tool{
		Name:        "get_current_datetime",
		Title:       "Current date and time",
		Description: "Get the current date and time, in UTC or in an IANA time zone such as Europe/Berlin.",
		Tier:        auth.Low,
		Idempotent:  true,
		Input: jsontext.Value(`{"type":"object","additionalProperties":false,"properties":{` +
			`"timezone_name":{"type":"string","default":"UTC","maxLength":64,"description":"IANA time zone name"}}}`),
		Output: jsontext.Value(object(`"rfc3339":{"type":"string"}`, `"timezone":{"type":"string"}`, `"abbreviation":{"type":"string"}`,
			`"utc_offset":{"type":"string"}`, `"weekday":{"type":"string"}`, `"unix":{"type":"integer"}`)),
		Handler: handle(clockArguments{Zone: "UTC"}, func(_ context.Context, _ *tools.Call, a clockArguments) (*tools.Result, error) {
			return clockResult(c.Now(), a.Zone)
		}),
	}
}

type clockArguments struct {
	Zone string `json:"timezone_name"`
}

type moment struct {
	RFC3339      string `json:"rfc3339"`
	Timezone     string `json:"timezone"`
	Abbreviation string `json:"abbreviation"`
	UTCOffset    string `json:"utc_offset"`
	Weekday      string `json:"weekday"`
	Unix         int64  `json:"unix"`
}

func clockResult(now time.Time, name string) (*tools.Result, error) {
	zone, err := zoneOf(strings.TrimSpace(name))
	if err != nil {
		return nil, err
	}
	now = now.In(zone)
	abbreviation, _ := now.Zone()
	text := fmt.Sprintf("Current date/time: %s (%s)", now.Format("Monday, January 02, 2006 at 03:04 PM"), zone)
	return result(text, moment{
		RFC3339: now.Format(time.RFC3339), Timezone: zone.String(), Abbreviation: abbreviation,
		UTCOffset: now.Format("-07:00"), Weekday: now.Weekday().String(), Unix: now.Unix(),
	})
}

// zoneOf is the zone of a name; UTC without one.
func zoneOf(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	if named(name) {
		if zone, err := time.LoadLocation(name); err == nil {
			return zone, nil
		}
	}
	return nil, misfit("timezone_name", "is not a time zone: use an IANA name such as UTC or Europe/Berlin")
}

// The names that IANA gives: those in an area, and those that stand alone. Go reads the machine's own
// files too, of which some, such as localtime, say where the machine stands.
var (
	areas = strings.Fields("Africa America Antarctica Arctic Asia Atlantic Australia Brazil Canada Chile Etc Europe Indian Mexico Pacific US")
	alone = strings.Fields("CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran " +
		"Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore Turkey UCT UTC " +
		"Universal W-SU WET Zulu")
)

func named(name string) bool {
	area, _, within := strings.Cut(name, "/")
	if within {
		return slices.Contains(areas, area)
	}
	return slices.Contains(alone, name)
}
