-- What retention looks for.
CREATE INDEX leases_closed ON leases (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX budget_windows_by_start ON budget_windows (starts_at);
