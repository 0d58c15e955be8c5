-- What became of payments after the order: deliveries of events with their verdict, refunds that
-- failed, disputes; and codes that were switched off.

-- What an event says, reduced to what counts, so that it can be acted on again without its body.
ALTER TABLE webhook_events ADD COLUMN facts TEXT;
-- The provider's payment that it is about: disputes name nothing else, and may come first.
ALTER TABLE webhook_events ADD COLUMN payment_id TEXT;
-- How often it came, and when last.
ALTER TABLE webhook_events ADD COLUMN deliveries BIGINT NOT NULL DEFAULT 1;
ALTER TABLE webhook_events ADD COLUMN last_received_at BIGINT NOT NULL DEFAULT 0;
-- Refused deliveries are nobody's event: a bounded number of them is kept for people to look at.
ALTER TABLE webhook_events ADD COLUMN is_refused BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX webhook_events_time ON webhook_events (received_at, event_id);
CREATE INDEX webhook_events_order ON webhook_events (order_id);
CREATE INDEX webhook_events_orphans ON webhook_events (provider, payment_id)
    WHERE result = 'unknown_order' AND payment_id IS NOT NULL;
CREATE INDEX webhook_events_refused ON webhook_events (received_at) WHERE is_refused;

-- The provider's time of the newest refund, and refunds that failed after it.
ALTER TABLE orders ADD COLUMN refunded_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN refund_failed_minor BIGINT NOT NULL DEFAULT 0
    CHECK (refund_failed_minor >= 0);
ALTER TABLE orders ADD COLUMN refund_failed_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX orders_status ON orders (status, created_at);

-- Disputes, and refunds that failed, each known by the provider's id and counted once.
CREATE TABLE order_claims (
    provider TEXT NOT NULL,
    claim_id TEXT NOT NULL,
    order_id TEXT NOT NULL REFERENCES orders (id),
    amount_minor BIGINT NOT NULL CHECK (amount_minor >= 0),
    -- noted: an inquiry that took nothing; held: the money is gone for now; the rest is final.
    state TEXT NOT NULL CHECK (state IN ('noted', 'held', 'won', 'lost', 'failed_refund')),
    PRIMARY KEY (provider, claim_id)
);
CREATE INDEX order_claims_order ON order_claims (order_id);

ALTER TABLE redemption_codes ADD COLUMN disabled_at BIGINT;
