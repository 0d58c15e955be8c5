-- What has no value comes last, whichever way a list is sorted; here that is another index.
CREATE INDEX tokens_by_last_use_down ON tokens (last_used_at DESC NULLS LAST, id DESC);
CREATE INDEX tokens_by_expiry_down ON tokens (expires_at DESC NULLS LAST, id DESC);

-- Upper and lower case are the same in a search.
ALTER TABLE tokens ADD COLUMN name_key TEXT NOT NULL GENERATED ALWAYS AS (lower(name)) STORED;

-- Parts of names are found by their trigrams. The extension comes with most installations; without it, or
-- without the right to make it, they are found by looking through all names.
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX tokens_name_parts ON tokens USING gin (name_key gin_trgm_ops);
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'no index of the parts of names: %', SQLERRM;
END
$$;
