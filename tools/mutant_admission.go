//go:build mutant_admission

package tools

// admitHigh lets a granted HIGH tool through without an approval. Tests must turn red under this tag: that proves they
// would notice a check that was lost.
const admitHigh = true
