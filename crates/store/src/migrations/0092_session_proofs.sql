-- When the person of a session last proved who they are: by password or passkey, and by the second
-- factor if one is set. Null if the session has seen no such proof.
ALTER TABLE sessions ADD COLUMN proved_at BIGINT;
