-- Who a user is at an identity provider: the issuer's own name for the person, which never changes.
CREATE TABLE identities (
    id {id},
    user_id BIGINT NOT NULL REFERENCES users (id),
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    -- What the provider calls the person, to be recognised by.
    label TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    UNIQUE (issuer, subject)
);
CREATE INDEX identities_user ON identities (user_id);
