package builtin

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"prax/auth"
	"prax/store"
)

const maxSlug = 80 // bytes, without the number of a further note of one title

// idForm is what an id looks like: no slug may, so that a note is named by either without doubt.
var idForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-z]{26}$`) })

// slugOf is a title as a short name: lower case, letters and digits of any script, hyphens between.
func slugOf(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(c rune) bool { return !unicode.In(c, unicode.L, unicode.M, unicode.N) })
	slug := strings.Join(words, "-")
	slug = shorten(slug)
	if slug == "" || idForm().MatchString(slug) {
		slug = strings.TrimSuffix("note-"+slug, "-")
	}
	return slug
}

// shorten cuts a slug between characters, and between words where one ends late enough.
func shorten(slug string) string {
	if len(slug) <= maxSlug {
		return slug
	}
	end := maxSlug
	for !utf8.RuneStart(slug[end]) {
		end--
	}
	slug = slug[:end]
	if last := strings.LastIndexByte(slug, '-'); last > maxSlug/2 {
		slug = slug[:last]
	}
	return strings.TrimSuffix(slug, "-")
}

// freeSlug is the slug, or with a number what no note of the caller has: of many notes of one title,
// the number after one that is taken. The numbers are looked for in growing steps, so that a caller who
// makes thousands of one title does not hold up the writer.
func freeSlug(tx store.Documents, s auth.Scope, slug string) (string, error) {
	numbered := func(n int) string {
		if n == 1 {
			return slug
		}
		return slug + "-" + strconv.Itoa(n)
	}
	taken := func(n int) (bool, error) {
		_, err := tx.KeyedDocument(s, store.Note, "", numbered(n))
		if errors.Is(err, store.ErrNotFound) {
			return false, nil
		}
		return err == nil, err
	}
	low, high := 0, 1 // low is taken, or 0
	for {
		there, err := taken(high)
		if err != nil {
			return "", err
		}
		if !there {
			break
		}
		low, high = high, high*2
	}
	for high-low > 1 {
		middle := (low + high) / 2
		there, err := taken(middle)
		if err != nil {
			return "", err
		}
		if there {
			low = middle
		} else {
			high = middle
		}
	}
	return numbered(high), nil
}
