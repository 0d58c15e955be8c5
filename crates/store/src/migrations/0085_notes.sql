-- What the texts of tasks and of incidents' timelines say, as a word and its values: JSON, for clients that say
-- it in another language.
ALTER TABLE tasks ADD COLUMN note TEXT;
ALTER TABLE incident_events ADD COLUMN note TEXT;
