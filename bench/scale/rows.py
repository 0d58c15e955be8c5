"""The rows, each made from its number in SQL that both engines understand."""

from dataclasses import dataclass

DAY_MS = 86_400_000
# The Mersenne prime that numbers are mixed by, and multipliers that keep the mixes apart.
PRIME = 2_147_483_647
MIXES = [1_103_515_245, 1_664_525_003, 214_013_077, 1_140_671_485, 69_069_131, 1_812_433_253]

CHANNELS = 20
MODELS = 40
ENDPOINTS = ["/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1/embeddings",
             "/v1beta/models"]
CAUSES = ["rate_limit_exceeded", "upstream_error", "invalid_request", "timeout"]
# Ids of what is seeded begin here, far from what set-up made.
FIRST = 1_000


def mixed(which, number="i"):
    """A number from 0 to PRIME - 1 that looks random."""
    once = f"(({number}) * {MIXES[which]} + {MIXES[which - 1]}) % {PRIME}"
    return f"(({once}) * {MIXES[which - 2]} + 12345) % {PRIME}"


def below(bound, which, number="i"):
    return f"(({mixed(which, number)}) % {bound})"


def skewed(bound, which):
    """From 0 to bound - 1; a hundredth of the values is about a fifth of the rows."""
    part = f"(({mixed(which)}) * 1.0 / {PRIME})"
    return f"CAST(floor({bound} * {part} * {part} * {part}) AS BIGINT)"


def one_of(words, number):
    cases = " ".join(f"WHEN {place} THEN '{word}'" for place, word in enumerate(words))
    return f"CASE {number} {cases} END"


def padded(number, digits):
    """With zeros before it."""
    text = f"CAST({number} AS TEXT)"
    return f"SUBSTR('{'0' * digits}' || {text}, LENGTH({text}) + 1, {digits})"


def channels(engine, end):
    yield f"""INSERT INTO channels (id, name, provider, base_url, models, groups, state,
        created_at, updated_at)
        SELECT {FIRST} + i, 'seeded channel ' || i, 'openai', 'https://upstream.invalid/v1', '[]',
        '["default"]', 'off', {end}, {end} FROM {engine.numbers(0, CHANNELS)}"""


def users(engine, count, end):
    yield f"""INSERT INTO users (id, username, username_key, email, email_key, display_name, role,
        status, group_name, aff_code, created_at, last_login_at)
        SELECT {FIRST} + i, 'user' || i, 'user' || i, 'user' || i || '@example.com',
        'user' || i || '@example.com', 'Person number ' || i, 1,
        CASE WHEN {below(50, 0)} = 0 THEN 2 ELSE 1 END, 'default', 'seed' || i,
        {end} - ({count} - i) * 25000, {end} - {below(30 * DAY_MS, 1)}
        FROM {engine.numbers(0, count)}"""


def money(engine, end):
    """A gift to everyone, as an entry and in the balances."""
    yield f"""INSERT INTO ledger_accounts (kind, user_id, balance_nanos)
        SELECT 'wallet', id, (1 + id % 100) * 1000000000 FROM users WHERE id >= {FIRST}"""
    yield f"""INSERT INTO ledger_entries (idempotency_key, from_account, to_account, amount_nanos,
        reference_kind, reference_id, created_at)
        SELECT 'grant:seed:' || user_id,
        (SELECT id FROM ledger_accounts WHERE kind = 'grants'), id, balance_nanos,
        'user', CAST(user_id AS TEXT), {end}
        FROM ledger_accounts WHERE user_id >= {FIRST}"""
    yield f"""UPDATE ledger_accounts SET balance_nanos = balance_nanos - (
        SELECT SUM(balance_nanos) FROM ledger_accounts WHERE user_id >= {FIRST})
        WHERE kind = 'grants'"""


def tokens(engine, count, users, end):
    """The root user gets a thousand; the others share the rest. Some are named like a formula."""
    root = "(SELECT MIN(id) FROM users WHERE role = 100)"
    yield f"""INSERT INTO tokens (id, user_id, name, prefix, secret_hash, created_at, last_used_at)
        SELECT {FIRST} + i, CASE WHEN i >= {count - 1_000} THEN {root} ELSE {FIRST} + i % {users} END,
        CASE WHEN i % 100 = 0 THEN '=1+' || i ELSE 'token ' || i END, 'sk-' || i, {engine.bytes_of("'seeded token ' || i")},
        {end} - ({count} - i) * 5000, {end} - {below(30 * DAY_MS, 2)}
        FROM {engine.numbers(0, count)}"""


def records(engine, users, end):
    yield f"""INSERT INTO orders (id, user_id, provider, amount_minor, currency, credit_nanos,
        status, created_at, expires_at, completed_at)
        SELECT 'order-' || i, {FIRST} + {below(users, 0)}, 'sandbox', 1000, 'usd', 10000000000,
        {one_of(["paid", "failed", "expired"], below(3, 1))},
        {end} - i * 20000, {end} - i * 20000 + 3600000, {end} - i * 20000 + 60000
        FROM {engine.numbers(0, users)}"""
    yield f"""INSERT INTO redemption_codes (name, code_hash, credit_nanos, created_at)
        SELECT 'batch ' || (i / 1000), {engine.bytes_of("'seeded code ' || i")}, 1000000000,
        {end} - i * 1000 FROM {engine.numbers(0, users)}"""
    yield f"""INSERT INTO audit_log (created_at, actor_id, action, object_kind, object_id, changes,
        outcome, ip)
        SELECT {end} - i, {FIRST} + {below(100, 0)}, 'update', 'user',
        CAST({FIRST} + {below(users, 1)} AS TEXT), '{{}}', 'done', '127.0.0.1'
        FROM {engine.numbers(0, users)}"""


@dataclass
class Load:
    """The calls of one UTC day; of the last one, those until now."""

    first: int
    count: int
    start: int
    length_ms: int
    users: int
    tokens: int

    @classmethod
    def of_day(cls, given, day, end):
        count = given.calls // given.days
        start = end - end % DAY_MS - (given.days - 1 - day) * DAY_MS
        length = min(DAY_MS, end - start)
        return cls(day * count, count, start, length, given.users, given.tokens)

    @property
    def created_at(self):
        return f"{self.start} + (i - {self.first}) * {self.length_ms} / {self.count}"


def calls(engine, load):
    """Most users stay with a token, two models and one endpoint; a model has two channels."""
    token = f"{FIRST} + person + {load.users} * (CASE WHEN {below(8, 3)} = 0 THEN 1 ELSE 0 END)"
    model = f"((person * 7 + {below(2, 4)} * 3) % {MODELS})"
    price_lines = (
        """'[{"kind":"input","units":' || input || ',"price_usd":"0.00000125","amount_usd":"0.' """
        f"""|| {padded("input * 125", 8)} || '"}},{{"kind":"output","units":' || output || """
        f"""',"price_usd":"0.00001","amount_usd":"0.' || {padded("output", 5)} || '"}}]'"""
    )

    # One try, and a failed one before it in every tenth call.
    channel = f"{FIRST} + ({model} * 2 + {below(2, 5)}) % {CHANNELS}"
    first_try = f"""'{{"channel_id":' || ({channel}) || ',"key_index":0,"status":"""
    failed = first_try + """503,"error":"upstream_error","started_after_ms":0,"total_ms":20},'"""
    last = first_try + """200,"started_after_ms":0,"first_byte_ms":40,"total_ms":' || total || '}'"""
    tries = f"'[' || CASE WHEN {below(10, 1)} = 0 THEN {failed} ELSE '' END || {last} || ']'"

    def fill(table):
        return f"""INSERT INTO {table} (created_at, request_id, batch_id, user_id, token_id,
            endpoint, model, upstream_model, channel_id, status, error_cause, error_message,
            is_stream, source, ip, input_tokens, output_tokens, cache_read_tokens,
            cache_write_tokens, reasoning_tokens, other_usage, is_estimated, charge_nanos,
            price_lines, first_byte_ms, total_ms, attempts)
            SELECT {load.created_at}, 'seed-' || i, 0, {FIRST} + person, {token},
            {one_of(ENDPOINTS, f"person % {len(ENDPOINTS)}")}, 'model-' || {model},
            'vendor-model-' || {model}, {channel},
            CASE WHEN fate < 3 THEN 429 WHEN fate = 3 THEN 502 ELSE 200 END,
            CASE WHEN fate < 4 THEN {one_of(CAUSES, "fate")} END,
            CASE WHEN fate < 4 THEN 'The call failed.' END,
            {below(2, 2)} = 0, CASE WHEN {below(20, 1)} = 0 THEN 'playground' ELSE 'api' END,
            '10.0.' || (person % 250) || '.' || {below(250, 0)}, input, output,
            input / 3, 0, output / 4, '[]', {below(100, 5)} = 0,
            CASE WHEN fate < 4 THEN 0 ELSE input * 1250 + output * 10000 END,
            CASE WHEN fate < 4 THEN '[]' ELSE {price_lines} END, 40 + total / 5, total,
            {tries}
            FROM (SELECT i, {skewed(load.users, 0)} AS person, {below(100, 1)} AS fate,
                10 + {below(4000, 2)} AS input, 1 + {below(900, 3)} AS output,
                150 + {below(20000, 4)} * {below(7, 5)} / 7 AS total
                FROM {engine.numbers(load.first, load.count)}) AS numbered"""

    return engine.of_day("request_log", load.start, fill)
