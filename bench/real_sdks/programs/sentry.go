package main

import (
	"fmt"
	"os"
	"time"

	"github.com/getsentry/sentry-go"
)

func price(cart map[string]int, label string) error {
	return fmt.Errorf("no discount of %s in %d prices", label, len(cart))
}

func main() {
	err := sentry.Init(sentry.ClientOptions{
		Dsn: os.Args[1], Release: "shop@1.0.0", Environment: "test", ServerName: "web-1",
	})
	if err != nil {
		panic(err)
	}
	id := sentry.CaptureException(price(nil, os.Args[2]))
	sentry.Flush(10 * time.Second)
	fmt.Println(*id)
}
