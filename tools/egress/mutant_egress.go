//go:build mutant_egress

package egress

// dialerOpen lets the dialer connect to whatever address a name has. Tests must turn red under this tag: that proves
// they would notice a dialer that no longer asks.
const dialerOpen = true
