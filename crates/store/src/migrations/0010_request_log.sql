-- The request log: one row a call, written when the call is charged, and one row a try of it. No
-- foreign keys, since the log outlives what it names.

CREATE TABLE request_log (
    -- When the call ended and was charged; it began total_ms before.
    created_at BIGINT NOT NULL,
    request_id TEXT NOT NULL,
    -- Which write brought it; see request_batches.
    batch_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    token_id BIGINT,
    endpoint TEXT NOT NULL,
    -- The name that the client asked for, and what the upstream was asked for.
    model TEXT NOT NULL,
    upstream_model TEXT,
    -- The channel that served the call, or the last one tried.
    channel_id BIGINT,
    status BIGINT NOT NULL,
    error_cause TEXT,
    error_message TEXT,
    is_stream BOOLEAN NOT NULL,
    source TEXT NOT NULL,
    ip TEXT,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cache_read_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    -- JSON: units that are no text tokens (audio, images, seconds, characters).
    other_usage TEXT NOT NULL,
    is_estimated BOOLEAN NOT NULL,
    charge_nanos BIGINT NOT NULL CHECK (charge_nanos >= 0),
    -- JSON: the lines that the charge is the sum of.
    price_lines TEXT NOT NULL,
    first_byte_ms BIGINT,
    total_ms BIGINT NOT NULL,
    attempt_count BIGINT NOT NULL,
    PRIMARY KEY (created_at, request_id)
){by_time};
CREATE INDEX request_log_id ON request_log (request_id);
CREATE INDEX request_log_user ON request_log (user_id, created_at, request_id);
CREATE INDEX request_log_token ON request_log (token_id, created_at, request_id);
CREATE INDEX request_log_channel ON request_log (channel_id, created_at, request_id);
CREATE INDEX request_log_model ON request_log (model, created_at, request_id);
CREATE INDEX request_log_cause ON request_log (error_cause, created_at, request_id)
    WHERE error_cause IS NOT NULL;

CREATE TABLE request_attempts (
    created_at BIGINT NOT NULL,
    request_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    batch_id BIGINT NOT NULL,
    channel_id BIGINT NOT NULL,
    key_index BIGINT,
    status BIGINT,
    error TEXT,
    -- Since the call began; the durations count from here.
    started_after_ms BIGINT NOT NULL,
    connect_ms BIGINT,
    first_byte_ms BIGINT,
    total_ms BIGINT NOT NULL,
    PRIMARY KEY (created_at, request_id, position)
){by_time};

-- Writes to the log whose rows are not in the roll-ups yet. Whoever counts them deletes them in
-- the same transaction, so every row is counted exactly once, in whatever order writes commit.
CREATE TABLE request_batches (
    id {id},
    first_created_at BIGINT NOT NULL,
    last_created_at BIGINT NOT NULL
);
CREATE INDEX request_batches_time ON request_batches (first_created_at, id);
