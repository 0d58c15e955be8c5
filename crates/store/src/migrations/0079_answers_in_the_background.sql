-- Who makes an answer in the background, and when that node last said so. Both are null where nobody does.
ALTER TABLE responses ADD COLUMN node_id TEXT;
ALTER TABLE responses ADD COLUMN alive_at BIGINT;
CREATE INDEX responses_unfinished ON responses (id) WHERE status = 'in_progress';
