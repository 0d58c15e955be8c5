CREATE TABLE audit_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    created_at BIGINT NOT NULL,
    actor_id BIGINT,
    action TEXT NOT NULL,
    object_kind TEXT NOT NULL,
    object_id TEXT NOT NULL,
    changes TEXT NOT NULL,
    outcome TEXT NOT NULL,
    ip TEXT,
    request_id TEXT
);
CREATE INDEX audit_log_time ON audit_log (created_at, id);
CREATE INDEX audit_log_actor ON audit_log (actor_id, created_at, id);
CREATE INDEX audit_log_object ON audit_log (object_kind, object_id, created_at, id);
-- Deleting stays possible: that is how retention works here.
CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log
BEGIN
    SELECT RAISE(ABORT, 'audit entries are append-only');
END;
