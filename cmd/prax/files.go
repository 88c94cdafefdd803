package main

import "os"

// exists tells whether something stands at path, whatever it is.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// makeHint says what to do about a directory that is missing: it is not made, since a slip of a path would be too.
func makeHint(dir string) string {
	return "make the directory first: mkdir -p " + shellWord(dir)
}
