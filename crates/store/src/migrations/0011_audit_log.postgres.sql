CREATE SEQUENCE audit_log_ids;
CREATE TABLE audit_log (
    id BIGINT NOT NULL DEFAULT nextval('audit_log_ids'),
    created_at BIGINT NOT NULL,
    actor_id BIGINT,
    action TEXT NOT NULL,
    object_kind TEXT NOT NULL,
    object_id TEXT NOT NULL,
    changes TEXT NOT NULL,
    outcome TEXT NOT NULL,
    ip TEXT,
    request_id TEXT,
    PRIMARY KEY (created_at, id)
) PARTITION BY RANGE (created_at);
CREATE INDEX audit_log_actor ON audit_log (actor_id, created_at, id);
CREATE INDEX audit_log_object ON audit_log (object_kind, object_id, created_at, id);
-- Retention drops whole partitions, so that no row needs to be deleted.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit entries are append-only';
END $$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
