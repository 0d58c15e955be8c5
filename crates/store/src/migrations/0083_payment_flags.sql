-- What of payments somebody has to look at, which every node asks for all the time.
CREATE INDEX order_claims_open ON order_claims (provider, claim_id) WHERE state IN ('noted', 'held');
CREATE INDEX webhook_events_warnings ON webhook_events (received_at) WHERE result = 'fraud_warning';
