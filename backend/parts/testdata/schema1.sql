PRAGMA application_id = 1112100430;
PRAGMA user_version = 1;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE events (
		seq       INTEGER PRIMARY KEY,
		ts        INTEGER NOT NULL,
		topic     TEXT NOT NULL,
		producer  TEXT NOT NULL,
		kind      TEXT NOT NULL,
		key       TEXT,
		state     TEXT,
		causation INTEGER,
		payload   TEXT NOT NULL,
		prev      TEXT NOT NULL,
		hash      TEXT NOT NULL
	);
INSERT INTO events VALUES(1,1796277385816243,'queue/default','ada@host','directive','1','pending',NULL,'{"action":"push","body":"first body","by":"ada@host","lane":"default","priority":"P1"}','0000000000000000000000000000000000000000000000000000000000000000','f12ab03b82927cc2ff631eb212ace1aaaa471e5cabd05e10fd2c2a27cea1f41d');
INSERT INTO events VALUES(2,1796277385896733,'queue/default','ada@host','directive','2','deferred',NULL,'{"action":"push-deferred","blocked_by":[1],"body":"second","by":"ada@host","lane":"default","priority":"P1"}','f12ab03b82927cc2ff631eb212ace1aaaa471e5cabd05e10fd2c2a27cea1f41d','7cd7f73905a0c64c8d575b97ae9dac002dc30a0607c54dcca48dce6b775557bc');
INSERT INTO events VALUES(3,1796277385932052,'queue/default','ada@host','directive','3','pending',NULL,'{"action":"push","body":"third","by":"ada@host","lane":"default","priority":"P0"}','7cd7f73905a0c64c8d575b97ae9dac002dc30a0607c54dcca48dce6b775557bc','42e5070fcddeed8b4d7a5d5a010f5938b25f43d4b92c67fa0ae94138816f5890');
INSERT INTO events VALUES(4,1796277386020295,'queue/default','ada@host','directive','3','taken',NULL,'{"action":"take","by":"ada@host","lease_until":"2026-12-03T15:56:26.020295Z","token_hash":"76df0e3df2e40328d1186bf6db068d3166c7820c7ddeea989c930ae0c9fc9593"}','42e5070fcddeed8b4d7a5d5a010f5938b25f43d4b92c67fa0ae94138816f5890','d9469c66e2cbf1a2175077f6744bf8e1c7958ab99e1188f7113e593a8be82948');
INSERT INTO events VALUES(5,1796277386048287,'work/x','ada@host','work','job','claimed',NULL,'{"action":"claim","executor":"w","lease_seconds":3600,"lease_until":"2026-12-03T06:56:26.048287Z","token_hash":"fc3aca44e9687ce9f7440ce7304f1c86bde976feb1c8d7a7f8bd485e5f115e2e"}','d9469c66e2cbf1a2175077f6744bf8e1c7958ab99e1188f7113e593a8be82948','c5011e7e388c58cd674e510360a13f184918116876564ba224ffd0de2839f74b');
INSERT INTO events VALUES(6,1796277386090232,'build/alert','ada@host','signal','disk','pending',NULL,'{"expires":"2026-12-03T07:56:26.088169Z","summary":"disk almost full"}','c5011e7e388c58cd674e510360a13f184918116876564ba224ffd0de2839f74b','eeecf9e0174be7a6cce270630aef2362e8a27e878c10120e2a7c028b85dcdf49');
INSERT INTO events VALUES(7,1796277386175275,'session.started','claude-code@m-cjrkogciye','coord','claude-code:s1','idle',NULL,'{"act":"start","actor":"ada","boot":"83f8033f-6b5c-43bb-87ce-f4fecb5f13bc","incarnation":1,"machine":"m-cjrkogciye","session":"s1","tool":"claude-code","untrusted":{"view":"/srv/project"}}','eeecf9e0174be7a6cce270630aef2362e8a27e878c10120e2a7c028b85dcdf49','d82354ec5cb38309a3ee360934a0b4ba08cf6f2ede17c6850a6707922d10b6ff');
INSERT INTO events VALUES(8,1796277386202546,'session.state','claude-code@m-cjrkogciye','coord','claude-code:s1','working',NULL,'{"act":"prompt","incarnation":1,"was":"idle"}','d82354ec5cb38309a3ee360934a0b4ba08cf6f2ede17c6850a6707922d10b6ff','ebf02ba8362fd4a5203167ef7879fbf435358212d729dff09177c7e8ba4a146e');
CREATE TABLE head (
		one  INTEGER PRIMARY KEY CHECK (one = 1),
		seq  INTEGER NOT NULL,
		hash TEXT NOT NULL,
		ts   INTEGER NOT NULL
	);
INSERT INTO head VALUES(1,8,'ebf02ba8362fd4a5203167ef7879fbf435358212d729dff09177c7e8ba4a146e',1796277386202546);
CREATE TABLE planes (
		plane TEXT NOT NULL,
		name  TEXT NOT NULL,
		count INTEGER NOT NULL,
		PRIMARY KEY (plane, name)
	) WITHOUT ROWID;
INSERT INTO planes VALUES('queue','default/P0/pending',0);
INSERT INTO planes VALUES('queue','default/P0/taken',1);
INSERT INTO planes VALUES('queue','default/P1/deferred',1);
INSERT INTO planes VALUES('queue','default/P1/pending',1);
INSERT INTO planes VALUES('record','coord',2);
INSERT INTO planes VALUES('record','directive',4);
INSERT INTO planes VALUES('record','signal',1);
INSERT INTO planes VALUES('record','total',8);
INSERT INTO planes VALUES('record','work',1);
INSERT INTO planes VALUES('signal','pending',1);
INSERT INTO planes VALUES('work','claimed',1);
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES('created','2026-12-03T05:56:25.774386Z');
INSERT INTO meta VALUES('epoch','4a93564a');
CREATE TABLE checks (first INTEGER PRIMARY KEY, sums BLOB NOT NULL);
INSERT INTO checks VALUES(1,X'b9cdba9d');
INSERT INTO checks VALUES(2,X'48c84acd');
INSERT INTO checks VALUES(3,X'597ae9db');
INSERT INTO checks VALUES(4,X'1c370371');
INSERT INTO checks VALUES(5,X'c1d435fa');
INSERT INTO checks VALUES(6,X'08743a29');
INSERT INTO checks VALUES(7,X'677fa55c');
INSERT INTO checks VALUES(8,X'79d97a5f');
CREATE TABLE signals (
		key       TEXT PRIMARY KEY,
		state     TEXT NOT NULL,
		topic     TEXT NOT NULL,
		summary   TEXT NOT NULL,
		producer  TEXT NOT NULL,
		holder    TEXT,
		raised    INTEGER NOT NULL,
		since     INTEGER NOT NULL,
		expires   INTEGER,
		first_seq INTEGER NOT NULL,
		last_seq  INTEGER NOT NULL,
		rev       INTEGER NOT NULL
	);
INSERT INTO signals VALUES('disk','pending','build/alert','disk almost full','ada@host',NULL,1796277386090232,1796277386090232,1796284586088169,6,6,1);
CREATE TABLE work_items (
		key           TEXT PRIMARY KEY,
		state         TEXT NOT NULL,
		topic         TEXT NOT NULL,
		executor      TEXT NOT NULL,
		token_hash    TEXT,
		lease_until   INTEGER,
		lease_seconds INTEGER,
		attempt       INTEGER NOT NULL,
		claimed_at    INTEGER NOT NULL,
		since         INTEGER NOT NULL,
		reason        TEXT,
		evidence      TEXT,
		first_seq     INTEGER NOT NULL,
		last_seq      INTEGER NOT NULL,
		rev           INTEGER NOT NULL
	);
INSERT INTO work_items VALUES('job','claimed','work/x','w','fc3aca44e9687ce9f7440ce7304f1c86bde976feb1c8d7a7f8bd485e5f115e2e',1796280986048287,3600,1,1796277386048287,1796277386048287,NULL,NULL,5,5,1);
CREATE TABLE directives (
		id            INTEGER PRIMARY KEY,
		priority      INTEGER NOT NULL,
		lane          TEXT NOT NULL,
		body          TEXT NOT NULL,
		status        TEXT NOT NULL,
		parent        INTEGER,
		created_at    INTEGER NOT NULL,
		taken_at      INTEGER,
		done_at       INTEGER,
		taken_by      TEXT,
		lease_until   INTEGER,
		token_hash    TEXT,
		attempt       INTEGER NOT NULL,
		requeue_count INTEGER NOT NULL,
		lapses        INTEGER NOT NULL,
		not_before    INTEGER,
		blocked_by    TEXT,
		importance    INTEGER,
		deadline      INTEGER,
		reason        TEXT,
		since         INTEGER NOT NULL,
		first_seq     INTEGER NOT NULL,
		last_seq      INTEGER NOT NULL,
		rev           INTEGER NOT NULL
	);
INSERT INTO directives VALUES(1,1,'default','first body','pending',NULL,1796277385816243,NULL,NULL,NULL,NULL,NULL,0,0,0,NULL,NULL,NULL,NULL,NULL,1796277385816243,1,1,1);
INSERT INTO directives VALUES(2,1,'default','second','deferred',NULL,1796277385896733,NULL,NULL,NULL,NULL,NULL,0,0,0,NULL,'[1]',NULL,NULL,NULL,1796277385896733,2,2,1);
INSERT INTO directives VALUES(3,0,'default','third','taken',NULL,1796277385932052,1796277386020295,NULL,'ada@host',1796313386020295,'76df0e3df2e40328d1186bf6db068d3166c7820c7ddeea989c930ae0c9fc9593',1,0,0,NULL,NULL,NULL,NULL,NULL,1796277386020295,3,4,2);
CREATE TABLE directive_blocks (
		id         INTEGER NOT NULL,
		blocked_by INTEGER NOT NULL,
		PRIMARY KEY (id, blocked_by)
	) WITHOUT ROWID;
INSERT INTO directive_blocks VALUES(2,1);
CREATE TABLE fleet_sessions (
		key TEXT PRIMARY KEY, tool TEXT NOT NULL, id TEXT NOT NULL, machine TEXT NOT NULL, boot TEXT NOT NULL,
		incarnation INTEGER NOT NULL, parent TEXT NOT NULL, actor TEXT NOT NULL, change TEXT NOT NULL, base TEXT NOT NULL,
		view TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL, started INTEGER NOT NULL, since INTEGER NOT NULL,
		paths TEXT NOT NULL, rev INTEGER NOT NULL, first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL
	) WITHOUT ROWID;
INSERT INTO fleet_sessions VALUES('claude-code:s1','claude-code','s1','m-cjrkogciye','83f8033f-6b5c-43bb-87ce-f4fecb5f13bc',1,'','ada','','','/srv/project','working','',1796277386175275,1796277386202546,'null',2,7,8);
CREATE TABLE fleet_seen (
		key TEXT PRIMARY KEY, boot TEXT NOT NULL, up INTEGER NOT NULL, wall INTEGER NOT NULL, event TEXT NOT NULL,
		events INTEGER NOT NULL, ctx_used INTEGER NOT NULL, ctx_max INTEGER NOT NULL, last_write TEXT NOT NULL,
		write_boot TEXT NOT NULL, write_up INTEGER NOT NULL, write_wall INTEGER NOT NULL,
		pid INTEGER NOT NULL, pid_start INTEGER NOT NULL, parent TEXT NOT NULL
	) WITHOUT ROWID;
INSERT INTO fleet_seen VALUES('claude-code:s1','83f8033f-6b5c-43bb-87ce-f4fecb5f13bc',34843045236095,1796277386202241,'UserPromptSubmit',2,0,0,'','',0,0,16156,3428505,'');
CREATE TABLE fleet_unknown (
		tool TEXT NOT NULL, event TEXT NOT NULL, count INTEGER NOT NULL, seen INTEGER NOT NULL, members TEXT NOT NULL,
		PRIMARY KEY (tool, event)
	) WITHOUT ROWID;
CREATE TABLE fleet_marks (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX events_topic ON events (topic);
CREATE INDEX events_producer ON events (producer);
CREATE INDEX events_kind ON events (kind);
CREATE INDEX events_key ON events (key) WHERE key IS NOT NULL;
CREATE INDEX events_causation ON events (causation) WHERE causation IS NOT NULL;
CREATE INDEX signals_state ON signals (state, since);
CREATE INDEX signals_due ON signals (state, expires) WHERE expires IS NOT NULL;
CREATE INDEX work_items_state ON work_items (state, since);
CREATE INDEX work_items_lease ON work_items (lease_until) WHERE state = 'claimed';
CREATE INDEX directives_ready ON directives (lane, priority, id) WHERE status = 'pending';
CREATE INDEX directives_taken ON directives (lease_until) WHERE status = 'taken';
CREATE INDEX directives_deferred ON directives (not_before) WHERE status = 'deferred';
CREATE INDEX directives_parked ON directives (id) WHERE status = 'parked';
CREATE INDEX directives_parent ON directives (parent) WHERE parent IS NOT NULL;
CREATE INDEX directive_blocks_blocker ON directive_blocks (blocked_by);
CREATE INDEX fleet_sessions_open ON fleet_sessions (since) WHERE state <> 'ended';
CREATE INDEX fleet_sessions_ended ON fleet_sessions (since) WHERE state = 'ended';
COMMIT;
