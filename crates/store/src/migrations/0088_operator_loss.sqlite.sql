-- What calls cost beyond their reservations and no wallet pays: an account of the operator. SQLite changes a CHECK only
-- in the text of the table, as its documentation of ALTER TABLE describes; the next statement makes every connection
-- read the schema again.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '''adjustments'')', '''adjustments'', ''operator_loss'')')
    WHERE type = 'table' AND name = 'ledger_accounts';
PRAGMA writable_schema = RESET;
-- How much of a call's cost that is; null: nothing.
ALTER TABLE request_log ADD COLUMN loss_nanos BIGINT;
INSERT INTO ledger_accounts (kind) VALUES ('operator_loss');
