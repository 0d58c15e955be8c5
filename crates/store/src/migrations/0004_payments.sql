-- Money from outside, and gifts.

CREATE TABLE orders (
    id TEXT PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id),
    provider TEXT NOT NULL,
    -- The provider's checkout session and payment; known some time after the order.
    session_id TEXT,
    payment_id TEXT,
    amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
    currency TEXT NOT NULL,
    -- Fixed when the order is made, whatever the provider reports later.
    credit_nanos BIGINT NOT NULL CHECK (credit_nanos > 0),
    -- Cumulative, in the order's currency; may arrive before the payment does.
    refunded_minor BIGINT NOT NULL DEFAULT 0 CHECK (refunded_minor >= 0),
    clawed_back_nanos BIGINT NOT NULL DEFAULT 0
        CHECK (clawed_back_nanos >= 0 AND clawed_back_nanos <= credit_nanos),
    status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'paid', 'failed',
        'expired', 'refunded', 'disputed', 'mismatch')),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    completed_at BIGINT
);
CREATE INDEX orders_user ON orders (user_id, created_at);
CREATE UNIQUE INDEX orders_session ON orders (provider, session_id);
CREATE INDEX orders_payment ON orders (provider, payment_id);
CREATE INDEX orders_pending ON orders (created_at) WHERE status = 'pending';

CREATE TABLE webhook_events (
    provider TEXT NOT NULL,
    event_id TEXT NOT NULL,
    event_type TEXT NOT NULL,
    payload_hash {bytes} NOT NULL,
    order_id TEXT,
    received_at BIGINT NOT NULL,
    processed_at BIGINT,
    result TEXT,
    PRIMARY KEY (provider, event_id)
);

CREATE TABLE redemption_codes (
    id {id},
    name TEXT NOT NULL,
    code_hash {bytes} NOT NULL UNIQUE,
    credit_nanos BIGINT NOT NULL CHECK (credit_nanos > 0),
    created_by BIGINT REFERENCES users (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    redeemed_by BIGINT REFERENCES users (id),
    redeemed_at BIGINT
);

CREATE TABLE referrals (
    -- Nobody is invited twice.
    invitee_id BIGINT PRIMARY KEY REFERENCES users (id),
    inviter_id BIGINT NOT NULL REFERENCES users (id),
    created_at BIGINT NOT NULL,
    -- Null until the event that the operator chose has happened.
    credited_at BIGINT,
    inviter_nanos BIGINT NOT NULL DEFAULT 0 CHECK (inviter_nanos >= 0),
    invitee_nanos BIGINT NOT NULL DEFAULT 0 CHECK (invitee_nanos >= 0),
    CHECK (invitee_id <> inviter_id)
);
CREATE INDEX referrals_inviter ON referrals (inviter_id);
