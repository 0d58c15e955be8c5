-- Sums for questions about the whole service, which would otherwise add up a row for every user and
-- token. They follow from usage_rollups, and are counted beside it from here on.

-- By what the service offers. Beside minutes, hours and days also quarters of an hour (900000).
CREATE TABLE service_rollups (
    span_ms BIGINT NOT NULL,
    bucket_start BIGINT NOT NULL,
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
    PRIMARY KEY (span_ms, bucket_start, channel_id, model, endpoint)
);
INSERT INTO service_rollups (span_ms, bucket_start, channel_id, model, endpoint,
    requests, errors, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
    reasoning_tokens, charge_nanos, total_0, total_1, total_2, total_3, total_4, total_5, total_6,
    total_7, total_8, total_9, total_10, total_11, total_12, total_13, total_14, total_15,
    total_16, total_17, total_18, total_19, total_20, total_21, total_22, total_23, total_24,
    first_byte_0, first_byte_1, first_byte_2, first_byte_3, first_byte_4, first_byte_5,
    first_byte_6, first_byte_7, first_byte_8, first_byte_9, first_byte_10, first_byte_11,
    first_byte_12, first_byte_13, first_byte_14, first_byte_15, first_byte_16, first_byte_17,
    first_byte_18, first_byte_19, first_byte_20, first_byte_21, first_byte_22, first_byte_23,
    first_byte_24)
SELECT span_ms, bucket_start, channel_id, model, endpoint,
    SUM(requests), SUM(errors), SUM(input_tokens), SUM(output_tokens), SUM(cache_read_tokens),
    SUM(cache_write_tokens), SUM(reasoning_tokens), SUM(charge_nanos), SUM(total_0), SUM(total_1),
    SUM(total_2), SUM(total_3), SUM(total_4), SUM(total_5), SUM(total_6), SUM(total_7),
    SUM(total_8), SUM(total_9), SUM(total_10), SUM(total_11), SUM(total_12), SUM(total_13),
    SUM(total_14), SUM(total_15), SUM(total_16), SUM(total_17), SUM(total_18), SUM(total_19),
    SUM(total_20), SUM(total_21), SUM(total_22), SUM(total_23), SUM(total_24), SUM(first_byte_0),
    SUM(first_byte_1), SUM(first_byte_2), SUM(first_byte_3), SUM(first_byte_4), SUM(first_byte_5),
    SUM(first_byte_6), SUM(first_byte_7), SUM(first_byte_8), SUM(first_byte_9),
    SUM(first_byte_10), SUM(first_byte_11), SUM(first_byte_12), SUM(first_byte_13),
    SUM(first_byte_14), SUM(first_byte_15), SUM(first_byte_16), SUM(first_byte_17),
    SUM(first_byte_18), SUM(first_byte_19), SUM(first_byte_20), SUM(first_byte_21),
    SUM(first_byte_22), SUM(first_byte_23), SUM(first_byte_24)
FROM usage_rollups GROUP BY 1, 2, 3, 4, 5;
INSERT INTO service_rollups (span_ms, bucket_start, channel_id, model, endpoint,
    requests, errors, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
    reasoning_tokens, charge_nanos, total_0, total_1, total_2, total_3, total_4, total_5, total_6,
    total_7, total_8, total_9, total_10, total_11, total_12, total_13, total_14, total_15,
    total_16, total_17, total_18, total_19, total_20, total_21, total_22, total_23, total_24,
    first_byte_0, first_byte_1, first_byte_2, first_byte_3, first_byte_4, first_byte_5,
    first_byte_6, first_byte_7, first_byte_8, first_byte_9, first_byte_10, first_byte_11,
    first_byte_12, first_byte_13, first_byte_14, first_byte_15, first_byte_16, first_byte_17,
    first_byte_18, first_byte_19, first_byte_20, first_byte_21, first_byte_22, first_byte_23,
    first_byte_24)
SELECT 900000, bucket_start - bucket_start % 900000, channel_id, model, endpoint,
    SUM(requests), SUM(errors), SUM(input_tokens), SUM(output_tokens), SUM(cache_read_tokens),
    SUM(cache_write_tokens), SUM(reasoning_tokens), SUM(charge_nanos), SUM(total_0), SUM(total_1),
    SUM(total_2), SUM(total_3), SUM(total_4), SUM(total_5), SUM(total_6), SUM(total_7),
    SUM(total_8), SUM(total_9), SUM(total_10), SUM(total_11), SUM(total_12), SUM(total_13),
    SUM(total_14), SUM(total_15), SUM(total_16), SUM(total_17), SUM(total_18), SUM(total_19),
    SUM(total_20), SUM(total_21), SUM(total_22), SUM(total_23), SUM(total_24), SUM(first_byte_0),
    SUM(first_byte_1), SUM(first_byte_2), SUM(first_byte_3), SUM(first_byte_4), SUM(first_byte_5),
    SUM(first_byte_6), SUM(first_byte_7), SUM(first_byte_8), SUM(first_byte_9),
    SUM(first_byte_10), SUM(first_byte_11), SUM(first_byte_12), SUM(first_byte_13),
    SUM(first_byte_14), SUM(first_byte_15), SUM(first_byte_16), SUM(first_byte_17),
    SUM(first_byte_18), SUM(first_byte_19), SUM(first_byte_20), SUM(first_byte_21),
    SUM(first_byte_22), SUM(first_byte_23), SUM(first_byte_24)
FROM usage_rollups WHERE span_ms = 60000 GROUP BY 1, 2, 3, 4, 5;

-- By who pays: few columns, since there are many users and tokens; for finding the largest.
CREATE TABLE payer_rollups (
    span_ms BIGINT NOT NULL,
    bucket_start BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    token_id BIGINT NOT NULL,
    requests BIGINT NOT NULL,
    errors BIGINT NOT NULL,
    charge_nanos BIGINT NOT NULL,
    PRIMARY KEY (span_ms, bucket_start, user_id, token_id)
);
INSERT INTO payer_rollups (span_ms, bucket_start, user_id, token_id, requests, errors, charge_nanos)
SELECT span_ms, bucket_start, user_id, token_id, SUM(requests), SUM(errors), SUM(charge_nanos)
FROM usage_rollups GROUP BY 1, 2, 3, 4;

CREATE INDEX usage_rollups_token ON usage_rollups (token_id, span_ms, bucket_start);

-- Tries by the quarter of an hour.
INSERT INTO attempt_rollups (span_ms, bucket_start, channel_id, attempts, failures)
SELECT 900000, bucket_start - bucket_start % 900000, channel_id, SUM(attempts), SUM(failures)
FROM attempt_rollups WHERE span_ms = 60000 GROUP BY 1, 2, 3;
