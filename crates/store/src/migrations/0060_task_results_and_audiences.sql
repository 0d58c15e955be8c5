-- What a task has found so far, as JSON of its own kind.
ALTER TABLE tasks ADD COLUMN result TEXT;

-- Whom an announcement is for.
ALTER TABLE announcements ADD COLUMN audience TEXT NOT NULL DEFAULT 'everyone'
    CHECK (audience IN ('everyone', 'users', 'administrators'));
