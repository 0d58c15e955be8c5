-- Long work that people can watch and cancel.

CREATE TABLE tasks (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id),
    -- Which process works on it: a task of a node that is gone is marked as failed.
    node_id TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'running'
        CHECK (state IN ('running', 'done', 'failed', 'cancelled')),
    done BIGINT NOT NULL DEFAULT 0,
    -- Null where nobody knows how much there is to do.
    total BIGINT,
    message TEXT NOT NULL DEFAULT '',
    is_cancel_asked BOOLEAN NOT NULL DEFAULT FALSE,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    finished_at BIGINT
);
CREATE INDEX tasks_user ON tasks (user_id, created_at);
CREATE INDEX tasks_time ON tasks (created_at);
CREATE INDEX tasks_running ON tasks (updated_at) WHERE state = 'running';
