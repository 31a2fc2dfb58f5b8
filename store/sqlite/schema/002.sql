-- Segments may be of format 2 (internal/index), which older programs cannot read.
-- Those of format 1 are read as before, until they are merged. Raising the
-- generation makes every process look at the segments again.
UPDATE state SET generation = generation + 1;
