-- Below which balance a user wants a mail; null: the service's default, 0: never.
ALTER TABLE users ADD COLUMN low_balance_nanos BIGINT CHECK (low_balance_nanos >= 0);

-- Who is told when the balance falls, and who was told.
CREATE TABLE low_balance_notices (
    user_id BIGINT PRIMARY KEY REFERENCES users (id),
    -- The balance was not low since the last mail, so the next fall is told.
    is_armed BOOLEAN NOT NULL,
    -- No mail before this time.
    not_before BIGINT NOT NULL
);
