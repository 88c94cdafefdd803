package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"unicode"

	"prax/auth"
	"prax/store"
)

// kindTerms stand for the kinds in the terms of the index.
var kindTerms = map[store.Kind]string{
	store.Memory: "m", store.Scratch: "s", store.Concept: "c", store.Note: "n", store.Todo: "t", store.Conversation: "v",
}

// term is a word in the index: o12m_word. Owner and kind are part of it, so that a search never
// reads through what others keep, or through documents of other kinds. A word consists of letters,
// digits and marks only: nothing in a term is query syntax.
func term(owner int64, kind store.Kind, word string) string {
	return ownerTerm(owner) + kindTerms[kind] + "_" + word
}

// namespaceTerm stands for a namespace. No word has an underscore, so it is not a word's; two
// namespaces may share one, so the row is looked at as well.
func namespaceTerm(owner int64, kind store.Kind, namespace string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(namespace)) // never fails
	return term(owner, kind, "_"+strconv.FormatUint(h.Sum64(), 36))
}

// indexDocument adds the document's words. It runs in the writer, while everybody's changes wait:
// each word is looked at once, and costs no allocation.
func (t *tx) indexDocument(seq, owner int64, d store.Document) error {
	var b strings.Builder
	b.Grow(2 * len(d.Body))
	if d.Namespace != "" {
		b.WriteString(namespaceTerm(owner, d.Kind, d.Namespace))
		b.WriteByte(' ')
	}
	before := term(owner, d.Kind, "")
	seen := make(map[string]struct{}, len(d.Body)/16)
	for word := range d.EachWord() {
		if _, again := seen[word]; again {
			continue
		}
		seen[word] = struct{}{}
		b.WriteString(before)
		b.WriteString(word)
		b.WriteByte(' ')
	}
	_, err := t.exec(`INSERT INTO document_word (rowid, words) VALUES (?, ?)`, seq, b.String())
	return err
}

// match is the query for the index: every string in it is quoted (https://www.sqlite.org/fts5.html, 3.1).
func match(owner int64, q store.Query) string {
	kinds := []store.Kind{q.Kind}
	if q.Kind == "" {
		kinds = store.Kinds()
	}
	var alternatives []string
	for _, kind := range kinds {
		alternatives = append(alternatives, "("+matchKind(owner, kind, q)+")")
	}
	return strings.Join(alternatives, " OR ")
}

func matchKind(owner int64, kind store.Kind, q store.Query) string {
	var words []string
	for _, word := range q.Words {
		words = append(words, quoted(owner, kind, word))
	}
	operator := " OR "
	if q.All {
		operator = " AND "
	}
	text := strings.Join(words, operator)
	if q.Namespace != "" {
		text = `"` + namespaceTerm(owner, kind, q.Namespace) + `" AND (` + text + ")"
	}
	return text
}

// nowhere is a word that no text has.
const nowhere = "__"

// quoted is a word as one string of the query. What is no word at all matches nothing.
func quoted(owner int64, kind store.Kind, word store.Word) string {
	strange := func(c rune) bool { return !unicode.In(c, unicode.L, unicode.M, unicode.N) }
	if word.Text == "" || strings.ContainsFunc(word.Text, strange) {
		return `"` + term(owner, kind, nowhere) + `"`
	}
	text := `"` + term(owner, kind, word.Text) + `"`
	if word.Prefix {
		text += " *"
	}
	return text
}

// SearchDocuments implements [store.Documents].
func (t *tx) SearchDocuments(s auth.Scope, q store.Query) ([]store.Document, error) {
	if _, known := kindTerms[q.Kind]; len(q.Words) == 0 || q.Kind != "" && !known {
		return nil, nil
	}
	o, err := t.lister(s)
	if o.number == 0 || err != nil {
		return nil, err
	}
	// CROSS JOIN keeps the planner from walking through all of the owner's documents instead.
	return t.documents(s.User(), `SELECT `+documentColumns+` FROM
		(SELECT rowid AS place FROM document_word WHERE document_word MATCH ? ORDER BY rowid DESC LIMIT ?)
		CROSS JOIN document ON seq = place WHERE `+ownDocument+` AND (namespace = ? OR ? = '') ORDER BY place DESC`,
		match(o.number, q), store.MaxCandidates, o.number, q.Namespace, q.Namespace)
}

// lister is the scope's owner for a long read, for which it takes turn and place first; the zero
// owner when the user keeps nothing.
func (t *tx) lister(s auth.Scope) (owner, error) {
	if err := t.turn(s.User()); err != nil {
		return owner{}, err
	}
	if _, err := t.reader(true); err != nil {
		return owner{}, err
	}
	o, err := t.owner(s.User())
	if errors.Is(err, store.ErrNotFound) {
		return owner{}, nil
	}
	return o, err
}

// documents collects rows of documentColumns, within the bounds of one answer.
func (t *tx) documents(user, text string, args ...any) ([]store.Document, error) {
	var all []store.Document
	bytes := 0
	err := t.list(func(rows *sql.Rows) error {
		d, err := scanDocument(rows.Scan, user)
		if err != nil {
			return err
		}
		if bytes += len(d.Body); bytes > store.MaxCandidateBytes {
			return errEnough
		}
		all = append(all, d)
		return nil
	}, text, args...)
	return all, err
}

// ListDocuments implements [store.Documents].
func (t *tx) ListDocuments(s auth.Scope, f store.Filter) ([]store.Document, error) {
	o, err := t.lister(s)
	if o.number == 0 || err != nil {
		return nil, err
	}
	limit := f.Limit
	if limit <= 0 || limit > store.MaxCandidates {
		limit = store.MaxCandidates
	}
	columns, where, args := documentColumns, ownDocument, []any{o.number}
	if f.Bare {
		columns = bareColumns
	}
	for _, condition := range []struct{ column, value string }{
		{"kind", string(f.Kind)}, {"namespace", f.Namespace}, {"key", f.Key}, {"status", f.Status},
	} {
		if condition.value != "" {
			where += fmt.Sprintf(" AND %s = ?", condition.column)
			args = append(args, condition.value)
		}
	}
	return t.documents(s.User(), `SELECT `+columns+` FROM document WHERE `+where+` ORDER BY seq DESC LIMIT ?`, append(args, limit)...)
}

// Namespaces implements [store.Documents].
func (t *tx) Namespaces(s auth.Scope, k store.Kind) ([]store.NamespaceCount, error) {
	o, err := t.lister(s)
	if o.number == 0 || err != nil {
		return nil, err
	}
	var all []store.NamespaceCount
	err = t.list(func(rows *sql.Rows) error {
		var n store.NamespaceCount
		if err := rows.Scan(&n.Namespace, &n.Documents); err != nil {
			return err
		}
		all = append(all, n)
		return nil
	}, byNamespace, o.number, string(k), o.number, string(k), o.number, string(k), store.MaxCandidates)
	return all, err
}

// byNamespace counts by indexes alone: reading the documents would slow it down with every document of
// others that lies between. Those without a namespace are the rest of all.
const byNamespace = `SELECT namespace, n FROM (
	SELECT namespace, count(*) AS n FROM document WHERE ` + ownDocument + ` AND kind = ? AND namespace <> '' GROUP BY namespace
	UNION ALL SELECT '', (SELECT count(*) FROM document WHERE ` + ownDocument + ` AND kind = ?)
		- (SELECT count(*) FROM document WHERE ` + ownDocument + ` AND kind = ? AND namespace <> '')
	) WHERE n > 0 ORDER BY n DESC, namespace LIMIT ?`
