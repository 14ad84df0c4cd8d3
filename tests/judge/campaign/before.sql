BEGIN TRANSACTION;
CREATE TABLE account (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,
    secret_hash TEXT NOT NULL,
    created_at TEXT NOT NULL,
    joined_at TEXT,
    blocked_at TEXT
);
INSERT INTO "account" VALUES('QSIYCOiEuE0W','anna','judge','$argon2id$v=19$m=8192,t=1,p=1$Lpyxw1PnEDX0XcodhKB6eQ$DHdYgTBCeXDnEstmOQ1cbIDQYFfQF8dEGJodXuM9gUs','2026-03-01T12:00:06.000+00:00','2026-03-01T12:00:24.000+00:00',NULL);
INSERT INTO "account" VALUES('N9VP4CeGPLKS','robot','program','','2026-03-01T12:00:12.000+00:00',NULL,NULL);
INSERT INTO "account" VALUES('o80qV7zKNcpT','admin','admin','$argon2id$v=19$m=8192,t=1,p=1$pcT2j+kwPV5n2Vl+t/otjQ$2cg6ptikS+9fWvFQa2y7HvgLAAa/MkWBzMsNJoFCP0E','2026-03-01T12:00:18.000+00:00',NULL,NULL);
INSERT INTO "account" VALUES('QY1Q_Dz1lC8z','bert','judge','$argon2id$v=19$m=8192,t=1,p=1$pXSZkM055F25xucCV4pQ5A$AX2hPiuMbO2MKC0sY7+S0tFKbDvBTJAGbdn7YZCy59c','2026-03-01T12:00:30.000+00:00',NULL,'2026-03-01T12:00:36.000+00:00');
CREATE TABLE answer (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    task_id TEXT NOT NULL REFERENCES task (id),
    account_id TEXT NOT NULL REFERENCES account (id),
    kind TEXT NOT NULL,
    choice TEXT,
    ticked TEXT,
    seconds REAL,
    at TEXT NOT NULL,
    version TEXT NOT NULL,
    CONSTRAINT answer_once UNIQUE (task_id, account_id, kind)
);
INSERT INTO "answer" VALUES(1,'t5X14s4dAmbiTwUt-nTmvw','QSIYCOiEuE0W','answer','left',NULL,1.5,'2026-03-01T12:00:45.000+00:00','web 0');
INSERT INTO "answer" VALUES(2,'9BBU-6RbxiYh424P1V80WA','QSIYCOiEuE0W','answer','left',NULL,1.5,'2026-03-01T12:00:51.000+00:00','web 0');
INSERT INTO "answer" VALUES(3,'bua0GzrMfKKvAsA3ET3Ojg','QSIYCOiEuE0W','answer','left',NULL,1.5,'2026-03-01T12:00:57.000+00:00','web 0');
INSERT INTO "answer" VALUES(4,'rIfbebS6J9AocmcLLmxPVw','QSIYCOiEuE0W','answer','left',NULL,1.5,'2026-03-01T12:01:03.000+00:00','web 0');
INSERT INTO "answer" VALUES(5,'2xhW3YakY58mjWas6kR4Zg','QSIYCOiEuE0W','answer',NULL,'[0]',6.0,'2026-03-01T12:01:09.000+00:00','web 0');
INSERT INTO "answer" VALUES(6,'n4rylfjVq81kYvSVrCcYuA','QSIYCOiEuE0W','answer','left',NULL,1.5,'2026-03-01T12:01:15.000+00:00','web 0');
INSERT INTO "answer" VALUES(7,'n4rylfjVq81kYvSVrCcYuA','QSIYCOiEuE0W','undo',NULL,NULL,NULL,'2026-03-01T12:01:18.000+00:00','web 0');
CREATE TABLE audit (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    detail TEXT NOT NULL
);
INSERT INTO "audit" VALUES(1,'2026-11-16T21:22:19.240+00:00','owner','created','');
INSERT INTO "audit" VALUES(2,'2026-03-01T12:00:09.000+00:00','owner','invited','anna as judge');
INSERT INTO "audit" VALUES(3,'2026-03-01T12:00:15.000+00:00','owner','invited','robot as program');
INSERT INTO "audit" VALUES(4,'2026-03-01T12:00:21.000+00:00','owner','invited','admin as admin');
INSERT INTO "audit" VALUES(5,'2026-03-01T12:00:27.000+00:00','anna','joined','');
INSERT INTO "audit" VALUES(6,'2026-03-01T12:00:33.000+00:00','owner','invited','bert as judge');
INSERT INTO "audit" VALUES(7,'2026-03-01T12:00:39.000+00:00','owner','blocked','bert');
INSERT INTO "audit" VALUES(8,'2026-03-01T12:01:21.000+00:00','owner','imported','1 answers of ffffffffffffffff');
CREATE TABLE imported (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    file TEXT NOT NULL,
    position INTEGER NOT NULL,
    left_item TEXT NOT NULL,
    right_item TEXT NOT NULL,
    choice TEXT NOT NULL,
    judge TEXT NOT NULL,
    segment TEXT NOT NULL,
    sided BOOLEAN NOT NULL,
    seconds REAL,
    at TEXT NOT NULL,
    test TEXT,
    weight REAL NOT NULL,
    CONSTRAINT imported_once UNIQUE (file, position)
);
INSERT INTO "imported" VALUES(1,'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',0,'a','b','right','x','',0,NULL,'',NULL,1.0);
CREATE TABLE item (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE);
INSERT INTO "item" VALUES(0,'a');
INSERT INTO "item" VALUES(1,'b');
INSERT INTO "item" VALUES(2,'c');
CREATE TABLE output (
    segment_id INTEGER NOT NULL REFERENCES segment (id),
    item_id INTEGER NOT NULL REFERENCES item (id),
    text TEXT NOT NULL,
    PRIMARY KEY (segment_id, item_id)
);
INSERT INTO "output" VALUES(0,0,'a says 0');
INSERT INTO "output" VALUES(0,1,'b says 0');
INSERT INTO "output" VALUES(0,2,'c says 0');
INSERT INTO "output" VALUES(1,0,'a says 1');
INSERT INTO "output" VALUES(1,1,'b says 1');
INSERT INTO "output" VALUES(1,2,'c says 1');
INSERT INTO "output" VALUES(2,0,'a says 2');
INSERT INTO "output" VALUES(2,1,'b says 2');
INSERT INTO "output" VALUES(2,2,'c says 2');
CREATE TABLE schema_version (
	version INTEGER NOT NULL, 
	at TEXT NOT NULL, 
	PRIMARY KEY (version)
);
INSERT INTO "schema_version" VALUES(1,'2026-11-16T21:22:19.240+00:00');
INSERT INTO "schema_version" VALUES(2,'2026-11-16T21:22:19.240+00:00');
CREATE TABLE segment (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE, source TEXT NOT NULL, reference TEXT NOT NULL);
INSERT INTO "segment" VALUES(0,'0','quelle 0','reference 0');
INSERT INTO "segment" VALUES(1,'1','quelle 1','reference 1');
INSERT INTO "segment" VALUES(2,'2','quelle 2','reference 2');
CREATE TABLE state (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO "state" VALUES('running','yes');
INSERT INTO "state" VALUES('campaign','9ff74bd2fdeec312');
CREATE TABLE task (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account (id),
    segment_id INTEGER REFERENCES segment (id),
    low_id INTEGER REFERENCES item (id),
    high_id INTEGER REFERENCES item (id),
    test_id INTEGER REFERENCES test (id),
    swapped BOOLEAN NOT NULL,
    information REAL,
    state TEXT NOT NULL,
    redo_of TEXT REFERENCES task (id),
    issued_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
);
INSERT INTO "task" VALUES('t5X14s4dAmbiTwUt-nTmvw','QSIYCOiEuE0W',0,0,1,NULL,1,NULL,'answered',NULL,'2026-03-01T12:00:42.000+00:00','2026-03-01T12:30:42.000+00:00');
INSERT INTO "task" VALUES('9BBU-6RbxiYh424P1V80WA','QSIYCOiEuE0W',1,1,2,NULL,1,NULL,'answered',NULL,'2026-03-01T12:00:45.000+00:00','2026-03-01T12:30:45.000+00:00');
INSERT INTO "task" VALUES('bua0GzrMfKKvAsA3ET3Ojg','QSIYCOiEuE0W',2,0,1,NULL,0,NULL,'answered',NULL,'2026-03-01T12:00:51.000+00:00','2026-03-01T12:30:51.000+00:00');
INSERT INTO "task" VALUES('rIfbebS6J9AocmcLLmxPVw','QSIYCOiEuE0W',1,0,1,NULL,0,NULL,'answered',NULL,'2026-03-01T12:00:57.000+00:00','2026-03-01T12:30:57.000+00:00');
INSERT INTO "task" VALUES('2xhW3YakY58mjWas6kR4Zg','QSIYCOiEuE0W',NULL,NULL,NULL,0,1,NULL,'answered',NULL,'2026-03-01T12:01:03.000+00:00','2026-03-01T12:31:03.000+00:00');
INSERT INTO "task" VALUES('n4rylfjVq81kYvSVrCcYuA','QSIYCOiEuE0W',0,0,2,NULL,0,NULL,'undone',NULL,'2026-03-01T12:01:09.000+00:00','2026-03-01T12:31:09.000+00:00');
INSERT INTO "task" VALUES('EeRyE80LMNu3FeKWcsRnww','QSIYCOiEuE0W',2,1,2,NULL,0,NULL,'withdrawn',NULL,'2026-03-01T12:01:15.000+00:00','2026-03-01T12:31:15.000+00:00');
INSERT INTO "task" VALUES('r-ZufEm6i_pxdNOVUIAuxQ','QSIYCOiEuE0W',0,0,2,NULL,0,NULL,'open','n4rylfjVq81kYvSVrCcYuA','2026-03-01T12:01:18.000+00:00','2026-03-01T12:31:18.000+00:00');
CREATE TABLE test (id INTEGER NOT NULL PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL);
INSERT INTO "test" VALUES(0,'blank','{"text": "I ___ the supplier.", "options": ["wanted", "know"], "right": [0]}');
INSERT INTO "test" VALUES(1,'choice','{"better": "good", "worse": "bad", "source": "s", "reference": "r"}');
CREATE UNIQUE INDEX task_open ON task (account_id) WHERE state = 'open';
CREATE UNIQUE INDEX task_once ON task (account_id, low_id, high_id, segment_id)
    WHERE state IN ('open', 'answered') AND segment_id IS NOT NULL;
CREATE INDEX task_pair ON task (low_id, high_id, state);
CREATE INDEX task_state ON task (state, expires_at);
CREATE INDEX answer_account ON answer (account_id, id);
CREATE TRIGGER answer_no_update BEFORE UPDATE ON answer BEGIN SELECT RAISE(ABORT, 'this table is append-only'); END;
CREATE TRIGGER answer_no_delete BEFORE DELETE ON answer BEGIN SELECT RAISE(ABORT, 'this table is append-only'); END;
CREATE TRIGGER imported_no_update BEFORE UPDATE ON imported BEGIN SELECT RAISE(ABORT, 'this table is append-only'); END;
CREATE TRIGGER imported_no_delete BEFORE DELETE ON imported BEGIN SELECT RAISE(ABORT, 'this table is append-only'); END;
CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'this table is append-only'); END;
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'this table is append-only'); END;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('audit',8);
INSERT INTO "sqlite_sequence" VALUES('answer',7);
INSERT INTO "sqlite_sequence" VALUES('imported',1);
COMMIT;
