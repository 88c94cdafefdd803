package workflow

// Weigh is for tests.
var Weigh = weigh
