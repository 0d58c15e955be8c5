-- Whether users may choose a group for their tokens that they are not in themselves.
ALTER TABLE groups ADD COLUMN is_selectable BOOLEAN NOT NULL DEFAULT FALSE;
