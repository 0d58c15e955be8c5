-- The service itself.

-- One document: what can be changed while the service runs.
CREATE TABLE settings (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    version BIGINT NOT NULL,
    document TEXT NOT NULL,
    updated_by BIGINT REFERENCES users (id),
    updated_at BIGINT NOT NULL
);

CREATE TABLE announcements (
    id {id},
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    level TEXT NOT NULL CHECK (level IN ('notice', 'incident')),
    starts_at BIGINT NOT NULL,
    ends_at BIGINT,
    created_by BIGINT REFERENCES users (id),
    created_at BIGINT NOT NULL
);

-- Answers of the responses format that a client asked to keep: input and output, encrypted.
CREATE TABLE responses (
    id TEXT PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id),
    previous_id TEXT,
    status TEXT NOT NULL,
    content_encrypted {bytes} NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX responses_expiry ON responses (expires_at);

CREATE TABLE nodes (
    id TEXT PRIMARY KEY,
    version TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    heartbeat_at BIGINT NOT NULL,
    -- Charges wait in the node's journal: what it leased stays held until they are replayed.
    has_journal BOOLEAN NOT NULL DEFAULT FALSE
);
