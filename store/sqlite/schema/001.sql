-- One row: numbers that are given out once, and how often the library changed.
CREATE TABLE state (
    id           INTEGER PRIMARY KEY CHECK (id = 1),
    generation   INTEGER NOT NULL, -- raised by every commit
    next_session INTEGER NOT NULL,
    next_page    INTEGER NOT NULL,
    next_doc     INTEGER NOT NULL,
    next_segment INTEGER NOT NULL,
    revision     INTEGER NOT NULL, -- of the session put last
    purge        INTEGER NOT NULL, -- words of a forgotten session are still in the index
    seed         INTEGER NOT NULL  -- of the hashes that tell whether a message changed
) STRICT;
INSERT INTO state VALUES (1, 0, 1, 1, 1, 1, 0, 0, random());

CREATE TABLE session (
    id       INTEGER PRIMARY KEY, -- never reused; postings name sessions by it
    family   TEXT NOT NULL,
    sid      TEXT NOT NULL,       -- the agent's own id
    agent    TEXT NOT NULL,
    empty    INTEGER NOT NULL,
    pending  INTEGER NOT NULL,
    touched  INTEGER,             -- Unix milliseconds; NULL when no time is known
    revision INTEGER NOT NULL,
    body     BLOB NOT NULL        -- kept.go
) STRICT;
CREATE UNIQUE INDEX session_key ON session (family, sid);
CREATE INDEX session_listing ON session (empty, touched DESC, sid, agent, family);
CREATE INDEX session_pending ON session (pending) WHERE pending;
CREATE INDEX session_revision ON session (revision);

-- Which record of which source tells of which session.
CREATE TABLE part (
    session INTEGER NOT NULL,
    n       INTEGER NOT NULL,
    agent   TEXT NOT NULL,
    place   TEXT NOT NULL,
    ref     TEXT NOT NULL,
    PRIMARY KEY (session, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX part_ref ON part (agent, place, ref);

-- What only a single session's reader wants.
CREATE TABLE detail (
    session  INTEGER PRIMARY KEY,
    manifest BLOB NOT NULL, -- manifest.go: the pages of its messages
    memory   BLOB NOT NULL, -- of its parts
    problems BLOB NOT NULL
) STRICT;

CREATE TABLE page (
    id   INTEGER PRIMARY KEY,
    data BLOB NOT NULL -- page.go
) STRICT;
-- Text that pages are packed against: primer.go.
CREATE TABLE primer (
    id   INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;
CREATE TABLE head (
    page INTEGER PRIMARY KEY,
    data BLOB NOT NULL -- head.go: what is known of a page without unpacking it
) STRICT;
-- Committed pages that no manifest names yet. After a crash they are swept.
CREATE TABLE loose (page INTEGER PRIMARY KEY) STRICT;

-- Where the documents of the index lie: 256 to a row, see docmap.go.
CREATE TABLE docs (
    block INTEGER PRIMARY KEY,
    data  BLOB NOT NULL
) STRICT;

CREATE TABLE segment (
    id     INTEGER PRIMARY KEY,
    first  INTEGER NOT NULL, -- lowest and highest document
    last   INTEGER NOT NULL,
    docs   INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    head   BLOB NOT NULL,
    rows   BLOB NOT NULL     -- which bundle has which of its rows
) STRICT;
CREATE TABLE bundle (
    id   INTEGER PRIMARY KEY, -- segment << 24 | number of the bundle
    data BLOB NOT NULL        -- bundle.go
) STRICT;
CREATE TABLE segment_dead (
    segment INTEGER PRIMARY KEY,
    data    BLOB NOT NULL -- dead.go: documents that are no longer there
) STRICT;

CREATE TABLE forgotten (
    family TEXT NOT NULL,
    sid    TEXT NOT NULL,
    at     INTEGER NOT NULL, -- Unix milliseconds
    PRIMARY KEY (family, sid)
) STRICT, WITHOUT ROWID;

CREATE TABLE place (
    agent  TEXT NOT NULL,
    path   TEXT NOT NULL,
    kind   TEXT NOT NULL,
    body   BLOB NOT NULL,
    memory BLOB NOT NULL,
    PRIMARY KEY (agent, path, kind)
) STRICT;
