-- What calls cost beyond their reservations and no wallet pays: an account of the operator.
ALTER TABLE ledger_accounts DROP CONSTRAINT ledger_accounts_kind_check;
ALTER TABLE ledger_accounts ADD CONSTRAINT ledger_accounts_kind_check CHECK (kind IN ('wallet',
    'referral', 'held', 'owed', 'revenue', 'payments', 'grants', 'adjustments', 'operator_loss'));
-- How much of a call's cost that is; null: nothing.
ALTER TABLE request_log ADD COLUMN loss_nanos BIGINT;
INSERT INTO ledger_accounts (kind) VALUES ('operator_loss');
