-- Sums of the request log for the charts, per minute, hour and day. What a call lacks (token,
-- channel) is 0. The columns total_N and first_byte_N are histograms: calls that took at most the
-- N-th bound, more than the one before; the bounds are in the program and never change.

CREATE TABLE usage_rollups (
    span_ms BIGINT NOT NULL,
    bucket_start BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    token_id BIGINT NOT NULL,
    channel_id BIGINT NOT NULL,
    model TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    requests BIGINT NOT NULL,
    errors BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cache_read_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    charge_nanos BIGINT NOT NULL,
    total_0 BIGINT NOT NULL,
    total_1 BIGINT NOT NULL,
    total_2 BIGINT NOT NULL,
    total_3 BIGINT NOT NULL,
    total_4 BIGINT NOT NULL,
    total_5 BIGINT NOT NULL,
    total_6 BIGINT NOT NULL,
    total_7 BIGINT NOT NULL,
    total_8 BIGINT NOT NULL,
    total_9 BIGINT NOT NULL,
    total_10 BIGINT NOT NULL,
    total_11 BIGINT NOT NULL,
    total_12 BIGINT NOT NULL,
    total_13 BIGINT NOT NULL,
    total_14 BIGINT NOT NULL,
    total_15 BIGINT NOT NULL,
    total_16 BIGINT NOT NULL,
    total_17 BIGINT NOT NULL,
    total_18 BIGINT NOT NULL,
    total_19 BIGINT NOT NULL,
    total_20 BIGINT NOT NULL,
    total_21 BIGINT NOT NULL,
    total_22 BIGINT NOT NULL,
    total_23 BIGINT NOT NULL,
    total_24 BIGINT NOT NULL,
    first_byte_0 BIGINT NOT NULL,
    first_byte_1 BIGINT NOT NULL,
    first_byte_2 BIGINT NOT NULL,
    first_byte_3 BIGINT NOT NULL,
    first_byte_4 BIGINT NOT NULL,
    first_byte_5 BIGINT NOT NULL,
    first_byte_6 BIGINT NOT NULL,
    first_byte_7 BIGINT NOT NULL,
    first_byte_8 BIGINT NOT NULL,
    first_byte_9 BIGINT NOT NULL,
    first_byte_10 BIGINT NOT NULL,
    first_byte_11 BIGINT NOT NULL,
    first_byte_12 BIGINT NOT NULL,
    first_byte_13 BIGINT NOT NULL,
    first_byte_14 BIGINT NOT NULL,
    first_byte_15 BIGINT NOT NULL,
    first_byte_16 BIGINT NOT NULL,
    first_byte_17 BIGINT NOT NULL,
    first_byte_18 BIGINT NOT NULL,
    first_byte_19 BIGINT NOT NULL,
    first_byte_20 BIGINT NOT NULL,
    first_byte_21 BIGINT NOT NULL,
    first_byte_22 BIGINT NOT NULL,
    first_byte_23 BIGINT NOT NULL,
    first_byte_24 BIGINT NOT NULL,
    PRIMARY KEY (span_ms, bucket_start, user_id, token_id, channel_id, model, endpoint)
);
CREATE INDEX usage_rollups_user ON usage_rollups (user_id, span_ms, bucket_start);

-- Tries per channel: a channel that fails and is saved by another shows here only.
CREATE TABLE attempt_rollups (
    span_ms BIGINT NOT NULL,
    bucket_start BIGINT NOT NULL,
    channel_id BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    PRIMARY KEY (span_ms, bucket_start, channel_id)
);

-- One row that whoever updates the roll-ups locks, so that updates follow one another.
CREATE TABLE rollup_state (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    updated_at BIGINT NOT NULL
);
INSERT INTO rollup_state (id, updated_at) VALUES (1, 0);
