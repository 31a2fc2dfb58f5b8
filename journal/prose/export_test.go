package prose

import "github.com/retold-history/retold/journal"

// RetryAfter is retryAfter.
var RetryAfter = retryAfter

// Read is read, with what an entry holds.
func Read(text string, e *journal.Entry) (*journal.Prose, error) { return read(text, sourceOf(e)) }

// Passages are the texts that a sentence quotes.
func Passages(text string) (list []string, ok bool) {
	found, ok := passages(text)
	for _, p := range found {
		list = append(list, p.text)
	}
	return list, ok
}
