// Package expr is the small language of workflow definitions: paths that lead to values, guards that hold or do
// not, mappings that make a value, and templates that make a text. All are parsed when a definition is loaded,
// with errors that name the position, and evaluated any number of times on an [Env], without side effects and
// within bounds. Whatever a value contains, it is never parsed.
//
// # Paths
//
// One syntax everywhere: $.context.orders[0].total. A step is a name of letters, digits, _ and - after a dot, a
// number in brackets (a number after a dot is one too), or any name as a JSON string in brackets: ["two words"],
// ['two words']. Within a list a step must be a number, without leading zeros. [*], in mappings only, goes on with each
// element of a list and gives the list of what was found.
//
// A path begins with one of the roots $.context, $.arguments, $.output (which $ alone means too),
// $.workflow.input, $.workflow.id, $.workflow.state, $.workflow.version, $.run (where nothing ever is) and
// $.answers; who parses says which of them can be read in this place.
//
// # Guards
//
//	or, and, not, ( )            in the order of binding, the loosest first
//	== != < <= > >=              any two values are equal or not; only numbers are less or more
//	starts_with contains in      of texts; contains and in also of lists
//	exists(path)                 the path leads to a value, be it null
//	len(path)                    characters of a text, elements of a list, members of an object
//	'text' "text" 1.5 true false null ['a', 'b']
//
// A text ends at the mark that it began with, and nothing in it is an escape. Numbers are compared as they are, with no
// tolerance: 0.1 is not the sum of ten hundredths. Values that an operator has no use for do not hold and are no
// error: "87" >= 80 is false, and so is "87" < 80. A path into the context that leads nowhere has no truth: the
// guard fails with [Unset], unless the rest decides it by itself, as true does in an or and false in an and. Any other
// path that leads nowhere is null.
//
// # Mappings
//
// A JSON value: a string that is $ or begins with $. or $[ is a path; an object of one member named set, add,
// subtract, multiply, divide, concat or pick computes; everything else stands for itself.
//
// # Templates
//
// A text with places: {{ $.context.name }}, and {{ "{{" }} for what must not be read as one.
package expr
