-- When the provider was last asked what became of an order: those that wait longest for an answer are asked about
-- first, so that none is forgotten behind many that nobody pays.
ALTER TABLE orders ADD COLUMN asked_at BIGINT NOT NULL DEFAULT 0;
