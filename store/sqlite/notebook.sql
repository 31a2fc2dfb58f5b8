-- A notebook: notes beside the library. The first byte of a value says how the
-- rest is packed, as in pages of the library: 0 plain, 1 zstd.
CREATE TABLE IF NOT EXISTS note (
	id      INTEGER PRIMARY KEY,
	kind    TEXT NOT NULL,
	key     TEXT NOT NULL,
	value   BLOB NOT NULL,
	written INTEGER NOT NULL, -- milliseconds since 1970
	UNIQUE (kind, key)
);
PRAGMA user_version = 1;
