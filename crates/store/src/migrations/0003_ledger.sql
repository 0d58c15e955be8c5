-- Money. One entry moves an amount from one account to another; balances follow in the same
-- transaction and can be recomputed from the entries alone.

CREATE TABLE ledger_accounts (
    id {id},
    kind TEXT NOT NULL CHECK (kind IN ('wallet', 'referral', 'held', 'owed',
        'revenue', 'payments', 'grants', 'adjustments')),
    user_id BIGINT REFERENCES users (id),
    balance_nanos BIGINT NOT NULL DEFAULT 0,
    -- Bounds that keep every sum inside 64 bits: SQLite would go on in floating point.
    CHECK (balance_nanos BETWEEN -4000000000000000000 AND 4000000000000000000),
    CHECK ((kind IN ('wallet', 'referral', 'held', 'owed')) = (user_id IS NOT NULL)),
    CHECK (kind NOT IN ('wallet', 'referral', 'held') OR balance_nanos >= 0),
    -- What a user owes is a claim of the house: the account is overdrawn or even.
    CHECK (kind <> 'owed' OR balance_nanos <= 0)
);
CREATE UNIQUE INDEX ledger_accounts_of_users ON ledger_accounts (user_id, kind)
    WHERE user_id IS NOT NULL;
CREATE UNIQUE INDEX ledger_accounts_of_the_house ON ledger_accounts (kind)
    WHERE user_id IS NULL;
INSERT INTO ledger_accounts (kind) VALUES ('revenue'), ('payments'), ('grants'), ('adjustments');

CREATE TABLE ledger_entries (
    id {id},
    idempotency_key TEXT NOT NULL UNIQUE,
    from_account BIGINT NOT NULL REFERENCES ledger_accounts (id),
    to_account BIGINT NOT NULL REFERENCES ledger_accounts (id),
    amount_nanos BIGINT NOT NULL
        CHECK (amount_nanos > 0 AND amount_nanos <= 4000000000000000000),
    reference_kind TEXT NOT NULL,
    reference_id TEXT NOT NULL,
    reason TEXT,
    created_at BIGINT NOT NULL,
    CHECK (from_account <> to_account)
);
CREATE INDEX ledger_entries_from ON ledger_entries (from_account, id);
CREATE INDEX ledger_entries_to ON ledger_entries (to_account, id);
CREATE INDEX ledger_entries_reference ON ledger_entries (reference_kind, reference_id);

-- A slice of a wallet that one node may spend from without asking.
CREATE TABLE leases (
    id {id},
    node_id TEXT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id),
    amount_nanos BIGINT NOT NULL CHECK (amount_nanos > 0),
    spent_nanos BIGINT NOT NULL DEFAULT 0
        CHECK (spent_nanos >= 0 AND spent_nanos <= amount_nanos),
    state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'returned', 'expired')),
    taken_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    closed_at BIGINT
);
CREATE INDEX leases_open ON leases (expires_at) WHERE state = 'open';

-- The hold of one call that is not covered by a lease: near-empty wallets and long-running work.
CREATE TABLE reservations (
    id TEXT PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id),
    amount_nanos BIGINT NOT NULL CHECK (amount_nanos > 0),
    charged_nanos BIGINT CHECK (charged_nanos >= 0 AND charged_nanos <= amount_nanos),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    settled_at BIGINT
);
CREATE INDEX reservations_open ON reservations (expires_at) WHERE settled_at IS NULL;
