// Greet says hello to its arguments.
package main

import (
	"fmt"
	"os"
	"strings"

	"example.com/greet/greet"
)

func main() {
	fmt.Println(greet.Greeting(strings.Join(os.Args[1:], " ")))
}
