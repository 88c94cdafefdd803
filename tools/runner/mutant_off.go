//go:build !mutant_grant

package runner

// The mutant's switch: off, as it always is in a build that anybody runs.
const grantOff = false
