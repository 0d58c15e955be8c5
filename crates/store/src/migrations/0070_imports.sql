-- What was carried over from other gateways, so that it is carried over once and can be taken out
-- again.

CREATE TABLE imports (
    id {id},
    -- What kind of gateway, and which one of that kind: `one-api`, or a name that somebody gave.
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    format TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed',
        'cancelled', 'undoing', 'undone', 'partly_undone')),
    created_by BIGINT REFERENCES users (id),
    created_at BIGINT NOT NULL,
    -- Whoever works on it says so now and then: silence means that nobody does any more.
    updated_at BIGINT NOT NULL,
    finished_at BIGINT,
    undone_at BIGINT,
    -- JSON: what was carried over, what was not and why.
    report TEXT,
    undo_report TEXT
);

-- Which of our records was made from which of theirs. A record that is taken out leaves no row.
CREATE TABLE import_items (
    id {id},
    import_id BIGINT NOT NULL REFERENCES imports (id),
    source TEXT NOT NULL,
    entity TEXT NOT NULL CHECK (entity IN ('group', 'user', 'token', 'channel', 'code', 'price')),
    foreign_id TEXT NOT NULL,
    our_id BIGINT NOT NULL,
    -- Something of theirs that does not change, to notice that another source goes by this name.
    mark TEXT NOT NULL DEFAULT '',
    -- What was booked for it, to be booked back.
    wallet_nanos BIGINT NOT NULL DEFAULT 0,
    referral_nanos BIGINT NOT NULL DEFAULT 0,
    UNIQUE (source, entity, foreign_id)
);
CREATE INDEX import_items_import ON import_items (import_id, entity, id);
CREATE INDEX import_items_ours ON import_items (entity, our_id);
