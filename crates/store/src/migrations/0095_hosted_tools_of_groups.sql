-- Whether members of a group may use hosted tools whose vendor gives no bound.
ALTER TABLE groups ADD COLUMN allows_hosted_tools BOOLEAN NOT NULL DEFAULT FALSE;
