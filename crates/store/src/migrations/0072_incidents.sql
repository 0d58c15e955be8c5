-- What is wrong with the service, from when it was noticed until it was over.

CREATE TABLE incidents (
    id {id},
    -- Which rule found it, and what it is about: both together are the cause.
    rule TEXT NOT NULL,
    cause TEXT NOT NULL,
    -- Rule and cause while it is open, null afterwards: a cause has one open incident, whichever
    -- nodes see it.
    open_key TEXT UNIQUE,
    severity TEXT NOT NULL CHECK (severity IN ('warning', 'critical')),
    title TEXT NOT NULL,
    summary TEXT NOT NULL,
    -- What it is about, where that is a channel or a model. A channel may be deleted meanwhile.
    channel_id BIGINT,
    model TEXT,
    -- What the rule measured, and which models, channels and nodes are touched.
    facts TEXT NOT NULL,
    -- The node that saw it first.
    node_id TEXT NOT NULL,
    opened_at BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    closed_at BIGINT,
    -- Null where it went away by itself.
    closed_by BIGINT REFERENCES users (id),
    acknowledged_at BIGINT,
    acknowledged_by BIGINT REFERENCES users (id)
);
CREATE INDEX incidents_time ON incidents (opened_at, id);
CREATE INDEX incidents_cause ON incidents (rule, cause, closed_at);
CREATE INDEX incidents_channel ON incidents (channel_id) WHERE open_key IS NOT NULL;

CREATE TABLE incident_events (
    id {id},
    incident_id BIGINT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    -- Null for the service itself.
    actor_id BIGINT REFERENCES users (id),
    message TEXT NOT NULL
);
CREATE INDEX incident_events_incident ON incident_events (incident_id, id);

-- What is to be told to whom, once each.
CREATE TABLE incident_deliveries (
    id {id},
    incident_id BIGINT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    event TEXT NOT NULL CHECK (event IN ('opened', 'closed')),
    target TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'failed')),
    attempts BIGINT NOT NULL DEFAULT 0,
    next_at BIGINT NOT NULL,
    UNIQUE (incident_id, event, target)
);
CREATE INDEX incident_deliveries_waiting ON incident_deliveries (next_at) WHERE state = 'waiting';
