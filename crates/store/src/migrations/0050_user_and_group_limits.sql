-- How much users and groups may call, beside what their tokens may. Null: no limit.
ALTER TABLE users ADD COLUMN rpm BIGINT CHECK (rpm > 0);
ALTER TABLE users ADD COLUMN tpm BIGINT CHECK (tpm > 0);
ALTER TABLE users ADD COLUMN concurrency BIGINT CHECK (concurrency > 0);
ALTER TABLE groups ADD COLUMN rpm BIGINT CHECK (rpm > 0);
ALTER TABLE groups ADD COLUMN tpm BIGINT CHECK (tpm > 0);
ALTER TABLE groups ADD COLUMN concurrency BIGINT CHECK (concurrency > 0);
