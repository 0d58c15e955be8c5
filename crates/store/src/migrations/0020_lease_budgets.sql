-- Leases that grow and shrink, that other nodes can ask for, and that count in budgets.

-- Numbers the movements of a lease, so that each has a key of its own.
ALTER TABLE leases ADD COLUMN moves BIGINT NOT NULL DEFAULT 0;
-- Another node asks for what no call holds; cleared by the answer.
ALTER TABLE leases ADD COLUMN recalled_at BIGINT;
CREATE INDEX leases_of_user ON leases (user_id, node_id) WHERE state = 'open';
CREATE INDEX leases_recalled ON leases (node_id) WHERE state = 'open' AND recalled_at IS NOT NULL;

-- What was taken from the budget of a token or a user in one window of time: spent, or held by
-- leases. A limit is compared when a lease takes.
CREATE TABLE budget_windows (
    scope TEXT NOT NULL CHECK (scope IN ('token', 'user')),
    scope_id BIGINT NOT NULL,
    period TEXT NOT NULL CHECK (period IN ('total', 'daily', 'weekly', 'monthly')),
    starts_at BIGINT NOT NULL,
    taken_nanos BIGINT NOT NULL CHECK (taken_nanos >= 0),
    PRIMARY KEY (scope, scope_id, period, starts_at)
);

-- The windows that a lease was taken from; what it gives back goes back there.
CREATE TABLE lease_budgets (
    lease_id BIGINT NOT NULL REFERENCES leases (id),
    scope TEXT NOT NULL,
    scope_id BIGINT NOT NULL,
    period TEXT NOT NULL,
    starts_at BIGINT NOT NULL,
    PRIMARY KEY (lease_id, scope, scope_id, period, starts_at)
);
