-- Every access token expires: those without an expiry end a year after this step.
UPDATE personal_access_tokens
    SET expires_at = CAST(strftime('%s', 'now') AS INTEGER) * 1000 + 31536000000
    WHERE expires_at IS NULL;
