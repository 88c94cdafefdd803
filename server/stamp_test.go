package server

import (
	"testing"
	"time"
)

// A stamp is what time.Format gives, whichever times come before it.
func TestStamp(t *testing.T) {
	t.Parallel()
	var s stamp
	at := time.Date(1969, 12, 31, 23, 59, 58, 999_999_999, time.FixedZone("", 3600))
	for i := range 5000 {
		at = at.Add(time.Duration(i) * 7_654_321)
		if i%1000 == 0 {
			at = at.AddDate(13, 1, 1)
		}
		want := at.UTC().Format("2006-01-02T15:04:05.000Z07:00")
		if got := string(s.append([]byte("x"), at)); got != "x"+want {
			t.Fatalf("%s, want x%s", got, want)
		}
	}
	if got := string(s.append(nil, time.Time{})); got != "0001-01-01T00:00:00.000Z" {
		t.Errorf("the zero time is %s", got)
	}
}
