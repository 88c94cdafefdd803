package main

import "prax/auth/watch"

// maxFile bounds what is read of a file of settings.
const maxFile = 1 << 20

// readRegular is the content of a file of at most most bytes, by [watch.ReadRegular].
func readRegular(name string, most int64) ([]byte, error) {
	text, _, err := watch.ReadRegular(name, most)
	return text, err
}
