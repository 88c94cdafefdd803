package server

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func get(h http.Handler, target string) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest("GET", target, nil))
	return rec
}

func TestReadyz(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		ready  func(context.Context) Readiness
		status int
		body   string
	}{
		"ready": {
			func(context.Context) Readiness {
				return Readiness{Registry: RegistryState{Generation: 3, Age: 90 * time.Second}}
			}, 200,
			`{"status":"ready","registry":{"generation":3,"age_seconds":90,"stale":false},"store":"ok"}`,
		},
		"a warning": {
			func(context.Context) Readiness {
				return Readiness{Warnings: []Problem{{"definitions", "cannot be used"}}}
			}, 200,
			`{"status":"ready","registry":{"generation":0,"age_seconds":0,"stale":false},"store":"ok","warnings":[{"check":"definitions","reason":"cannot be used"}]}`,
		},
		"store": {
			func(context.Context) Readiness {
				return Readiness{Problems: []Problem{{CheckStore, "no space left"}}}
			}, 503,
			`{"status":"not ready","registry":{"generation":0,"age_seconds":0,"stale":false},"store":"failing","problems":[{"check":"store","reason":"no space left"}]}`,
		},
		"stale": {
			func(context.Context) Readiness {
				return Readiness{Registry: RegistryState{Stale: true}, Problems: []Problem{{"registry", "clients.json: line 3: not JSON"}}}
			}, 503,
			`{"status":"not ready","registry":{"generation":0,"age_seconds":0,"stale":true},"store":"ok","problems":[{"check":"registry","reason":"clients.json: line 3: not JSON"}]}`,
		},
		"not said": {nil, 503,
			`{"status":"not ready","registry":{"generation":0,"age_seconds":0,"stale":false},"store":"ok","problems":[{"check":"server","reason":"no readiness check is set"}]}`,
		},
	} {
		rec := get(New(Config{Ready: tt.ready}).Handler(), "/readyz")
		if rec.Code != tt.status || rec.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %v", name, rec.Code, rec.Header())
		}
		var want, got any
		if err := json.Unmarshal([]byte(tt.body), &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

// Whoever polls costs the store one probe a second, and sees a change within the next.
func TestReadyzProbesOnceASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		probes, problems := 0, []Problem(nil)
		h := New(Config{Ready: func(ctx context.Context) Readiness {
			probes++
			if _, bounded := ctx.Deadline(); !bounded {
				t.Error("the probe has no deadline")
			}
			return Readiness{Problems: problems}
		}}).Handler()
		for range 100 {
			if rec := get(h, "/readyz"); rec.Code != 200 {
				t.Fatalf("%d", rec.Code)
			}
		}
		if probes != 1 {
			t.Errorf("%d probes for 100 requests at once", probes)
		}
		problems = []Problem{{CheckStore, "full"}}
		time.Sleep(readyFor) // the bubble's clock
		if rec := get(h, "/readyz"); rec.Code != 503 {
			t.Errorf("a second after the failure: %d", rec.Code)
		}
		problems = nil
		time.Sleep(readyFor)
		if rec := get(h, "/readyz"); rec.Code != 200 {
			t.Errorf("a second after the recovery: %d", rec.Code)
		}
	})
}
