package cursor

// SpendNothing makes Track take every short way however small the database is, so
// that tests on small ones see what happens to large ones.
func (s *Source) SpendNothing() { s.thrift = thrift{keys: -1, within: 600} }
