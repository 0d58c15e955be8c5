-- Everybody's orders, newest first.
CREATE INDEX orders_time ON orders (created_at, id);
