package jwt_test

import (
	"testing"

	"prax/auth/jwt"
)

// BenchmarkAuthenticate is what a request with a signed token costs, as it is and narrowed.
func BenchmarkAuthenticate(b *testing.B) {
	for name, order := range map[string]jwt.Order{
		"whole": {}, "narrowed": {Allow: names("memory_recall", "praxec.query"), Workflows: names("deploy", "ops.db.*")},
	} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b)
			r := request(w.mint(order))
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := w.Authenticate(r); !ok {
					b.Fatal("refused")
				}
			}
		})
	}
}
