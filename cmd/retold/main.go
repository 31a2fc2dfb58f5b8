// Command retold reads every conversation you had with a coding agent.
package main

import (
	"os"

	"github.com/retold-history/retold/ui/cli"
)

func main() { os.Exit(cli.Main()) }
