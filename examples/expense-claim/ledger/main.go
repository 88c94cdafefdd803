// Ledger is the service at the other end of the examples: it books what is posted to it, once for each Idempotency-Key,
// however often it is asked to. So that something can be seen of that, it gives trouble: the first request with a key is
// refused with 503, the second one is booked and its answer lost, and only the third one is told so. It keeps nothing
// when it ends.
package main

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"time"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8810", "where to listen")
	trouble := flag.Bool("trouble", true, "refuse the first request with a key, and lose the answer to the second")
	flag.Parse()
	server := &http.Server{Addr: *addr, Handler: newLedger(*trouble), ReadTimeout: 10 * time.Second}
	fmt.Fprintf(os.Stderr, "ledger: http://%s/payments has what is booked\n", *addr)
	if err := server.ListenAndServe(); err != nil {
		fmt.Fprintln(os.Stderr, "ledger:", err)
		os.Exit(1)
	}
}
