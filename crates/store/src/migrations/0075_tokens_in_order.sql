-- Lists of everybody's tokens, of which there may be hundreds of thousands: in each order that the console
-- offers. When a token was last used is kept to the minute, so that calls seldom move it.
CREATE INDEX tokens_by_name ON tokens (name, id);
CREATE INDEX tokens_by_creation ON tokens (created_at, id);
CREATE INDEX tokens_by_last_use ON tokens (last_used_at, id);
CREATE INDEX tokens_by_expiry ON tokens (expires_at, id);
CREATE INDEX tokens_by_prefix ON tokens (prefix);
