-- What clients call with, where calls go, and what they cost.

CREATE TABLE tokens (
    id {id},
    user_id BIGINT NOT NULL REFERENCES users (id),
    name TEXT NOT NULL,
    -- The first characters, so that people can tell their tokens apart.
    prefix TEXT NOT NULL,
    secret_hash {bytes} NOT NULL UNIQUE,
    -- After a rotation the former secret works until then.
    previous_hash {bytes} UNIQUE,
    previous_expires_at BIGINT,
    status BIGINT NOT NULL DEFAULT 1 CHECK (status IN (1, 2)),
    -- Null: the group of the user.
    group_name TEXT REFERENCES groups (name),
    -- JSON lists; empty means no restriction.
    models TEXT NOT NULL DEFAULT '[]',
    endpoints TEXT NOT NULL DEFAULT '[]',
    cidrs TEXT NOT NULL DEFAULT '[]',
    rpm BIGINT CHECK (rpm > 0),
    tpm BIGINT CHECK (tpm > 0),
    concurrency BIGINT CHECK (concurrency > 0),
    budget_total_nanos BIGINT CHECK (budget_total_nanos >= 0),
    budget_daily_nanos BIGINT CHECK (budget_daily_nanos >= 0),
    budget_weekly_nanos BIGINT CHECK (budget_weekly_nanos >= 0),
    budget_monthly_nanos BIGINT CHECK (budget_monthly_nanos >= 0),
    used_nanos BIGINT NOT NULL DEFAULT 0 CHECK (used_nanos >= 0),
    -- Declared in the configuration file: shown, not edited.
    is_declared BOOLEAN NOT NULL DEFAULT FALSE,
    expires_at BIGINT,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT
);
CREATE INDEX tokens_user ON tokens (user_id, id);

CREATE TABLE channels (
    id {id},
    name TEXT NOT NULL UNIQUE,
    provider TEXT NOT NULL,
    base_url TEXT NOT NULL,
    -- JSON: names that clients may ask for; and which of them the upstream calls otherwise.
    models TEXT NOT NULL DEFAULT '[]',
    model_mapping TEXT NOT NULL DEFAULT '{}',
    groups TEXT NOT NULL DEFAULT '[]',
    tags TEXT NOT NULL DEFAULT '[]',
    -- JSON list that narrows what the provider speaks; null: all of it.
    dialects TEXT,
    priority BIGINT NOT NULL DEFAULT 0,
    weight BIGINT NOT NULL DEFAULT 1 CHECK (weight >= 0),
    state TEXT NOT NULL DEFAULT 'on' CHECK (state IN ('on', 'draining', 'paused', 'off')),
    state_reason TEXT,
    rpm BIGINT CHECK (rpm > 0),
    tpm BIGINT CHECK (tpm > 0),
    concurrency BIGINT CHECK (concurrency > 0),
    connect_timeout_ms BIGINT CHECK (connect_timeout_ms > 0),
    first_byte_timeout_ms BIGINT CHECK (first_byte_timeout_ms > 0),
    idle_timeout_ms BIGINT CHECK (idle_timeout_ms > 0),
    overrides TEXT,
    proxy TEXT,
    is_declared BOOLEAN NOT NULL DEFAULT FALSE,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE channel_keys (
    id {id},
    channel_id BIGINT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
    position BIGINT NOT NULL CHECK (position >= 0),
    secret_encrypted {bytes} NOT NULL,
    -- The key is only ever sent to this host.
    pinned_host TEXT NOT NULL,
    rpm BIGINT CHECK (rpm > 0),
    tpm BIGINT CHECK (tpm > 0),
    concurrency BIGINT CHECK (concurrency > 0),
    created_at BIGINT NOT NULL,
    UNIQUE (channel_id, position)
);

-- A price is never edited: a new row takes over from its time on.
CREATE TABLE prices (
    id {id},
    model TEXT NOT NULL,
    effective_from BIGINT NOT NULL,
    -- JSON price sheet; amounts are integers of nano-dollars.
    sheet TEXT NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('catalogue', 'administrator', 'declared')),
    created_by BIGINT REFERENCES users (id),
    created_at BIGINT NOT NULL,
    UNIQUE (model, source, effective_from)
);
