"""The roll-ups of the seeded calls, as the server itself would have counted them."""

from rows import DAY_MS

MINUTE_MS, QUARTER_MS, HOUR_MS = 60_000, 900_000, 3_600_000
# As in crates/store/src/rollups/histogram.rs; part of what is stored, so they never change.
BOUNDS_MS = [10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000,
             7_500, 10_000, 15_000, 20_000, 30_000, 60_000, 120_000, 300_000]
SUMS = ["requests", "errors", "input_tokens", "output_tokens", "cache_read_tokens",
        "cache_write_tokens", "reasoning_tokens", "charge_nanos"]
HISTOGRAMS = [f"{name}_{place}" for name in ["total", "first_byte"]
              for place in range(len(BOUNDS_MS) + 1)]
KEYS = ["user_id", "token_id", "channel_id", "model", "endpoint"]
SERVICE_KEYS = KEYS[2:]
PAYER_KEYS, PAYER_SUMS = KEYS[:2], ["requests", "errors", "charge_nanos"]


def histogram(name):
    lower, found = None, []
    for upper in [*BOUNDS_MS, None]:
        bounds = [f"{name}_ms > {lower}"] if lower is not None else []
        bounds += [f"{name}_ms <= {upper}"] if upper is not None else []
        found.append(f"SUM(CASE WHEN {' AND '.join(bounds)} THEN 1 ELSE 0 END)")
        lower = upper
    return found


def of_log(span, load):
    measured = ["COUNT(*)", "SUM(CASE WHEN status >= 400 THEN 1 ELSE 0 END)"]
    measured += [f"SUM({name})" for name in SUMS[2:]] + histogram("total") + histogram("first_byte")
    return f"""INSERT INTO usage_rollups (span_ms, bucket_start, {", ".join(KEYS + SUMS + HISTOGRAMS)})
        SELECT {span}, created_at - created_at % {span}, user_id, COALESCE(token_id, 0),
        COALESCE(channel_id, 0), model, endpoint, {", ".join(measured)} FROM request_log
        WHERE created_at >= {load.start} AND created_at < {load.start + DAY_MS}
        GROUP BY 2, 3, 4, 5, 6, 7"""


def of_sums(table, keys, names, span, source, finer, load):
    """Sums of sums: of a coarser span, by fewer keys, or both."""
    measured = ", ".join(f"SUM({name})" for name in names)
    grouped = ", ".join(str(place + 2) for place in range(len(keys) + 1))
    return f"""INSERT INTO {table} (span_ms, bucket_start, {", ".join(keys + names)})
        SELECT {span}, bucket_start - bucket_start % {span}, {", ".join([*keys, measured])}
        FROM {source} WHERE span_ms = {finer}
        AND bucket_start >= {load.start} AND bucket_start < {load.start + DAY_MS}
        GROUP BY {grouped}"""


def of_attempts(span, load):
    return f"""INSERT INTO attempt_rollups (span_ms, bucket_start, channel_id, attempts, failures)
        SELECT {span}, created_at - created_at % {span}, channel_id,
        SUM(CASE WHEN attempts LIKE '%503%' THEN 2 ELSE 1 END),
        SUM(CASE WHEN attempts LIKE '%503%' THEN 1 ELSE 0 END) FROM request_log
        WHERE created_at >= {load.start} AND created_at < {load.start + DAY_MS}
        GROUP BY 2, 3"""


def of_day(load, is_recent):
    """Minutes and quarters of an hour are kept for a week only."""
    spans = [MINUTE_MS, HOUR_MS, DAY_MS] if is_recent else [HOUR_MS, DAY_MS]
    usage, service, total = "usage_rollups", "service_rollups", "total_rollups"
    all_sums = SUMS + HISTOGRAMS
    yield of_log(spans[0], load)
    for finer, span in zip(spans, spans[1:]):
        yield of_sums(usage, KEYS, all_sums, span, usage, finer, load)
    for span in spans:
        yield of_sums("payer_rollups", PAYER_KEYS, PAYER_SUMS, span, usage, span, load)
        yield of_sums(service, SERVICE_KEYS, all_sums, span, usage, span, load)
        yield of_sums(total, [], all_sums, span, service, span, load)
        yield of_attempts(span, load)
    if is_recent:
        yield of_sums(service, SERVICE_KEYS, all_sums, QUARTER_MS, service, MINUTE_MS, load)
        yield of_sums(total, [], all_sums, QUARTER_MS, service, QUARTER_MS, load)
        yield of_attempts(QUARTER_MS, load)
