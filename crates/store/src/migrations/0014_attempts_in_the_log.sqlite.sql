-- The tries of a call are shown with it and with nothing else: one row a call, not two or three.
ALTER TABLE request_log ADD COLUMN attempts TEXT NOT NULL DEFAULT '[]';
UPDATE request_log SET attempts = (
    SELECT json_group_array(json_object('channel_id', channel_id, 'key_index', key_index,
        'status', status, 'error', error, 'started_after_ms', started_after_ms,
        'connect_ms', connect_ms, 'first_byte_ms', first_byte_ms, 'total_ms', total_ms))
    FROM (SELECT * FROM request_attempts AS attempt
        WHERE attempt.created_at = request_log.created_at
            AND attempt.request_id = request_log.request_id
        ORDER BY position));
DROP TABLE request_attempts;
ALTER TABLE request_log DROP COLUMN attempt_count;
