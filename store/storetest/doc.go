// Package storetest is the behaviour suite that any [store.Store] passes.
package storetest
