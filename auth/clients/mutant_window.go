//go:build mutant_window

package clients

// windowOff has every token be good at any time. Tests must turn red under this tag: that proves they would notice a
// window that is not looked at.
const windowOff = true
