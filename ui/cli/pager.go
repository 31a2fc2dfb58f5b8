package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
)

// paged runs print with its output in the person's pager when stdout is a
// terminal. A pager that cannot be started is done without; one that is left
// early ends the command quietly.
func (a *app) paged(print func() error) error {
	command := strings.TrimSpace(a.settings.Pager.value)
	if !a.tty || command == "" || command == "cat" || missing(command) {
		return print()
	}
	// Not bound to a context: an interrupt is the pager's own business (less stops
	// a search by it), and the terminal must be left as it was.
	pager := pagerCommand(command)
	pager.Stdout, pager.Stderr = os.Stdout, os.Stderr
	pager.Env = os.Environ()
	if _, set := os.LookupEnv("LESS"); !set {
		pager.Env = append(pager.Env, "LESS=FRX") // F: no paging of what fits on a screen
	}
	in, err := pager.StdinPipe()
	if err != nil {
		return fmt.Errorf("start pager: %w", err)
	}
	if err := pager.Start(); err != nil {
		return print()
	}
	interrupts := make(chan os.Signal, 1) // swallowed, so that not even a second one ends us before the pager
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	terminal := a.out
	a.out = bufio.NewWriterSize(in, 64<<10)
	err = errors.Join(print(), a.out.Flush(), in.Close())
	a.out = terminal
	waited := pager.Wait()
	switch {
	case notStarted(waited):
		return print()
	case brokenPipe(err):
		return nil
	case err != nil:
		return err
	case waited != nil:
		return fmt.Errorf("pager %s: %w", command, waited)
	}
	return nil
}

// missing reports whether command begins with the plain name of a program that
// is not there; the shell's own complaint about it would be in the way.
func missing(command string) bool {
	program := strings.Fields(command)[0]
	if strings.ContainsAny(program, "=$`'\"\\~;&|<>(){}*?[]!#") {
		return false
	}
	_, err := exec.LookPath(program)
	return err != nil
}

// notStarted reports whether the shell says that there is no such program, or
// none that it may run.
func notStarted(err error) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	return ok && (exit.ExitCode() == 126 || exit.ExitCode() == 127)
}

// pagerCommand runs command in the way its writer expects: by the shell where
// there is one.
func pagerCommand(command string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		words := strings.Fields(command)
		return exec.Command(words[0], words[1:]...)
	}
	return exec.Command("sh", "-c", command)
}
