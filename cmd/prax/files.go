package main

import "os"

// exists tells whether something stands at path, whatever it is.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
