-- Users are found by a part of their name, their address or what they are called, as tokens are by their name.
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX users_username_parts ON users USING gin (username_key gin_trgm_ops);
    CREATE INDEX users_email_parts ON users USING gin (email_key gin_trgm_ops);
    CREATE INDEX users_display_name_parts ON users USING gin (display_name gin_trgm_ops);
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'no index of the parts of names: %', SQLERRM;
END
$$;
