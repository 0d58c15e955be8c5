-- The tries of a call are shown with it and with nothing else: one row a call, not two or three.
ALTER TABLE request_log ADD COLUMN attempts TEXT NOT NULL DEFAULT '[]';
UPDATE request_log SET attempts = tries.list
FROM (SELECT created_at, request_id, json_agg(json_build_object('channel_id', channel_id,
        'key_index', key_index, 'status', status, 'error', error,
        'started_after_ms', started_after_ms, 'connect_ms', connect_ms,
        'first_byte_ms', first_byte_ms, 'total_ms', total_ms) ORDER BY position)::text AS list
    FROM request_attempts GROUP BY created_at, request_id) AS tries
WHERE request_log.created_at = tries.created_at AND request_log.request_id = tries.request_id;
DROP TABLE request_attempts;
ALTER TABLE request_log DROP COLUMN attempt_count;
