-- The one channel that a token's calls may go through; null for all others. Set for the playground of
-- administrators alone.
ALTER TABLE tokens ADD COLUMN channel_id BIGINT;
