-- When a node stopped in order; null while it runs, and where it was lost.
ALTER TABLE nodes ADD COLUMN stopped_at BIGINT;
