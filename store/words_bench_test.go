package store_test

import (
	"strings"
	"testing"

	"prax/store"
)

// BenchmarkWords are the words of one document of the largest size, by script.
func BenchmarkWords(b *testing.B) {
	for name, text := range largest() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				for range (store.Document{Body: text}).EachWord() {
				}
			}
		})
	}
}

// largest are texts of MaxDocumentBytes, or just below.
func largest() map[string]string {
	var han strings.Builder
	for i := 0; han.Len() < store.MaxDocumentBytes-3; i++ {
		han.WriteRune(rune(0x4e00 + i*7919%20000))
	}
	words := strings.Repeat("The quick brown fox didn't jump over l'École; ", store.MaxDocumentBytes/48)
	return map[string]string{"Han": han.String(), "Latin": words, "Devanagari": strings.Repeat("हिन्दी में ", store.MaxDocumentBytes/28)}
}
