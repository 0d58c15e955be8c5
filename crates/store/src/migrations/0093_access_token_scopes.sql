-- Scopes of an access token, separated by spaces. Tokens from before scopes existed keep all of them.
ALTER TABLE personal_access_tokens ADD COLUMN scopes TEXT NOT NULL DEFAULT 'read write billing';
