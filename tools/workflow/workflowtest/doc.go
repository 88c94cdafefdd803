// Package workflowtest makes workflow definitions for tests: small ones written out, and random ones that use every
// means of the engine, with the callers and the submits to drive them. Only tests import it.
package workflowtest
