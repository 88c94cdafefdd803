// Package definition reads the operator's file of definitions: YAML or JSON, strictly, with file and line for
// whatever is wrong. [Load] compiles it to a [Set] of tools, or to none at all; a [Source] keeps a set in step
// with its file and leaves the last good one in force while the file is broken.
//
// The file is one object: `version`, and `capabilities` by name, each {title?, description, risk, expose,
// inputSchema?, outputSchema?, executor}. What an executor does belongs to its kind: whoever wires the program
// hands in a table of [Kinds]. Any other key is an error that names the nearest one that is known.
//
// YAML is taken as JSON in another dress: keys are text, a number is written as JSON writes it, dates stay text,
// NaN and infinities do not exist, nothing is merged, and aliases are expanded within a budget. It is the only
// package that links the YAML library.
package definition
