// Package definition reads the operator's configuration: one file, or a folder of files, and what they include; YAML or
// JSON, strictly, with file and line for whatever is wrong. [Load] compiles it to a [Set] of tools, workflow
// definitions, what can be found, terms and settings, or to nothing at all; a [Source] keeps a set in step with its
// files and leaves the last good one in force while one of them is broken.
//
// A configuration is one object: `version`, `include`, `connections`, `capabilities`, `workflows`, `proxy`, `skills`, `scripts`,
// `lexicon`, `discovery`, and what praxec has besides. Files are merged in order. A key that is known nowhere is an error
// that names the nearest one; a key of praxec's that is not served is one that says what to do instead, unless it only
// decorates. What an executor does belongs to its kind: whoever wires the program hands in a table of [Kinds]. What is
// exposed as a tool and has an effect becomes a [workflow.Capability], for who runs those to make a tool of.
//
// A workflow is compiled in two steps. First it is written out to a form that stands alone: capabilities in place of
// their names, the skills and scripts that it refers to beside it, each executor with its risk by everything that has a say
// in it. Connections are no part of it: an executor meets the one of its name that is in force when it runs. The canonical
// JSON of that form is the definition's text, and its hash; neither depends on how the files are laid out. Then the form is
// compiled. [Decode] takes the second step alone, from the text that an instance has pinned.
//
// YAML is taken as JSON in another dress: keys are text, a number is written as JSON writes it, dates stay text,
// NaN and infinities do not exist, nothing is merged by <<, and aliases are expanded within a budget. It is the only
// package that links the YAML library.
package definition
