package backup

// Blank is blankAny.
func Blank(value []byte, suffix string) []string { return blankAny(value, suffix) }
