// Command prax lets other agents use an operator's tools over the network without being trusted
// with them. It is wiring only: flags, environment, signals and subcommands.
//
// Run `prax help` for the commands and `prax config show` for the settings in force. The exit code
// is 0 for success, 1 for failure, 2 for wrong usage and 78 for a bad configuration.
package main

import "os"

func main() { os.Exit(run()) }

// run is the program on the process's own streams; the tests call it as `prax`.
func run() int { return newProgram().run(os.Args[1:]) }
