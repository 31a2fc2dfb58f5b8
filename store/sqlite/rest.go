package sqlite

import "errors"

// Rest gives back the memory that is kept for the next answer: what was read
// lately, and the connections that nobody uses. The next answer reads again.
func (s *Store) Rest() error {
	s.mu.Lock()
	idle := s.idle
	s.idle = nil
	s.mu.Unlock()
	var errs []error
	for _, c := range idle {
		errs = append(errs, c.Close())
	}
	s.pages.empty()
	s.bundles.empty()
	s.messages.empty()
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	s.shared.catalogue = nil
	return errors.Join(errs...)
}
