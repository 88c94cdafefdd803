package store

// Word is one term of a search index or of a query.
type Word struct {
	Text   string // folded; letters, digits and CJK only: never query syntax
	Prefix bool   // of a query: match every word that starts with Text
}
