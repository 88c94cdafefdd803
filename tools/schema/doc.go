// Package schema is JSON Schema 2020-12 for arguments and results: [Compile] a schema from anywhere
// within fixed bounds, [Schema.Validate] a value against it with every violation by JSON Pointer in
// words for a model, and [Lint] a schema that is about to be published.
//
// It wraps the validating library and is the only package that links it. Schemas may come from
// remote peers, so nothing is ever loaded, reference cycles and expansions beyond the bounds are
// refused, and the work that one validation may take is limited.
package schema
