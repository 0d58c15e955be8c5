-- When a node last said whether its journal is empty. A node without a journal never says so and has
-- no row, or one that counts as told for ever.
ALTER TABLE nodes ADD COLUMN journal_told_at BIGINT NOT NULL DEFAULT 9223372036854775807;
