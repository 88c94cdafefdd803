// Command prax lets other agents use an operator's tools over the network without being trusted
// with them. It is wiring only: flags, environment, signals and subcommands.
package main

func main() {}
