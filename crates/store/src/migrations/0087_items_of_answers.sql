-- Which kept answer has made an item, so that clients can refer to one by its id alone.
CREATE TABLE response_items (
    user_id BIGINT NOT NULL REFERENCES users (id),
    item_id TEXT NOT NULL,
    response_id TEXT NOT NULL REFERENCES responses (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, item_id)
);
CREATE INDEX response_items_response ON response_items (response_id);
