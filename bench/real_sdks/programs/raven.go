package main

import (
	"fmt"
	"os"

	"github.com/getsentry/raven-go"
)

func price(cart map[string]int, label string) error {
	return fmt.Errorf("no discount of %s in %d prices", label, len(cart))
}

func main() {
	raven.SetDSN(os.Args[1])
	raven.SetRelease("shop@1.0.0")
	raven.SetEnvironment("test")
	fmt.Println(raven.CaptureErrorAndWait(price(nil, os.Args[2]), nil))
}
