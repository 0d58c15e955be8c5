-- The order that earned the reward of an invitation: the reward is taken back with it. Each time it is given or taken
-- back is a turn, which names the entries of the ledger.
ALTER TABLE referrals ADD COLUMN order_id TEXT;
ALTER TABLE referrals ADD COLUMN taken_back_at BIGINT;
ALTER TABLE referrals ADD COLUMN turns BIGINT NOT NULL DEFAULT 0;
CREATE INDEX referrals_order ON referrals (order_id) WHERE order_id IS NOT NULL;
