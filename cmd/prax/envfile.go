package main

import (
	"fmt"
	"strings"
)

// parseEnvFile reads NAME=value lines. Blank lines and those that begin with # say nothing; an
// `export ` before the name is allowed; a value may stand in single or double quotes, which are
// dropped. Nothing is expanded: `${NAME}` stays what it is, and is refused later where it would be
// a secret. A name that is set twice is an error, since one of the two is not what was meant.
// Errors begin with the line's number.
func parseEnvFile(text string) (map[string]string, error) {
	texts := map[string]string{}
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, err := parseEnvLine(line)
		if err != nil {
			return nil, fmt.Errorf("%d: %w", number, err)
		}
		if _, twice := texts[name]; twice {
			return nil, fmt.Errorf("%d: %s is set a second time", number, name)
		}
		texts[name] = value
	}
	return texts, nil
}

func parseEnvLine(line string) (name, value string, err error) {
	name, value, found := strings.Cut(strings.TrimPrefix(line, "export "), "=")
	name = strings.TrimSpace(name)
	if !found || !isName(name) {
		// The line itself is not shown: it may be a secret that lost its name.
		return "", "", fmt.Errorf("not NAME=value")
	}
	value, err = unquote(strings.TrimSpace(value))
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", name, err)
	}
	return name, value, nil
}

// isName tells whether s may be a variable's name.
func isName(s string) bool {
	for i, r := range s {
		letter := r == '_' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

func unquote(value string) (string, error) {
	if value == "" || (value[0] != '"' && value[0] != '\'') {
		// A remark needs a blank before it; a # inside a token is part of the token.
		value, _, _ = strings.Cut(value, " #")
		return strings.TrimSpace(value), nil
	}
	inside, rest, closed := strings.Cut(value[1:], value[:1])
	rest = strings.TrimSpace(rest)
	if !closed || (rest != "" && rest[0] != '#') {
		return "", fmt.Errorf("the value's quotes do not match")
	}
	return inside, nil
}
