//go:build mutant_decide

package policy

// decideOpen makes Decide say yes to whatever exists. Tests must turn red under this tag: that
// proves they would notice a decision that was lost.
const decideOpen = true
