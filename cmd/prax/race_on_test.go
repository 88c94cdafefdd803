//go:build race

package main

// raced tells whether this build detects races.
const raced = true
