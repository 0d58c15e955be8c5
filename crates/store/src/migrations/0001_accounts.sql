-- People and how they prove who they are. Times are unix milliseconds, money is nano-dollars.

CREATE TABLE groups (
    id {id},
    name TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL DEFAULT '',
    -- Price multiplier in millionths: 1000000 charges the list price.
    multiplier_ppm BIGINT NOT NULL DEFAULT 1000000 CHECK (multiplier_ppm >= 0),
    created_at BIGINT NOT NULL
);

CREATE TABLE users (
    id {id},
    username TEXT NOT NULL,
    -- Lower-cased by the program, since the engines disagree about letters beyond ASCII.
    username_key TEXT NOT NULL,
    email TEXT,
    email_key TEXT,
    display_name TEXT NOT NULL DEFAULT '',
    remark TEXT NOT NULL DEFAULT '',
    -- Null where the account can only log in through another identity provider.
    password_hash TEXT,
    role BIGINT NOT NULL CHECK (role IN (1, 10, 100)),
    status BIGINT NOT NULL DEFAULT 1 CHECK (status IN (1, 2)),
    group_name TEXT NOT NULL REFERENCES groups (name),
    -- Raised by whatever must end other sessions and pending logins.
    auth_version BIGINT NOT NULL DEFAULT 0,
    used_nanos BIGINT NOT NULL DEFAULT 0 CHECK (used_nanos >= 0),
    request_count BIGINT NOT NULL DEFAULT 0,
    aff_code TEXT NOT NULL UNIQUE,
    inviter_id BIGINT REFERENCES users (id),
    created_at BIGINT NOT NULL,
    last_login_at BIGINT,
    -- A deleted user keeps the row that the ledger and the log refer to; the names are free again.
    deleted_at BIGINT
);
CREATE UNIQUE INDEX users_username ON users (username_key) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX users_email ON users (email_key) WHERE deleted_at IS NULL;
CREATE INDEX users_inviter ON users (inviter_id);

CREATE TABLE sessions (
    id {id},
    secret_hash {bytes} NOT NULL UNIQUE,
    user_id BIGINT NOT NULL REFERENCES users (id),
    auth_version BIGINT NOT NULL,
    ip TEXT,
    user_agent TEXT,
    created_at BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Something begun and to be finished once: a login that waits for its second factor, a passkey
-- ceremony, a proof for a sensitive call. The purpose keeps them apart.
CREATE TABLE login_flows (
    id {id},
    secret_hash {bytes} NOT NULL UNIQUE,
    purpose TEXT NOT NULL,
    user_id BIGINT REFERENCES users (id),
    auth_version BIGINT NOT NULL DEFAULT 0,
    state {bytes},
    attempts BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    consumed_at BIGINT
);
CREATE INDEX login_flows_expiry ON login_flows (expires_at);

CREATE TABLE second_factors (
    user_id BIGINT PRIMARY KEY REFERENCES users (id),
    secret_encrypted {bytes} NOT NULL,
    -- Null while the set-up waits for its first code.
    enabled_at BIGINT,
    last_used_step BIGINT,
    failures BIGINT NOT NULL DEFAULT 0,
    locked_until BIGINT,
    created_at BIGINT NOT NULL
);

CREATE TABLE backup_codes (
    user_id BIGINT NOT NULL REFERENCES users (id),
    code_hash {bytes} NOT NULL,
    used_at BIGINT,
    PRIMARY KEY (user_id, code_hash)
);

CREATE TABLE passkeys (
    id {id},
    user_id BIGINT NOT NULL REFERENCES users (id),
    credential_id {bytes} NOT NULL UNIQUE,
    name TEXT NOT NULL,
    -- The verifier's own serialised credential: public key, counter, flags, transports.
    credential TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT
);
CREATE INDEX passkeys_user ON passkeys (user_id);

CREATE TABLE personal_access_tokens (
    id {id},
    user_id BIGINT NOT NULL REFERENCES users (id),
    name TEXT NOT NULL,
    secret_hash {bytes} NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    last_used_at BIGINT
);
CREATE INDEX personal_access_tokens_user ON personal_access_tokens (user_id);
