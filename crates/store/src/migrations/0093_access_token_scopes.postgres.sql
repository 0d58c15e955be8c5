-- Every access token expires: those without an expiry end a year after this step.
UPDATE personal_access_tokens
    SET expires_at = CAST(EXTRACT(EPOCH FROM now()) * 1000 AS BIGINT) + 31536000000
    WHERE expires_at IS NULL;
