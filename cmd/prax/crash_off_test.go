//go:build !crashpoints

package main

// crashPoints tells whether this build can be stopped at the store's named points.
const crashPoints = false
