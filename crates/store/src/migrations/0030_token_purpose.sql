-- What a token was made for: 'api' for those that users make and see, 'playground' for the short-lived
-- ones behind the console's playground, which no list shows.
ALTER TABLE tokens ADD COLUMN purpose TEXT NOT NULL DEFAULT 'api';
