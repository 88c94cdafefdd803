// Package greet finds the words.
package greet

import "strings"

// Greeting greets name, or everybody when it is blank.
func Greeting(name string) string {
	name = strings.TrimSpace(name)
	if name == "" {
		name = "world"
	}
	return "Hello, " + name + "!"
}
