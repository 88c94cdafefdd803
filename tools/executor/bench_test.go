package executor_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/store/digest"
	"prax/tools"
)

// silent is a store that drops what it is to record.
type silent struct{ store.Store }

func (silent) Record(store.Event) {}

// echoing is a registry whose one tool gives back its text, and a call of it.
func echoing(t testing.TB, auditReads bool) (*tools.Registry, *tools.Call) {
	t.Helper()
	key, err := digest.NewKey(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	made := &tools.Tool{Name: "echo", Tier: auth.Low, Input: jsontext.Value(
		`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`)}
	handler, found := compile(t, made, `{'rounds':[`+text("{{ $.arguments.text }}")+`]}`)
	if found != nil {
		t.Fatal(found)
	}
	made.Handler = handler
	r := tools.NewRegistry(tools.Config{Store: silent{}, HMAC: key.MAC, AuditReads: auditReads})
	if err := r.Set("one", []*tools.Tool{made}); err != nil {
		t.Fatal(err)
	}
	return r, &tools.Call{
		Principal: auth.Principal{Client: "alice-agent", User: "alice", Allow: auth.Names("echo")}, Name: "echo",
		Arguments: jsontext.Value(`{"text":"the quick brown fox jumps over the lazy dog"}`), RequestID: "req-1", Remote: "192.0.2.1",
	}
}

func BenchmarkStaticCall(b *testing.B) {
	for name, auditReads := range map[string]bool{"recorded": true, "unrecorded": false} {
		b.Run(name, func(b *testing.B) {
			r, call := echoing(b, auditReads)
			b.ReportAllocs()
			for b.Loop() {
				if res, err := r.Call(b.Context(), call); err != nil || res.IsError {
					b.Fatal(res, err)
				}
			}
		})
	}
}
