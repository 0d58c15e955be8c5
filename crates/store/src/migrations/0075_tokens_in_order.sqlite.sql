-- Parts of names are found by their trigrams.
CREATE VIRTUAL TABLE token_names
    USING fts5(name, content = 'tokens', content_rowid = 'id', tokenize = 'trigram');
INSERT INTO token_names (token_names) VALUES ('rebuild');
CREATE TRIGGER token_names_insert AFTER INSERT ON tokens BEGIN
    INSERT INTO token_names (rowid, name) VALUES (new.id, new.name);
END;
CREATE TRIGGER token_names_delete AFTER DELETE ON tokens BEGIN
    INSERT INTO token_names (token_names, rowid, name) VALUES ('delete', old.id, old.name);
END;
CREATE TRIGGER token_names_update AFTER UPDATE OF name ON tokens BEGIN
    INSERT INTO token_names (token_names, rowid, name) VALUES ('delete', old.id, old.name);
    INSERT INTO token_names (rowid, name) VALUES (new.id, new.name);
END;
