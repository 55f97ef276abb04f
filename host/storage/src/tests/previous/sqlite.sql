-- Every statement that the previous release sends to Sqlite; written by a test (GATEWAY_KEEP_STATEMENTS=1).
-- The newest migration: 10

-- attempts::START
-- takes (8), gives ()
INSERT INTO submission_attempt (job_id, document_id, ordinal, number, entry_id, plugin_key, plugin_version, plugin_digest, started_at, faults) VALUES ($1, $2, (SELECT COALESCE(MAX(ordinal), 0) + 1 FROM submission_attempt WHERE document_id = $2), $3, $4, $5, $6, $7, $8, '[]')

-- attempts::SET_ENTRY_DIGEST
-- takes (2), gives ()
UPDATE submission_attempt SET entry_digest = $2 WHERE job_id = $1

-- attempts::MOVE
-- takes (2), gives ()
UPDATE submission_attempt SET entry_id = $2 WHERE job_id = $1

-- attempts::END
-- takes (5), gives ()
UPDATE submission_attempt SET ended_at = $2, outcome = $3, faults = $4, authority_record = $5 WHERE job_id = $1 AND ended_at IS NULL

-- attempts::UNWATCHED
-- takes (3), gives (document_id TEXT)
SELECT a.document_id FROM submission_attempt a JOIN submission s ON s.document_id = a.document_id
        WHERE a.authority_record IS NULL AND a.ended_at IS NOT NULL AND a.ended_at > $1
            AND (a.outcome = 'superseded' OR (a.outcome = 'failed' AND s.stage IN ('accepted', 'rejected', 'superseded', 'withdrawn')))
            AND NOT EXISTS (SELECT 1 FROM job j WHERE j.kind = $2 AND j.subject = a.document_id)
        ORDER BY a.ended_at LIMIT $3

-- attempts::RECORD
-- takes (3), gives ()
UPDATE submission_attempt SET authority_record = $2, acceptance = $3 WHERE job_id = $1

-- attempts::OF_DOCUMENT
-- takes (1), gives (job_id TEXT, number TEXT, entry_id TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, started_at TEXT, ended_at TEXT, outcome TEXT, faults TEXT, authority_record TEXT, acceptance TEXT, entry_digest TEXT)
SELECT job_id, number, entry_id, plugin_key, plugin_version, plugin_digest, started_at, ended_at, outcome, faults, authority_record, acceptance, entry_digest FROM submission_attempt WHERE document_id = $1 ORDER BY ordinal

-- audit::APPEND
-- takes (6), gives ()
INSERT INTO audit (id, at, actor, action, subject, data) VALUES ($1, $2, $3, $4, $5, $6)

-- audit::NEWEST
-- takes (1), gives (id TEXT, at TEXT, actor TEXT, action TEXT, subject TEXT, data TEXT)
SELECT id, at, actor, action, subject, data FROM audit ORDER BY at DESC, id DESC LIMIT $1

-- audit::BEFORE
-- takes (3), gives (id TEXT, at TEXT, actor TEXT, action TEXT, subject TEXT, data TEXT)
SELECT id, at, actor, action, subject, data FROM audit
        WHERE (at, id) < ($1, $2) ORDER BY at DESC, id DESC LIMIT $3

-- booking_documents::KEEP
-- takes (16), gives ()
INSERT INTO booking_document (document_id, workspace_id, booking_id, document_type, status, number, issue_date,
            currency, payable, issuing_started_at, issued_at, rejected_by_tax_authority_at,
            rejected_by_tax_authority_reason, version, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
        ON CONFLICT (document_id) DO UPDATE SET workspace_id = excluded.workspace_id, booking_id = excluded.booking_id,
            document_type = excluded.document_type, status = excluded.status, number = excluded.number,
            issue_date = excluded.issue_date, currency = excluded.currency, payable = excluded.payable,
            issuing_started_at = excluded.issuing_started_at, issued_at = excluded.issued_at,
            rejected_by_tax_authority_at = excluded.rejected_by_tax_authority_at,
            rejected_by_tax_authority_reason = excluded.rejected_by_tax_authority_reason,
            version = excluded.version, created_at = excluded.created_at, updated_at = excluded.updated_at
        WHERE (booking_document.created_at, booking_document.version) < (excluded.created_at, excluded.version)

-- booking_documents::CLEAR
-- takes (2), gives ()
DELETE FROM booking_document WHERE ($1 IS NULL OR document_id > $1) AND ($2 IS NULL OR document_id <= $2)

-- clients::INSERT
-- takes (5), gives ()
INSERT INTO client (id, name, permissions, workspaces, created_at) VALUES ($1, $2, $3, $4, $5)

-- clients::FIND
-- takes (1), gives (id TEXT, name TEXT, permissions TEXT, workspaces TEXT, disabled_at TEXT)
SELECT id, name, permissions, workspaces, disabled_at FROM client WHERE id = $1

-- clients::LIST
-- takes (0), gives (id TEXT, name TEXT, permissions TEXT, workspaces TEXT, disabled_at TEXT)
SELECT id, name, permissions, workspaces, disabled_at FROM client ORDER BY created_at, id

-- clients::DISABLE
-- takes (2), gives ()
UPDATE client SET disabled_at = COALESCE(disabled_at, $2) WHERE id = $1

-- clients::HOLD
-- takes (1), gives (id TEXT)
SELECT id FROM client WHERE id = $1

-- clients::ADD_SECRET
-- takes (5), gives ()
INSERT INTO client_secret (id, client_id, key_id, hash, created_at) VALUES ($1, $2, $3, $4, $5)

-- clients::REVOKE_OLD
-- takes (3), gives ()
UPDATE client_secret SET revoked_at = $2
        WHERE client_id = $1 AND revoked_at IS NULL AND id NOT IN (
            SELECT id FROM client_secret WHERE client_id = $1 AND revoked_at IS NULL
            ORDER BY created_at DESC, id DESC LIMIT $3)

-- clients::SECRETS
-- takes (1), gives (key_id TEXT, hash BLOB)
SELECT key_id, hash FROM client_secret WHERE client_id = $1 AND revoked_at IS NULL
        ORDER BY created_at DESC, id DESC LIMIT 8

-- clients::REHASH
-- takes (5), gives ()
UPDATE client_secret SET key_id = $4, hash = $5
        WHERE client_id = $1 AND key_id = $2 AND hash = $3 AND revoked_at IS NULL

-- db::PING
-- takes (0), gives (CAST(1 AS BIGINT) NULL)
SELECT CAST(1 AS BIGINT)

-- db::MIGRATION_TABLES
-- takes (0), gives (COUNT(*) NULL)
SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = '_sqlx_migrations'

-- db::MIGRATIONS_APPLIED
-- takes (0), gives (version INTEGER, checksum BLOB)
SELECT version, checksum FROM _sqlx_migrations WHERE success

-- events::APPEND
-- takes (8), gives (sequence INTEGER)
INSERT INTO event (id, source, workspace_id, subject, sequence, type, time, actor, data)
        SELECT $1, $2, $3, $4, COALESCE(MAX(sequence), 0) + 1, $5, $6, $7, $8
        FROM event WHERE source = $2 AND subject = $4
        ON CONFLICT (source, subject, sequence) DO NOTHING
        RETURNING sequence

-- events::APPEND_ALL
-- takes (4), gives ()
INSERT INTO event (id, source, workspace_id, subject, sequence, type, time, actor, data)
        SELECT pending.id, $1, pending.workspace_id, pending.subject,
            COALESCE((SELECT MAX(sequence) FROM event WHERE source = $1 AND subject = pending.subject), 0)
                + ROW_NUMBER() OVER (PARTITION BY pending.subject ORDER BY pending.place),
            pending.kind, $2, $3, pending.data
        FROM (SELECT value ->> 'place' AS place, value ->> 'id' AS id, value ->> 'workspace_id' AS workspace_id, value ->> 'subject' AS subject, value ->> 'kind' AS kind, value ->> 'data' AS data FROM json_each($4)) AS pending
        ORDER BY pending.place

-- events::KNOWN
-- takes (1), gives (ord INTEGER)
SELECT ord FROM event WHERE id = $1

-- events::ANY_NEW
-- takes (0), gives (ord INTEGER)
SELECT ord FROM event WHERE position IS NULL LIMIT 1

-- events::LOCK_FEED
-- takes (0), gives (position INTEGER)
SELECT position FROM feed WHERE name = 'events'

-- events::STAMP
-- takes (2), gives ()
UPDATE event SET position = $1 + pending.place
        FROM (SELECT ord, ROW_NUMBER() OVER (ORDER BY ord) AS place FROM event
            WHERE position IS NULL ORDER BY ord LIMIT $2) AS pending
        WHERE event.ord = pending.ord

-- events::MOVE_FEED
-- takes (1), gives ()
UPDATE feed SET position = position + $1 WHERE name = 'events'

-- events::OF_SUBJECT
-- takes (2), gives (position INTEGER, id TEXT, source TEXT, workspace_id INTEGER, subject TEXT, sequence INTEGER, type TEXT, time TEXT, actor TEXT, data TEXT)
SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event WHERE source = $1 AND subject = $2 ORDER BY sequence

-- events::OF_SUBJECTS
-- takes (1), gives (position INTEGER, id TEXT, source TEXT, workspace_id INTEGER, subject TEXT, sequence INTEGER, type TEXT, time TEXT, actor TEXT, data TEXT)
SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event
        WHERE source IN ('/invoicing', '/finance') AND subject IN (SELECT value FROM json_each($1)) ORDER BY time, ord

-- events::LAST_OF_SUBJECT
-- takes (2), gives (position INTEGER, id TEXT, source TEXT, workspace_id INTEGER, subject TEXT, sequence INTEGER, type TEXT, time TEXT, actor TEXT, data TEXT)
SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event
        WHERE source = $1 AND subject = $2 ORDER BY sequence DESC LIMIT 1

-- events::NOT_RELAYED
-- takes (0), gives (COUNT(*) NULL)
SELECT COUNT(*) FROM event WHERE position IS NULL

-- events::CONSUMED
-- takes (1), gives (position INTEGER)
SELECT position FROM consumer WHERE name = $1

-- events::ENROL
-- takes (2), gives ()
INSERT INTO consumer (name, position, updated_at) VALUES ($1, 0, $2) ON CONFLICT DO NOTHING

-- events::CONSUME
-- takes (4), gives ()
UPDATE consumer SET position = $3, updated_at = $4 WHERE name = $1 AND position = $2

-- events::SUBJECTS
-- takes (2), gives (subject TEXT)
SELECT subject FROM (SELECT subject FROM event
                WHERE source = '/invoicing' AND sequence = 1 AND ($1 IS NULL OR subject > $1) ORDER BY subject LIMIT $2) AS there
            UNION SELECT subject FROM (SELECT subject FROM event
                WHERE source = '/finance' AND sequence = 1 AND ($1 IS NULL OR subject > $1) ORDER BY subject LIMIT $2) AS here
            ORDER BY subject LIMIT $2

-- events::OF_RANGE
-- takes (3), gives (position INTEGER, id TEXT, source TEXT, workspace_id INTEGER, subject TEXT, sequence INTEGER, type TEXT, time TEXT, actor TEXT, data TEXT)
SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event
        WHERE source IN ('/invoicing', '/finance')
            AND ($1 IS NULL OR subject > $1) AND ($2 IS NULL OR subject <= $2)
            AND position <= $3 ORDER BY position

-- export::PAGE
-- takes (6), gives (id TEXT, workspace_id INTEGER, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority INTEGER, issuing_at TEXT, issued_at TEXT, acceptance TEXT, rejected_at TEXT, rejection_reason TEXT, version INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE workspace_id = $1 AND status = 'issued' AND issue_date >= $2 AND issue_date <= $3 AND (issue_date, id) > ($4, $5) ORDER BY issue_date, id LIMIT $6

-- finance_documents::KEEP
-- takes (6), gives ()
INSERT INTO finance_document (document_id, workspace_id, created_at, version, data, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (document_id) DO UPDATE SET workspace_id = excluded.workspace_id, created_at = excluded.created_at,
            version = excluded.version, data = excluded.data, updated_at = excluded.updated_at
        WHERE (finance_document.created_at, finance_document.version) < (excluded.created_at, excluded.version)

-- finance_documents::FIND
-- takes (1), gives (workspace_id INTEGER, created_at TEXT, version INTEGER, data TEXT, updated_at TEXT)
SELECT workspace_id, created_at, version, data, updated_at FROM finance_document WHERE document_id = $1

-- finance_documents::NUMBERED
-- takes (2), gives (data TEXT)
SELECT data FROM finance_document WHERE workspace_id = $1 AND data ->> '$.display_invoice_number' IS NOT NULL
            ORDER BY created_at DESC, document_id DESC LIMIT $2

-- finance_documents::CLEAR
-- takes (2), gives ()
DELETE FROM finance_document WHERE ($1 IS NULL OR document_id > $1) AND ($2 IS NULL OR document_id <= $2)

-- guest_verifications::FIND
-- takes (1), gives (source TEXT, external_id TEXT, guest TEXT, created_at TEXT, updated_at TEXT)
SELECT source, external_id, guest, created_at, updated_at FROM guest_verification WHERE booking_id = $1

-- guest_verifications::PUT
-- takes (5), gives ()
INSERT INTO guest_verification (booking_id, source, external_id, guest, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $5)
        ON CONFLICT (booking_id) DO UPDATE SET source = excluded.source, external_id = excluded.external_id,
            guest = excluded.guest, updated_at = excluded.updated_at

-- legacy_uses::ADD
-- takes (5), gives ()
INSERT INTO legacy_use (client_id, route, requests, first_at, last_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (client_id, route) DO UPDATE SET requests = legacy_use.requests + excluded.requests,
            first_at = CASE WHEN excluded.first_at < legacy_use.first_at THEN excluded.first_at ELSE legacy_use.first_at END,
            last_at = CASE WHEN excluded.last_at > legacy_use.last_at THEN excluded.last_at ELSE legacy_use.last_at END

-- legacy_uses::OF_CLIENT
-- takes (1), gives (route TEXT, requests INTEGER, first_at TEXT, last_at TEXT)
SELECT route, requests, first_at, last_at FROM legacy_use WHERE client_id = $1 ORDER BY route LIMIT 100

-- rate_writes::TAKE
-- takes (4), gives ()
INSERT INTO rate_write (client_id, unit_id, at) VALUES ($1, $2, $3)
        ON CONFLICT (client_id, unit_id) DO UPDATE SET at = excluded.at WHERE rate_write.at <= $4

-- rate_writes::LAST
-- takes (2), gives (at TEXT)
SELECT at FROM rate_write WHERE client_id = $1 AND unit_id = $2

-- idempotency::CLAIM
-- takes (4), gives ()
INSERT INTO idempotency (scope, key, request_hash, created_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (scope, key) DO NOTHING

-- idempotency::FIND
-- takes (2), gives (request_hash BLOB, status INTEGER, response TEXT)
SELECT request_hash, status, response FROM idempotency WHERE scope = $1 AND key = $2

-- idempotency::ANSWER
-- takes (4), gives ()
UPDATE idempotency SET status = $3, response = $4 WHERE scope = $1 AND key = $2 AND status IS NULL

-- idempotency::RELEASE
-- takes (2), gives ()
DELETE FROM idempotency WHERE scope = $1 AND key = $2 AND status IS NULL

-- correctives::KEEP_LOCAL
-- takes (2), gives ()
INSERT INTO corrective (document_id, original_id) VALUES ($1, $2)

-- correctives::OF_LOCAL
-- takes (1), gives (document_id TEXT, released_at TEXT)
SELECT document_id, released_at FROM corrective WHERE original_id = $1

-- correctives::FIND_LOCAL
-- takes (1), gives (document_id TEXT, released_at TEXT)
SELECT document_id, released_at FROM corrective WHERE document_id = $1

-- correctives::RELEASE_LOCAL
-- takes (2), gives ()
UPDATE corrective SET released_at = $2 WHERE original_id = $1 AND released_at IS NULL

-- correctives::KEEP_REMOTE
-- takes (2), gives ()
INSERT INTO finance_corrective (document_id, original_id) VALUES ($1, $2)

-- correctives::OF_REMOTE
-- takes (1), gives (document_id TEXT, released_at TEXT)
SELECT document_id, released_at FROM finance_corrective WHERE original_id = $1

-- correctives::FIND_REMOTE
-- takes (1), gives (document_id TEXT, released_at TEXT)
SELECT document_id, released_at FROM finance_corrective WHERE document_id = $1

-- correctives::RELEASE_REMOTE
-- takes (2), gives ()
UPDATE finance_corrective SET released_at = $2 WHERE original_id = $1 AND released_at IS NULL

-- correctives::FORGET_REMOTE
-- takes (1), gives ()
DELETE FROM finance_corrective WHERE document_id = $1

-- credits::FORGET_REFERENCES
-- takes (1), gives ()
DELETE FROM invoice_reference WHERE document_id = $1

-- credits::REFER
-- takes (2), gives ()
INSERT INTO invoice_reference (document_id, referenced_id) VALUES ($1, $2) ON CONFLICT DO NOTHING

-- credits::CREDIT_NOTES
-- takes (2), gives (id TEXT, status TEXT, totals TEXT)
SELECT i.id, i.status, i.totals FROM invoice_reference r JOIN invoice i ON i.id = r.document_id
        WHERE r.referenced_id = $1 AND i.workspace_id = $2 AND i.kind = 'credit_note' ORDER BY i.created_at, i.id

-- credits::REFUND
-- takes (8), gives ()
INSERT INTO refund (id, document_id, workspace_id, amount, reference, at, actor, recorded_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)

-- credits::REFUNDS
-- takes (2), gives (amount TEXT, reference TEXT, at TEXT, actor TEXT)
SELECT amount, reference, at, actor FROM refund WHERE document_id = $1 AND workspace_id = $2 ORDER BY recorded_at, id

-- deliveries::PUT_MESSAGES
-- takes (2), gives ()
INSERT INTO webhook_message (id, workspace_id, type, position, time, body, created_at)
        SELECT id, workspace_id, kind, position, time, body, $2 FROM (SELECT value ->> 'id' AS id, value ->> 'workspace_id' AS workspace_id, value ->> 'kind' AS kind, value ->> 'position' AS position, value ->> 'time' AS time, value ->> 'body' AS body FROM json_each($1)) AS message
        WHERE true ON CONFLICT DO NOTHING

-- deliveries::PUT_DELIVERIES
-- takes (2), gives ()
INSERT INTO webhook_delivery (id, endpoint_id, message_id, state, due_at, created_at)
        SELECT id, endpoint, message, 'pending', $2, $2 FROM (SELECT value ->> 'id' AS id, value ->> 'endpoint' AS endpoint, value ->> 'message' AS message FROM json_each($1)) AS delivery
        WHERE true ON CONFLICT DO NOTHING

-- deliveries::DUE
-- takes (3), gives (id TEXT, message_id TEXT, attempts INTEGER, type TEXT, body TEXT)
SELECT d.id, d.message_id, d.attempts, m.type, m.body
        FROM webhook_delivery d JOIN webhook_message m ON m.id = d.message_id
        WHERE d.endpoint_id = $1 AND d.state = 'pending' AND d.due_at <= $2
        ORDER BY d.due_at, m.position, d.id LIMIT $3

-- deliveries::SETTLE
-- takes (1), gives (id TEXT)
UPDATE webhook_delivery SET state = result.state, attempts = result.attempts,
            due_at = COALESCE(result.due_at, webhook_delivery.due_at), done_at = result.done_at
        FROM (SELECT value ->> 'id' AS id, value ->> 'state' AS state, value ->> 'attempts' AS attempts, value ->> 'due_at' AS due_at, value ->> 'done_at' AS done_at FROM json_each($1)) AS result
        WHERE webhook_delivery.id = result.id AND (webhook_delivery.state = 'pending' OR result.state = 'delivered')
        RETURNING webhook_delivery.id

-- deliveries::PUT_ATTEMPTS
-- takes (1), gives ()
INSERT INTO webhook_attempt (delivery_id, at, duration_ms, status, error, detail)
        SELECT id, at, duration_ms, status, error, detail FROM (SELECT value ->> 'id' AS id, value ->> 'at' AS at, value ->> 'duration_ms' AS duration_ms, value ->> 'status' AS status, value ->> 'error' AS error, value ->> 'detail' AS detail FROM json_each($1)) AS attempt

-- deliveries::LOGGED
-- takes (1), gives (id TEXT, endpoint_id TEXT, message_id TEXT, state TEXT, attempts INTEGER, due_at TEXT, done_at TEXT, created_at TEXT, type TEXT, position INTEGER, time TEXT)
SELECT d.id, d.endpoint_id, d.message_id, d.state, d.attempts, d.due_at, d.done_at, d.created_at, m.type,
            m.position, m.time FROM webhook_delivery d JOIN webhook_message m ON m.id = d.message_id
        WHERE d.id IN (SELECT value FROM json_each($1)) ORDER BY d.created_at DESC, d.id DESC

-- deliveries::OF_ENDPOINT
-- takes (2), gives (id TEXT)
SELECT id FROM webhook_delivery WHERE endpoint_id = $1 AND id = $2

-- deliveries::ATTEMPTS
-- takes (1), gives (delivery_id TEXT, at TEXT, duration_ms INTEGER, status INTEGER, error TEXT, detail TEXT)
SELECT delivery_id, at, duration_ms, status, error, detail FROM webhook_attempt
        WHERE delivery_id IN (SELECT value FROM json_each($1)) ORDER BY ord

-- deliveries::REPLAY
-- takes (3), gives ()
UPDATE webhook_delivery SET state = 'pending', attempts = 0, due_at = $3, done_at = NULL
        WHERE endpoint_id = $1 AND id = $2

-- deliveries::IN_RANGE
-- takes (7), gives (id TEXT, delivery TEXT)
SELECT m.id, d.id AS delivery FROM webhook_message m
            LEFT JOIN webhook_delivery d ON d.message_id = m.id AND d.endpoint_id = $1
        WHERE m.workspace_id = $2 AND m.time >= $3 AND m.time <= $4 AND m.position IS NOT NULL
            AND ($5 OR m.type IN (SELECT value FROM json_each($6)))
        ORDER BY m.time, m.position LIMIT $7

-- deliveries::REPLAY_ALL
-- takes (2), gives ()
UPDATE webhook_delivery SET state = 'pending', attempts = 0, due_at = $2, done_at = NULL
        WHERE id IN (SELECT value FROM json_each($1))

-- deliveries::RECALL
-- takes (2), gives ()
UPDATE webhook_delivery SET due_at = $2 WHERE state = 'pending' AND due_at > $1

-- deliveries::PRUNE
-- takes (2), gives ()
DELETE FROM webhook_message
        WHERE id IN (SELECT id FROM webhook_message WHERE created_at < $1 ORDER BY created_at LIMIT $2)

-- deliveries::ANY_OLD
-- takes (1), gives (id TEXT)
SELECT id FROM webhook_message WHERE created_at < $1 LIMIT 1

-- deliveries::BACKLOG
-- takes (0), gives (backlog NULL, oldest NULL)
SELECT COUNT(*) AS backlog, MIN(d.due_at) AS oldest FROM webhook_delivery d
        JOIN webhook_endpoint e ON e.id = d.endpoint_id WHERE d.state = 'pending' AND e.disabled IS NULL

-- destination::HOLD
-- takes (0), gives (1 NULL)
SELECT 1

-- destination::READ
-- takes (0), gives (goes_to TEXT)
SELECT goes_to FROM destination WHERE id = 1

-- destination::WRITE
-- takes (1), gives ()
INSERT INTO destination (id, goes_to) VALUES (1, $1) ON CONFLICT (id) DO UPDATE
        SET goes_to = excluded.goes_to WHERE excluded.goes_to = 'provider'

-- destination::WAITING
-- takes (0), gives (document_id TEXT)
SELECT document_id FROM submission WHERE stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn') LIMIT 1

-- destination::CONFIGURED
-- takes (0), gives (workspace_id INTEGER)
SELECT workspace_id FROM e_invoicing LIMIT 1

-- intents::BEGIN
-- takes (6), gives ()
INSERT INTO finance_intent (document_id, id, workspace_id, body, actor, retries, created_at)
        VALUES ($1, $2, $3, $4, $5, 0, $6) ON CONFLICT (document_id) DO NOTHING

-- intents::FIND
-- takes (1), gives (id TEXT, workspace_id INTEGER, body TEXT, actor TEXT, retries INTEGER, created_at TEXT)
SELECT id, workspace_id, body, actor, retries, created_at FROM finance_intent WHERE document_id = $1

-- intents::DESCRIBE
-- takes (2), gives ()
UPDATE finance_intent SET body = $2 WHERE id = $1

-- intents::RETRIED
-- takes (1), gives ()
UPDATE finance_intent SET retries = retries + 1 WHERE id = $1

-- intents::END
-- takes (1), gives ()
DELETE FROM finance_intent WHERE id = $1

-- intents::KEEP_NOTE
-- takes (4), gives ()
INSERT INTO finance_credit_note (original_id, note_id, workspace_id, created_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT DO NOTHING

-- intents::FORGET_NOTE
-- takes (1), gives ()
DELETE FROM finance_credit_note WHERE note_id = $1

-- intents::NOTES
-- takes (2), gives (note_id TEXT)
SELECT note_id FROM finance_credit_note WHERE original_id = $1 AND workspace_id = $2 ORDER BY created_at, note_id

-- intents::FEED_READ
-- takes (1), gives (cursor TEXT)
SELECT cursor FROM finance_feed WHERE service = $1

-- intents::FEED_BEGIN
-- takes (3), gives ()
INSERT INTO finance_feed (service, cursor, updated_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING

-- intents::FEED_MOVE
-- takes (4), gives ()
UPDATE finance_feed SET cursor = $3, updated_at = $4 WHERE service = $1 AND cursor = $2

-- invoices::FIND
-- takes (1), gives (id TEXT, workspace_id INTEGER, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority INTEGER, issuing_at TEXT, issued_at TEXT, acceptance TEXT, rejected_at TEXT, rejection_reason TEXT, version INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE id = $1

-- invoices::INSERT
-- takes (18), gives ()
INSERT INTO invoice (id, workspace_id, kind, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, booking_id, issue_date, version, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) ON CONFLICT DO NOTHING

-- invoices::UPDATE
-- takes (17), gives ()
UPDATE invoice SET kind = $3, status = $4, content = $5, totals = $6, number = $7, send_to_tax_authority = $8, issuing_at = $9, issued_at = $10, acceptance = $11, rejected_at = $12, rejection_reason = $13, booking_id = $14, issue_date = $15, version = $16, updated_at = $17 WHERE id = $1 AND version = $2

-- invoices::DELETE
-- takes (2), gives ()
DELETE FROM invoice WHERE id = $1 AND version = $2 AND status = 'draft'

-- invoices::NUMBERED
-- takes (2), gives (id TEXT, workspace_id INTEGER, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority INTEGER, issuing_at TEXT, issued_at TEXT, acceptance TEXT, rejected_at TEXT, rejection_reason TEXT, version INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE workspace_id = $1 AND number IS NOT NULL AND kind IN ('invoice', 'credit_note') ORDER BY created_at DESC, id DESC LIMIT $2

-- invoices::COUNT_BY_STATUS
-- takes (0), gives (workspace_id INTEGER, status TEXT, documents NULL, issuing_since NULL)
SELECT workspace_id, status, COUNT(*) AS documents, MIN(issuing_since) AS issuing_since FROM kept_document GROUP BY workspace_id, status

-- issue_times::KEEP
-- takes (2), gives ()
UPDATE submission SET issue_at = $2 WHERE document_id = $1

-- issue_times::FIND
-- takes (1), gives (issue_at TEXT)
SELECT issue_at FROM submission WHERE document_id = $1

-- jobs::ENQUEUE
-- takes (4), gives ()
INSERT INTO job (id, kind, subject, run_at, attempts, wakeups) VALUES ($1, $2, $3, $4, 0, 0)
        ON CONFLICT (kind, subject) DO UPDATE SET wakeups = job.wakeups + 1,
            run_at = CASE WHEN excluded.run_at < job.run_at THEN excluded.run_at ELSE job.run_at END

-- jobs::WAKE
-- takes (3), gives ()
UPDATE job SET wakeups = wakeups + 1, run_at = CASE WHEN run_at > $3 THEN $3 ELSE run_at END
        WHERE kind = $1 AND subject = $2

-- jobs::ANY_DUE
-- takes (2), gives (id TEXT)
SELECT id FROM job WHERE run_at <= $1 AND (lease_until IS NULL OR lease_until <= strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')
                OR lease_until > strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', '+15 minutes'))
            AND kind IN (SELECT value FROM json_each($2)) LIMIT 1

-- jobs::CLAIM
-- takes (5), gives (id TEXT, kind TEXT, subject TEXT, attempts INTEGER, wakeups INTEGER)
UPDATE job SET lease_owner = $3, lease_until = strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', $4), attempts = attempts + 1
        WHERE id IN (SELECT id FROM job
            WHERE run_at <= $1 AND (lease_until IS NULL OR lease_until <= strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')
                OR lease_until > strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', '+15 minutes'))
                AND kind IN (SELECT value FROM json_each($5))
            ORDER BY run_at, id LIMIT $2)
        RETURNING id, kind, subject, attempts, wakeups

-- jobs::EXTEND_ALL
-- takes (2), gives ()
UPDATE job SET lease_until = strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', $2) WHERE lease_owner = $1

-- jobs::RELEASE_ALL
-- takes (1), gives ()
UPDATE job SET lease_owner = NULL, lease_until = NULL WHERE lease_owner = $1

-- jobs::COMPLETE
-- takes (4), gives ()
DELETE FROM job WHERE id = $1 AND lease_owner = $2 AND attempts = $3 AND wakeups = $4

-- jobs::POSTPONE
-- takes (6), gives ()
UPDATE job SET lease_owner = NULL, lease_until = NULL,
            run_at = CASE WHEN wakeups = $4 THEN $5 ELSE $6 END
        WHERE id = $1 AND lease_owner = $2 AND attempts = $3

-- jobs::UNKNOWN
-- takes (1), gives (kind TEXT, COUNT(*) NULL)
SELECT kind, COUNT(*) FROM job
            WHERE kind NOT IN (SELECT value FROM json_each($1)) GROUP BY kind ORDER BY kind

-- jobs::ANY_BEYOND
-- takes (1), gives (id TEXT)
SELECT id FROM job WHERE run_at > $1 LIMIT 1

-- jobs::RECALL
-- takes (2), gives ()
UPDATE job SET run_at = $2 WHERE run_at > $1

-- jobs::REMOVE
-- takes (2), gives ()
DELETE FROM job WHERE kind = $1 AND subject = $2

-- jobs::FIND
-- takes (2), gives (run_at TEXT)
SELECT run_at FROM job WHERE kind = $1 AND subject = $2

-- jobs::COUNT
-- takes (0), gives (COUNT(*) NULL)
SELECT COUNT(*) FROM job

-- jobs::FREE_ALL
-- takes (0), gives ()
UPDATE job SET lease_owner = NULL, lease_until = NULL WHERE lease_owner IS NOT NULL

-- keys::INSERT
-- takes (5), gives ()
INSERT INTO signing_key (kid, sealed, jwk, created_at, signs_from) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT DO NOTHING

-- keys::PUBLISHED
-- takes (1), gives (kid TEXT, sealed BLOB, jwk TEXT, signs_from NULL)
SELECT kid, sealed, jwk, COALESCE(signs_from, created_at) AS signs_from FROM signing_key
        WHERE expires_at IS NULL OR expires_at > $1 ORDER BY 4 DESC, created_at DESC, kid

-- keys::RETIRE
-- takes (2), gives ()
UPDATE signing_key SET retired_at = $1, expires_at = $2 WHERE retired_at IS NULL

-- keys::SEALING_KEYS
-- takes (0), gives (head NULL)
SELECT substr(token, 2, 8) AS head FROM e_invoicing
        UNION SELECT substr(webhook_token, 2, 8) FROM e_invoicing WHERE webhook_token IS NOT NULL
        UNION SELECT substr(sealed, 2, 8) FROM signing_key
        UNION SELECT substr(secret, 2, 8) FROM webhook_endpoint
        UNION SELECT substr(old_secret, 2, 8) FROM webhook_endpoint WHERE old_secret IS NOT NULL

-- keys::HASHING_KEYS
-- takes (0), gives (key_id TEXT)
SELECT DISTINCT s.key_id FROM client_secret s JOIN client c ON c.id = s.client_id
        WHERE s.revoked_at IS NULL AND c.disabled_at IS NULL

-- keys::SEALING_USES
-- takes (0), gives (kind NULL, head NULL, uses NULL)
SELECT 'provider' AS kind, substr(token, 2, 8) AS head, COUNT(*) AS uses FROM e_invoicing GROUP BY 2
        UNION ALL SELECT 'webhook', substr(webhook_token, 2, 8), COUNT(*) FROM e_invoicing
            WHERE webhook_token IS NOT NULL GROUP BY 2
        UNION ALL SELECT 'signing', substr(sealed, 2, 8), COUNT(*) FROM signing_key GROUP BY 2
        UNION ALL SELECT 'customer', substr(secret, 2, 8), COUNT(*) FROM webhook_endpoint GROUP BY 2
        UNION ALL SELECT 'customer', substr(old_secret, 2, 8), COUNT(*) FROM webhook_endpoint
            WHERE old_secret IS NOT NULL GROUP BY 2

-- keys::SEALED_UNDER
-- takes (3), gives (kind NULL, owner NULL, sealed BLOB)
SELECT 'provider' AS kind, CAST(workspace_id AS TEXT) AS owner, token AS sealed FROM e_invoicing
            WHERE substr(token, 2, 8) = $1
        UNION ALL SELECT 'webhook', CAST(workspace_id AS TEXT), webhook_token FROM e_invoicing
            WHERE webhook_token IS NOT NULL AND substr(webhook_token, 2, 8) = $1
        UNION ALL SELECT 'signing', kid, sealed FROM signing_key WHERE substr(sealed, 2, 8) = $1
        UNION ALL SELECT 'customer', CAST(id AS TEXT), secret FROM webhook_endpoint WHERE substr(secret, 2, 8) = $1
        UNION ALL SELECT 'customer', CAST(id AS TEXT), old_secret FROM webhook_endpoint
            WHERE old_secret IS NOT NULL AND substr(old_secret, 2, 8) = $1
        ORDER BY 1, 2 LIMIT $2 OFFSET $3

-- keys::HASHED_UNDER
-- takes (1), gives (client_id TEXT)
SELECT DISTINCT s.client_id FROM client_secret s JOIN client c ON c.id = s.client_id
        WHERE s.key_id = $1 AND s.revoked_at IS NULL AND c.disabled_at IS NULL ORDER BY s.client_id

-- keys::MOVE_PROVIDER
-- takes (3), gives ()
UPDATE e_invoicing SET token = $3 WHERE workspace_id = $1 AND token = $2

-- keys::MOVE_WEBHOOK
-- takes (4), gives ()
UPDATE e_invoicing SET webhook_token = $3, webhook_token_hash = $4
        WHERE workspace_id = $1 AND webhook_token = $2

-- keys::MOVE_CUSTOMER
-- takes (3), gives ()
UPDATE webhook_endpoint SET secret = CASE WHEN secret = $2 THEN $3 ELSE secret END,
            old_secret = CASE WHEN old_secret = $2 THEN $3 ELSE old_secret END
        WHERE id = $1 AND (secret = $2 OR old_secret = $2)

-- keys::MOVE_SIGNING
-- takes (3), gives ()
UPDATE signing_key SET sealed = $3 WHERE kid = $1 AND sealed = $2

-- leases::TAKE
-- takes (3), gives (fence INTEGER)
INSERT INTO lease (name, owner, fence, held_until) VALUES ($1, $2, 1, strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', $3))
        ON CONFLICT (name) DO UPDATE SET
            fence = CASE WHEN lease.owner = excluded.owner THEN lease.fence ELSE lease.fence + 1 END,
            owner = excluded.owner, held_until = excluded.held_until
        WHERE lease.owner = excluded.owner OR lease.held_until <= strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')
            OR lease.held_until > strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', '+15 minutes')
        RETURNING fence

-- leases::HOLD
-- takes (4), gives ()
UPDATE lease SET held_until = strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', $4)
        WHERE name = $1 AND owner = $2 AND fence = $3

-- leases::RELEASE
-- takes (2), gives ()
UPDATE lease SET held_until = strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')
        WHERE name = $1 AND owner = $2 AND held_until > strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')

-- messages::KEEP
-- takes (4), gives ()
INSERT INTO submission_message (job_id, media_type, body, kept_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING

-- messages::FIND
-- takes (1), gives (media_type TEXT, body TEXT)
SELECT media_type, body FROM submission_message WHERE job_id = $1

-- numbers::CLAIM
-- takes (3), gives ()
INSERT INTO issuer_number (issuer, number, invoice_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING

-- numbers::RECORD
-- takes (7), gives ()
INSERT INTO invoice_number (workspace_id, kind, year, no, number, invoice_id, given_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)

-- numbers::CLAIM_ALL
-- takes (2), gives ()
INSERT INTO issuer_number (issuer, number, invoice_id)
        SELECT $1, number, invoice_id FROM invoice_number WHERE workspace_id = $2
        ON CONFLICT DO NOTHING

-- numbers::GIVEN
-- takes (2), gives (COUNT(*) NULL)
SELECT COUNT(*) FROM issuer_number WHERE issuer = $1 AND number = $2

-- numbers::PAGE
-- takes (4), gives (number TEXT)
SELECT number FROM issuer_number WHERE issuer = $1 AND number > $2 AND number < $3 ORDER BY number LIMIT $4

-- numbers::LATER_YEAR
-- takes (3), gives (no INTEGER)
SELECT no FROM invoice_number WHERE workspace_id = $1 AND kind = $2 AND year > $3 LIMIT 1

-- numbers::OF_WORKSPACE
-- takes (3), gives (number TEXT)
SELECT number FROM invoice_number WHERE workspace_id = $1 AND number > $2 ORDER BY number LIMIT $3

-- creation_clock::NEWEST
-- takes (0), gives (at TEXT)
SELECT at FROM creation_clock

-- creation_clock::MOVE
-- takes (1), gives ()
UPDATE creation_clock SET at = $1

-- creation_clock::NEWEST_DOCUMENT
-- takes (0), gives (at TEXT)
SELECT at FROM document_creation_clock

-- creation_clock::MOVE_DOCUMENT
-- takes (1), gives ()
UPDATE document_creation_clock SET at = $1

-- plugins::GENERATION
-- takes (0), gives (generation INTEGER)
SELECT generation FROM plugin_registry WHERE id = 1

-- plugins::NEXT_GENERATION
-- takes (0), gives (generation INTEGER)
UPDATE plugin_registry SET generation = generation + 1 WHERE id = 1 RETURNING generation

-- plugins::PUT_ARTIFACT
-- takes (6), gives ()
INSERT INTO plugin_artifact (digest, bytes, size, signature, installed_at, installed_by)
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (digest) DO NOTHING

-- plugins::SIGN
-- takes (2), gives ()
UPDATE plugin_artifact SET signature = $2 WHERE digest = $1 AND signature IS NULL

-- plugins::PUT_VERSION
-- takes (4), gives ()
INSERT INTO plugin_version (key, version, digest, description) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING

-- plugins::COMPONENT
-- takes (1), gives (bytes BLOB, signature TEXT)
SELECT bytes, signature FROM plugin_artifact WHERE digest = $1

-- plugins::VERSIONS
-- takes (0), gives (key TEXT, version TEXT, digest TEXT, description TEXT, blocked_at TEXT, blocked_reason TEXT, size INTEGER, signature TEXT, installed_at TEXT, installed_by TEXT, was_active NULL)
SELECT v.key, v.version, v.digest, v.description, v.blocked_at, v.blocked_reason, a.size, a.signature, a.installed_at, a.installed_by, EXISTS (SELECT 1 FROM plugin_activation p WHERE p.key = v.key AND p.version = v.version) AS was_active FROM plugin_version v JOIN plugin_artifact a ON a.digest = v.digest ORDER BY v.key, a.installed_at DESC, v.version

-- plugins::VERSIONS_OF
-- takes (1), gives (key TEXT, version TEXT, digest TEXT, description TEXT, blocked_at TEXT, blocked_reason TEXT, size INTEGER, signature TEXT, installed_at TEXT, installed_by TEXT, was_active NULL)
SELECT v.key, v.version, v.digest, v.description, v.blocked_at, v.blocked_reason, a.size, a.signature, a.installed_at, a.installed_by, EXISTS (SELECT 1 FROM plugin_activation p WHERE p.key = v.key AND p.version = v.version) AS was_active FROM plugin_version v JOIN plugin_artifact a ON a.digest = v.digest WHERE v.key = $1 ORDER BY a.installed_at DESC, v.version

-- plugins::IN_FORCE
-- takes (0), gives (key TEXT, workspace_id INTEGER, generation INTEGER, version TEXT, digest TEXT, blocked NULL)
SELECT a.key, a.workspace_id, a.generation, a.version, v.digest,
            v.blocked_at IS NOT NULL AS blocked
        FROM plugin_activation a JOIN plugin_version v ON v.key = a.key AND v.version = a.version
        WHERE NOT EXISTS (SELECT 1 FROM plugin_activation b WHERE b.key = a.key
            AND b.workspace_id = a.workspace_id AND b.generation > a.generation)
        ORDER BY a.key, a.workspace_id

-- plugins::NEWEST
-- takes (2), gives (generation INTEGER, version TEXT, previous INTEGER)
SELECT generation, version, previous FROM plugin_activation WHERE key = $1 AND workspace_id = $2
        ORDER BY generation DESC LIMIT 1

-- plugins::AT
-- takes (3), gives (generation INTEGER, version TEXT, previous INTEGER)
SELECT generation, version, previous FROM plugin_activation WHERE key = $1 AND workspace_id = $2 AND generation = $3

-- plugins::RECORD
-- takes (7), gives ()
INSERT INTO plugin_activation (key, workspace_id, generation, version, previous, at, actor)
        VALUES ($1, $2, $3, $4, $5, $6, $7)

-- plugins::WORKSPACES
-- takes (2), gives (workspace_id INTEGER)
SELECT workspace_id FROM e_invoicing WHERE regime = $1 ORDER BY updated_at DESC, workspace_id LIMIT $2

-- plugins::BLOCK
-- takes (4), gives ()
UPDATE plugin_version SET blocked_at = $3, blocked_reason = $4 WHERE key = $1 AND version = $2 AND blocked_at IS NULL

-- plugins::UNBLOCK
-- takes (2), gives ()
UPDATE plugin_version SET blocked_at = NULL, blocked_reason = NULL WHERE key = $1 AND version = $2

-- plugins::SEEN
-- takes (5), gives ()
INSERT INTO plugin_replica (id, address, generation, problem, seen_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (id) DO UPDATE SET generation = excluded.generation, problem = excluded.problem, seen_at = excluded.seen_at

-- plugins::FORGET
-- takes (2), gives ()
DELETE FROM plugin_replica WHERE id = $1 OR seen_at < $2

-- plugins::REPLICAS
-- takes (1), gives (id TEXT, address TEXT, generation INTEGER, problem TEXT, seen_at TEXT)
SELECT id, address, generation, problem, seen_at FROM plugin_replica WHERE seen_at >= $1 ORDER BY address, id

-- product_groups::SET_STATE
-- takes (3), gives ()
UPDATE product_group SET state = $2, updated_at = $3 WHERE id IN (SELECT value FROM json_each($1)) AND state <> $2

-- product_groups::PUT
-- takes (18), gives ()
INSERT INTO product_group (id, workspace_id, internal_reference, contract_earliest_start_date,
            contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date,
            default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state,
            publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id,
            contract_template_external_id, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $18)
        ON CONFLICT (id) DO UPDATE SET internal_reference = excluded.internal_reference,
            contract_earliest_start_date = excluded.contract_earliest_start_date,
            contract_latest_start_date = excluded.contract_latest_start_date,
            contract_earliest_end_date = excluded.contract_earliest_end_date,
            contract_latest_end_date = excluded.contract_latest_end_date,
            default_expiry_duration_in_seconds = excluded.default_expiry_duration_in_seconds,
            allow_booking_expiry_timer = excluded.allow_booking_expiry_timer, academic_year = excluded.academic_year,
            product_segment = excluded.product_segment, state = excluded.state,
            publishing_start_date = excluded.publishing_start_date, publishing_end_date = excluded.publishing_end_date,
            requires_cancelation_policy = excluded.requires_cancelation_policy,
            cancelation_policy_id = excluded.cancelation_policy_id,
            contract_template_external_id = excluded.contract_template_external_id, updated_at = excluded.updated_at

-- products::PUT
-- takes (5), gives ()
INSERT INTO product (id, workspace_id, product_group_id, name, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $5)
        ON CONFLICT (id) DO UPDATE SET product_group_id = excluded.product_group_id, name = excluded.name,
            updated_at = excluded.updated_at

-- products::CLEAR_UNITS
-- takes (1), gives ()
DELETE FROM product_unit WHERE product_id = $1

-- products::ADD_UNITS
-- takes (2), gives ()
INSERT INTO product_unit (product_id, unit_id) SELECT $1, value FROM json_each($2)

-- sandbox::ENTRY
-- takes (1), gives (id TEXT, key TEXT, body TEXT, version INTEGER)
SELECT id, key, body, version FROM sandbox_entry WHERE id = $1

-- sandbox::ENTRY_BY_KEY
-- takes (1), gives (id TEXT, key TEXT, body TEXT, version INTEGER)
SELECT id, key, body, version FROM sandbox_entry WHERE key = $1

-- sandbox::INSERT_ENTRY
-- takes (4), gives ()
INSERT INTO sandbox_entry (id, key, body, version) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING

-- sandbox::UPDATE_ENTRY
-- takes (3), gives ()
UPDATE sandbox_entry SET body = $2, version = $3 + 1 WHERE id = $1 AND version = $3

-- sandbox::COUNT_CALL
-- takes (1), gives (calls INTEGER)
INSERT INTO sandbox_call (entry_id, calls) VALUES ($1, 1)
        ON CONFLICT (entry_id) DO UPDATE SET calls = sandbox_call.calls + 1 RETURNING calls

-- sandbox::JOB
-- takes (1), gives (id TEXT, key TEXT, entry_id TEXT, body TEXT, run_at TEXT)
SELECT id, key, entry_id, body, run_at FROM sandbox_job WHERE id = $1

-- sandbox::JOB_BY_KEY
-- takes (1), gives (id TEXT, key TEXT, entry_id TEXT, body TEXT, run_at TEXT)
SELECT id, key, entry_id, body, run_at FROM sandbox_job WHERE key = $1

-- sandbox::INSERT_JOB
-- takes (5), gives ()
INSERT INTO sandbox_job (id, key, entry_id, body, run_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT DO NOTHING

-- sandbox::OPEN_JOBS
-- takes (1), gives (id TEXT, key TEXT, entry_id TEXT, body TEXT, run_at TEXT)
SELECT id, key, entry_id, body, run_at FROM sandbox_job WHERE run_at IS NOT NULL
        ORDER BY run_at, id LIMIT $1

-- sandbox::FINISH_JOB
-- takes (2), gives ()
UPDATE sandbox_job SET body = $2, run_at = NULL WHERE id = $1 AND run_at IS NOT NULL

-- sandbox::POSTPONE_JOB
-- takes (2), gives ()
UPDATE sandbox_job SET run_at = $2 WHERE id = $1 AND run_at IS NOT NULL

-- sandbox::INSERT_DELIVERY
-- takes (3), gives ()
INSERT INTO sandbox_delivery (id, body, attempts, since, due_at) VALUES ($1, $2, 0, $3, $3)

-- sandbox::OPEN_DELIVERIES
-- takes (1), gives (id TEXT, body TEXT, attempts INTEGER, since TEXT, due_at TEXT)
SELECT id, body, attempts, since, due_at FROM sandbox_delivery ORDER BY due_at, id LIMIT $1

-- sandbox::POSTPONE_DELIVERY
-- takes (2), gives ()
UPDATE sandbox_delivery SET attempts = attempts + 1, due_at = $2 WHERE id = $1

-- sandbox::DELETE_DELIVERY
-- takes (1), gives ()
DELETE FROM sandbox_delivery WHERE id = $1

-- sandbox::RECORD
-- takes (2), gives (record TEXT)
SELECT record FROM sandbox_record WHERE regime = $1 AND record_key = $2

-- sandbox::PUT_RECORD
-- takes (3), gives ()
INSERT INTO sandbox_record (regime, record_key, record) VALUES ($1, $2, $3)
        ON CONFLICT (regime, record_key) DO UPDATE SET record = excluded.record

-- sandbox::CHAIN
-- takes (2), gives (record TEXT, version INTEGER)
SELECT record, version FROM sandbox_chain WHERE regime = $1 AND chain = $2

-- sandbox::START_CHAIN
-- takes (3), gives ()
INSERT INTO sandbox_chain (regime, chain, record, version) VALUES ($1, $2, $3, 1)
        ON CONFLICT DO NOTHING

-- sandbox::EXTEND_CHAIN
-- takes (4), gives ()
UPDATE sandbox_chain SET record = $3, version = $4 + 1
        WHERE regime = $1 AND chain = $2 AND version = $4

-- series::RESERVE
-- takes (3), gives (next_no - 1 NULL)
INSERT INTO series (workspace_id, kind, year, next_no) VALUES ($1, $2, $3, 2)
        ON CONFLICT (workspace_id, kind, year) DO UPDATE SET next_no = series.next_no + 1
        RETURNING next_no - 1

-- series::START_AT
-- takes (4), gives ()
INSERT INTO series (workspace_id, kind, year, next_no) VALUES ($1, $2, $3, $4)
        ON CONFLICT (workspace_id, kind, year) DO UPDATE SET next_no = excluded.next_no
        WHERE series.next_no = 1

-- series::NEXT
-- takes (3), gives (next_no INTEGER)
SELECT next_no FROM series WHERE workspace_id = $1 AND kind = $2 AND year = $3

-- submissions::FIND
-- takes (1), gives (document_id TEXT, workspace_id INTEGER, stage TEXT, number TEXT, entry_id TEXT, entry_renewed INTEGER, entry_digest TEXT, check_earlier_attempts INTEGER, job_id TEXT, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INTEGER, last_error TEXT, held_until TEXT, stamps TEXT, job_taken_at TEXT, version INTEGER, actor TEXT, created_at TEXT, updated_at TEXT)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE document_id = $1

-- submissions::BY_ENTRY
-- takes (1), gives (document_id TEXT, workspace_id INTEGER)
SELECT e.document_id, s.workspace_id FROM submission_entry e JOIN submission s ON s.document_id = e.document_id WHERE e.entry_id = $1

-- submissions::INSERT
-- takes (25), gives ()
INSERT INTO submission (document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25) ON CONFLICT DO NOTHING

-- submissions::UPDATE
-- takes (23), gives ()
UPDATE submission SET stage = $3, number = $4, entry_id = $5, entry_renewed = $6, entry_digest = $7, check_earlier_attempts = $8, job_id = $9, structured = $10, plugin_key = $11, plugin_version = $12, plugin_digest = $13, settlement = $14, alert_code = $15, alert_message = $16, retries = $17, last_error = $18, held_until = $19, stamps = $20, job_taken_at = $21, version = version + 1, actor = $22, updated_at = $23 WHERE document_id = $1 AND version = $2

-- submissions::KEEP_ENTRY
-- takes (3), gives ()
INSERT INTO submission_entry (entry_id, document_id, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING

-- submissions::ALERTED
-- takes (1), gives (document_id TEXT)
SELECT document_id FROM submission WHERE workspace_id = $1 AND alert_code IS NOT NULL AND stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn') ORDER BY updated_at, document_id

-- submissions::ALERTS
-- takes (0), gives (alert_code TEXT, submissions NULL)
SELECT alert_code, COUNT(*) AS submissions FROM submission WHERE alert_code IS NOT NULL GROUP BY alert_code

-- watchdog::WITHOUT_SUBMISSION
-- takes (5), gives (id TEXT, workspace_id INTEGER, number TEXT, issuing_at TEXT, since TEXT)
SELECT i.id, i.workspace_id, i.number, i.issuing_at, i.since FROM issuing_document i
        WHERE (i.since <= $1 OR i.since > $5) AND NOT EXISTS (SELECT 1 FROM submission s
            WHERE s.document_id = i.id AND s.stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn'))
        AND (i.since <= $2 OR i.since > $5 OR NOT EXISTS (SELECT 1 FROM invoice f WHERE f.id = i.id AND f.send_to_tax_authority = TRUE
            AND NOT EXISTS (SELECT 1 FROM submission s WHERE s.document_id = f.id)))
        AND NOT EXISTS (SELECT 1 FROM watchdog_alert w WHERE w.document_id = i.id AND w.since = i.since AND w.logged_at > $3 AND w.logged_at <= $5)
        ORDER BY i.since, i.id LIMIT $4

-- watchdog::FORGOTTEN
-- takes (5), gives (document_id TEXT)
SELECT s.document_id FROM submission s
        WHERE s.stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn') AND (s.updated_at <= $1 OR s.updated_at > $5)
            AND (s.alert_code IS NULL OR s.alert_code IN (SELECT value FROM json_each($2)))
            AND NOT EXISTS (SELECT 1 FROM job j WHERE j.kind = $3 AND j.subject = s.document_id)
        ORDER BY s.updated_at, s.document_id LIMIT $4

-- watchdog::RAISE_ALERT
-- takes (7), gives ()
INSERT INTO watchdog_alert (document_id, workspace_id, code, since, logged_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (document_id) DO UPDATE SET code = excluded.code, since = excluded.since, logged_at = excluded.logged_at
        WHERE watchdog_alert.logged_at <= $6 OR watchdog_alert.logged_at > $7 OR watchdog_alert.since <> excluded.since

-- watchdog::FORGET
-- takes (0), gives ()
DELETE FROM watchdog_alert WHERE NOT EXISTS (SELECT 1 FROM issuing_document i
            WHERE i.id = watchdog_alert.document_id)
        OR EXISTS (SELECT 1 FROM submission s WHERE s.document_id = watchdog_alert.document_id
            AND s.stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn'))

-- watchdog::ALERTS_BY_CODE
-- takes (0), gives (code TEXT, documents NULL)
SELECT w.code, COUNT(*) AS documents FROM watchdog_alert w JOIN issuing_document i ON i.id = w.document_id
        GROUP BY w.code

-- webhooks::HOLD_WORKSPACE
-- takes (1), gives (id INTEGER)
SELECT id FROM workspace WHERE id = $1

-- webhooks::COUNT
-- takes (1), gives (COUNT(*) NULL)
SELECT COUNT(*) FROM webhook_endpoint WHERE workspace_id = $1

-- webhooks::INSERT
-- takes (6), gives ()
INSERT INTO webhook_endpoint (id, workspace_id, url, events, secret, from_position, created_at, updated_at)
        SELECT $1, $2, $3, $4, $5, position, $6, $6 FROM feed WHERE name = 'events'

-- webhooks::FIND
-- takes (1), gives (id TEXT, workspace_id INTEGER, url TEXT, events TEXT, secret BLOB, old_secret BLOB, old_secret_until TEXT, disabled TEXT, disabled_at TEXT, failures INTEGER, failing_since TEXT, failed_at TEXT, succeeded_at TEXT, from_position INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, url, events, secret, old_secret, old_secret_until, disabled, disabled_at, failures, failing_since, failed_at, succeeded_at, from_position, created_at, updated_at FROM webhook_endpoint WHERE id = $1

-- webhooks::PAGE
-- takes (3), gives (id TEXT, workspace_id INTEGER, url TEXT, events TEXT, secret BLOB, old_secret BLOB, old_secret_until TEXT, disabled TEXT, disabled_at TEXT, failures INTEGER, failing_since TEXT, failed_at TEXT, succeeded_at TEXT, from_position INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, url, events, secret, old_secret, old_secret_until, disabled, disabled_at, failures, failing_since, failed_at, succeeded_at, from_position, created_at, updated_at FROM webhook_endpoint
        WHERE workspace_id = $1 ORDER BY created_at, id LIMIT $2 OFFSET $3

-- webhooks::OF_WORKSPACES
-- takes (1), gives (id TEXT, workspace_id INTEGER, url TEXT, events TEXT, secret BLOB, old_secret BLOB, old_secret_until TEXT, disabled TEXT, disabled_at TEXT, failures INTEGER, failing_since TEXT, failed_at TEXT, succeeded_at TEXT, from_position INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, url, events, secret, old_secret, old_secret_until, disabled, disabled_at, failures, failing_since, failed_at, succeeded_at, from_position, created_at, updated_at FROM webhook_endpoint WHERE workspace_id IN (SELECT value FROM json_each($1)) ORDER BY id

-- webhooks::LOCK
-- takes (1), gives (id TEXT)
SELECT id FROM webhook_endpoint WHERE id IN (SELECT value FROM json_each($1)) ORDER BY id

-- webhooks::GIVEN_UP
-- takes (1), gives (id TEXT, workspace_id INTEGER, url TEXT, disabled TEXT, disabled_at TEXT)
SELECT id, workspace_id, url, disabled, disabled_at FROM webhook_endpoint
        WHERE disabled IN ('failing', 'gone') ORDER BY disabled_at, id LIMIT $1

-- webhooks::SET_EVENTS
-- takes (3), gives ()
UPDATE webhook_endpoint SET events = $2, updated_at = $3 WHERE id = $1

-- webhooks::SET_SECRET
-- takes (4), gives ()
UPDATE webhook_endpoint SET old_secret = secret, old_secret_until = $3, secret = $2, updated_at = $4
        WHERE id = $1

-- webhooks::DISABLE
-- takes (3), gives ()
UPDATE webhook_endpoint SET disabled = $2, disabled_at = $3, updated_at = $3
        WHERE id = $1 AND disabled IS NULL

-- webhooks::ENABLE
-- takes (2), gives ()
UPDATE webhook_endpoint SET disabled = NULL, disabled_at = NULL, failures = 0, failing_since = NULL,
            failed_at = NULL, updated_at = $2,
            due_at = (SELECT MIN(d.due_at) FROM webhook_delivery d WHERE d.endpoint_id = $1 AND d.state = 'pending')
        WHERE id = $1 AND disabled IS NOT NULL

-- webhooks::DELETE
-- takes (1), gives ()
DELETE FROM webhook_endpoint WHERE id = $1

-- webhooks::WAKE
-- takes (3), gives ()
UPDATE webhook_endpoint SET due_at = $2
        WHERE id IN (SELECT value FROM json_each($1)) AND (due_at IS NULL OR (due_at > $2 AND (failures = 0 OR $3)))

-- webhooks::ANY_DUE
-- takes (1), gives (id TEXT)
SELECT id FROM webhook_endpoint WHERE due_at <= $1 AND disabled IS NULL
            AND (lease_until IS NULL OR lease_until <= strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')
                OR lease_until > strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', '+15 minutes')) LIMIT 1

-- webhooks::CLAIM
-- takes (4), gives (id TEXT, workspace_id INTEGER, url TEXT, events TEXT, secret BLOB, old_secret BLOB, old_secret_until TEXT, disabled TEXT, disabled_at TEXT, failures INTEGER, failing_since TEXT, failed_at TEXT, succeeded_at TEXT, from_position INTEGER, created_at TEXT, updated_at TEXT)
UPDATE webhook_endpoint SET lease_owner = $3, lease_until = strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', $4)
        WHERE id IN (SELECT id FROM webhook_endpoint WHERE due_at <= $1 AND disabled IS NULL
                AND (lease_until IS NULL OR lease_until <= strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')
                OR lease_until > strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', '+15 minutes'))
            ORDER BY due_at, id LIMIT $2)
        RETURNING id, workspace_id, url, events, secret, old_secret, old_secret_until, disabled, disabled_at, failures,
            failing_since, failed_at, succeeded_at, from_position, created_at, updated_at

-- webhooks::ANY_BEYOND
-- takes (1), gives (id TEXT)
SELECT e.id FROM webhook_endpoint e WHERE e.due_at > $1 OR EXISTS (SELECT 1 FROM webhook_delivery d
        WHERE d.endpoint_id = e.id AND d.state = 'pending' AND d.due_at > $1) LIMIT 1

-- webhooks::RECALL
-- takes (2), gives ()
UPDATE webhook_endpoint SET due_at = $2 WHERE due_at > $1 OR EXISTS (SELECT 1 FROM webhook_delivery d
        WHERE d.endpoint_id = webhook_endpoint.id AND d.state = 'pending' AND d.due_at > $1)

-- webhooks::EXTEND
-- takes (3), gives ()
UPDATE webhook_endpoint SET lease_until = strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', $3)
        WHERE id IN (SELECT value FROM json_each($1)) AND lease_owner = $2

-- webhooks::FREE_ALL
-- takes (1), gives ()
UPDATE webhook_endpoint SET lease_owner = NULL, lease_until = NULL
        WHERE lease_owner IS NOT NULL AND (lease_owner = $1 OR $1 IS NULL)

-- webhooks::GIVE_BACK
-- takes (7), gives ()
UPDATE webhook_endpoint SET lease_owner = NULL, lease_until = NULL, failures = $3, failing_since = $4,
            failed_at = $5, succeeded_at = COALESCE($6, succeeded_at),
            due_at = (SELECT CASE WHEN $7 IS NOT NULL AND $7 > MIN(d.due_at) THEN $7 ELSE MIN(d.due_at) END
                FROM webhook_delivery d WHERE d.endpoint_id = $1 AND d.state = 'pending')
        WHERE id = $1 AND lease_owner = $2

-- accounts::TEAMS_OF
-- takes (1), gives (account_id TEXT, id TEXT, name TEXT, created_at TEXT, updated_at TEXT)
SELECT m.account_id, t.id, t.name, t.created_at, t.updated_at FROM team_member m
        JOIN team t ON t.id = m.team_id WHERE m.account_id IN (SELECT value FROM json_each($1)) ORDER BY t.name, t.id

-- accounts::PUT
-- takes (7), gives ()
INSERT INTO account (id, email, name, nickname, status, joined_at, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
        ON CONFLICT (id) DO UPDATE SET email = excluded.email, name = excluded.name, nickname = excluded.nickname,
            status = excluded.status, joined_at = excluded.joined_at, updated_at = excluded.updated_at

-- accounts::CLEAR_ROLES
-- takes (1), gives ()
DELETE FROM role_binding WHERE account_id = $1

-- accounts::ADD_ROLE
-- takes (3), gives ()
INSERT INTO role_binding (account_id, workspace_id, roles) VALUES ($1, $2, $3)

-- accounts::LEAVE_TEAMS
-- takes (1), gives ()
DELETE FROM team_member WHERE account_id = $1

-- accounts::JOIN_TEAMS
-- takes (2), gives ()
INSERT INTO team_member (account_id, team_id) SELECT $1, value FROM json_each($2)

-- accounts::PUT_TEAM
-- takes (3), gives ()
INSERT INTO team (id, name, created_at, updated_at) VALUES ($1, $2, $3, $3)
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, updated_at = excluded.updated_at

-- bookings::BLOCKING
-- takes (3), gives (id TEXT, workspace_id INTEGER, unit_id TEXT, product_id TEXT, confirmation_code TEXT, status TEXT, check_in TEXT, check_out TEXT, adults INTEGER, children INTEGER, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE unit_id IN (SELECT value FROM json_each($1))
        AND status IN ('PENDING', 'CONFIRMED', 'CHECKED_IN', 'CHECKED_OUT') AND check_out > $2 AND check_in < $3
        ORDER BY unit_id, check_in

-- bookings::SET_VETTING
-- takes (3), gives ()
UPDATE booking SET vetting_status = $2, updated_at = $3 WHERE id = $1

-- bookings::PUT
-- takes (15), gives ()
INSERT INTO booking (id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out,
            adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15)
        ON CONFLICT (id) DO UPDATE SET unit_id = excluded.unit_id, product_id = excluded.product_id,
            confirmation_code = excluded.confirmation_code, status = excluded.status, check_in = excluded.check_in,
            check_out = excluded.check_out, adults = excluded.adults, children = excluded.children,
            contacts = excluded.contacts, platform = excluded.platform, payment_status = excluded.payment_status,
            vetting_status = excluded.vetting_status, updated_at = excluded.updated_at

-- conversations::PUT
-- takes (4), gives ()
INSERT INTO conversation (id, workspace_id, booking_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
        ON CONFLICT (id) DO UPDATE SET booking_id = excluded.booking_id, updated_at = excluded.updated_at

-- conversations::TOUCH
-- takes (2), gives ()
UPDATE conversation SET updated_at = $2 WHERE id = $1

-- conversations::PUT_MESSAGE
-- takes (7), gives ()
INSERT INTO message (id, conversation_id, body, content_type, source, sent_at, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
        ON CONFLICT (id) DO UPDATE SET conversation_id = excluded.conversation_id, body = excluded.body,
            content_type = excluded.content_type, source = excluded.source, sent_at = excluded.sent_at,
            updated_at = excluded.updated_at

-- profiles::SET
-- takes (5), gives ()
UPDATE workspace SET slug = $2, status = $3, logo_url = $4, updated_at = $5 WHERE id = $1

-- rates::CURRENCIES
-- takes (1), gives (currency TEXT)
SELECT DISTINCT currency FROM rate_plan WHERE workspace_id = $1 ORDER BY currency LIMIT 2

-- rates::REMOVE_TARIFFS
-- takes (1), gives ()
DELETE FROM tariff WHERE id IN (SELECT value FROM json_each($1))

-- rates::PUT_PLAN
-- takes (7), gives ()
INSERT INTO rate_plan (id, workspace_id, unit_id, name, currency, min_stay, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
        ON CONFLICT (id) DO UPDATE SET unit_id = excluded.unit_id, name = excluded.name, currency = excluded.currency,
            min_stay = excluded.min_stay, updated_at = excluded.updated_at

-- rates::PUT_TARIFF
-- takes (7), gives ()
INSERT INTO tariff (id, rate_plan_id, start_date, end_date, price, min_stay, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
        ON CONFLICT (id) DO UPDATE SET rate_plan_id = excluded.rate_plan_id, start_date = excluded.start_date,
            end_date = excluded.end_date, price = excluded.price, min_stay = excluded.min_stay,
            updated_at = excluded.updated_at

-- spaces::PUT_BUILDING
-- takes (5), gives ()
INSERT INTO building (id, workspace_id, name, address, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $5)
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, address = excluded.address, updated_at = excluded.updated_at

-- spaces::PUT_UNIT_TYPE
-- takes (6), gives ()
INSERT INTO unit_type (id, workspace_id, building_id, code, name, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $6)
        ON CONFLICT (id) DO UPDATE SET building_id = excluded.building_id, code = excluded.code, name = excluded.name,
            updated_at = excluded.updated_at

-- spaces::PUT_AMENITY
-- takes (3), gives ()
INSERT INTO amenity (id, name, created_at, updated_at) VALUES ($1, $2, $3, $3)
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, updated_at = excluded.updated_at

-- tasks::PUT
-- takes (11), gives ()
INSERT INTO task (id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id,
            booking_id, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
        ON CONFLICT (id) DO UPDATE SET title = excluded.title, kind = excluded.kind, due_date = excluded.due_date,
            start_time = excluded.start_time, estimated_duration_hours = excluded.estimated_duration_hours,
            notes = excluded.notes, unit_id = excluded.unit_id, booking_id = excluded.booking_id,
            updated_at = excluded.updated_at

-- units::HOLD
-- takes (1), gives (id TEXT)
SELECT id FROM unit WHERE id IN (SELECT value FROM json_each($1)) ORDER BY id

-- units::PUT
-- takes (10), gives ()
INSERT INTO unit (id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms,
            size_in_sqm, features, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
        ON CONFLICT (id) DO UPDATE SET unit_type_id = excluded.unit_type_id, code = excluded.code,
            status = excluded.status, number_of_bedrooms = excluded.number_of_bedrooms,
            number_of_bathrooms = excluded.number_of_bathrooms, size_in_sqm = excluded.size_in_sqm,
            features = excluded.features, updated_at = excluded.updated_at

-- units::CLEAR_AMENITIES
-- takes (1), gives ()
DELETE FROM unit_amenity WHERE unit_id = $1

-- units::ADD_AMENITIES
-- takes (2), gives ()
INSERT INTO unit_amenity (unit_id, amenity_id) SELECT $1, value FROM json_each($2)

-- units::OF_MEDIA
-- takes (1), gives (id TEXT, unit_id TEXT)
SELECT id, unit_id FROM media_item WHERE id IN (SELECT value FROM json_each($1))

-- units::CLEAR_MEDIA
-- takes (1), gives ()
DELETE FROM media_item WHERE unit_id = $1

-- units::ADD_MEDIA
-- takes (4), gives ()
INSERT INTO media_item (id, unit_id, position, url) VALUES ($1, $2, $3, $4)

-- workspaces::FREE_ID
-- takes (1), gives (COALESCE(MAX(id), 0) + 1 NULL)
SELECT COALESCE(MAX(id), 0) + 1 FROM workspace WHERE id < $1

-- workspaces::INSERT
-- takes (12), gives ()
INSERT INTO workspace (id, name, legal_name, tax_id, country, time_zone, address, email, invoice_pattern,
            credit_pattern, rejection_strategy, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)

-- workspaces::UPDATE
-- takes (12), gives ()
UPDATE workspace SET name = $2, legal_name = $3, tax_id = $4, country = $5, time_zone = $6, address = $7,
            email = $8, invoice_pattern = $9, credit_pattern = $10, rejection_strategy = $11, updated_at = $12
        WHERE id = $1

-- workspaces::FIND
-- takes (1), gives (id INTEGER, name TEXT, legal_name TEXT, tax_id TEXT, country TEXT, time_zone TEXT, address TEXT, email TEXT, invoice_pattern TEXT, credit_pattern TEXT, rejection_strategy TEXT)
SELECT id, name, legal_name, tax_id, country, time_zone, address, email, invoice_pattern, credit_pattern,
            rejection_strategy
        FROM workspace WHERE id = $1

-- workspaces::LIST
-- takes (2), gives (id INTEGER, name TEXT, legal_name TEXT, tax_id TEXT, country TEXT, time_zone TEXT, address TEXT, email TEXT, invoice_pattern TEXT, credit_pattern TEXT, rejection_strategy TEXT)
SELECT id, name, legal_name, tax_id, country, time_zone, address, email, invoice_pattern, credit_pattern,
            rejection_strategy
        FROM workspace WHERE id > $1 ORDER BY id LIMIT $2

-- workspaces::PUT_E_INVOICING
-- takes (9), gives ()
INSERT INTO e_invoicing (workspace_id, regime, company_id, workflow_id, token, webhook_token,
            webhook_token_hash, settings, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        ON CONFLICT (workspace_id) DO UPDATE SET regime = excluded.regime, company_id = excluded.company_id,
            workflow_id = excluded.workflow_id, token = excluded.token,
            webhook_token = COALESCE(excluded.webhook_token, e_invoicing.webhook_token),
            webhook_token_hash = COALESCE(excluded.webhook_token_hash, e_invoicing.webhook_token_hash), settings = excluded.settings,
            updated_at = excluded.updated_at

-- workspaces::FIND_E_INVOICING
-- takes (1), gives (workspace_id INTEGER, regime TEXT, company_id TEXT, workflow_id TEXT, token BLOB, webhook_token BLOB, settings TEXT)
SELECT workspace_id, regime, company_id, workflow_id, token, webhook_token, settings
        FROM e_invoicing WHERE workspace_id = $1

-- workspaces::CLEAR_E_INVOICING
-- takes (1), gives ()
DELETE FROM e_invoicing WHERE workspace_id = $1

-- workspaces::WEBHOOK_TOKENS
-- takes (0), gives (COUNT(*) NULL)
SELECT COUNT(*) FROM e_invoicing WHERE webhook_token_hash IS NOT NULL

-- workspaces::BY_WEBHOOK_TOKEN
-- takes (1), gives (workspace_id INTEGER)
SELECT workspace_id FROM e_invoicing WHERE webhook_token_hash = $1 ORDER BY workspace_id

-- list of documents by '', all
-- takes (0), gives (id TEXT, workspace_id INTEGER, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority INTEGER, issuing_at TEXT, issued_at TEXT, acceptance TEXT, rejected_at TEXT, rejection_reason TEXT, version INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice ORDER BY created_at, id

-- list of documents by 'status', all
-- takes (0), gives (id TEXT, workspace_id INTEGER, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority INTEGER, issuing_at TEXT, issued_at TEXT, acceptance TEXT, rejected_at TEXT, rejection_reason TEXT, version INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE status = 'rejected' ORDER BY created_at, id

-- list of documents by 'booking', all
-- takes (1), gives (id TEXT, workspace_id INTEGER, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority INTEGER, issuing_at TEXT, issued_at TEXT, acceptance TEXT, rejected_at TEXT, rejection_reason TEXT, version INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE booking_id = $1 ORDER BY created_at, id

-- list of documents by 'number', all
-- takes (1), gives (id TEXT, workspace_id INTEGER, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority INTEGER, issuing_at TEXT, issued_at TEXT, acceptance TEXT, rejected_at TEXT, rejection_reason TEXT, version INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE number = $1 ORDER BY created_at, id

-- list of documents by 'updated_after', all
-- takes (1), gives (id TEXT, workspace_id INTEGER, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority INTEGER, issuing_at TEXT, issued_at TEXT, acceptance TEXT, rejected_at TEXT, rejection_reason TEXT, version INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE updated_at > $1 ORDER BY created_at, id

-- list of documents by 'all of these', all
-- takes (3), gives (id TEXT, workspace_id INTEGER, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority INTEGER, issuing_at TEXT, issued_at TEXT, acceptance TEXT, rejected_at TEXT, rejection_reason TEXT, version INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE +status = 'draft' AND booking_id = $1 AND number = $2 AND +updated_at > $3 ORDER BY created_at, id

-- list of documents by 'ids', all
-- takes (1), gives (id TEXT, workspace_id INTEGER, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority INTEGER, issuing_at TEXT, issued_at TEXT, acceptance TEXT, rejected_at TEXT, rejection_reason TEXT, version INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE id IN (SELECT value FROM json_each($1)) ORDER BY created_at, id

-- list of submissions by '', all
-- takes (0), gives (document_id TEXT, workspace_id INTEGER, stage TEXT, number TEXT, entry_id TEXT, entry_renewed INTEGER, entry_digest TEXT, check_earlier_attempts INTEGER, job_id TEXT, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INTEGER, last_error TEXT, held_until TEXT, stamps TEXT, job_taken_at TEXT, version INTEGER, actor TEXT, created_at TEXT, updated_at TEXT)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission ORDER BY (alert_code IS NULL), updated_at DESC, document_id

-- list of submissions by 'stage', all
-- takes (0), gives (document_id TEXT, workspace_id INTEGER, stage TEXT, number TEXT, entry_id TEXT, entry_renewed INTEGER, entry_digest TEXT, check_earlier_attempts INTEGER, job_id TEXT, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INTEGER, last_error TEXT, held_until TEXT, stamps TEXT, job_taken_at TEXT, version INTEGER, actor TEXT, created_at TEXT, updated_at TEXT)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE stage = 'rejected' ORDER BY (alert_code IS NULL), updated_at DESC, document_id

-- list of submissions by 'alerted', all
-- takes (0), gives (document_id TEXT, workspace_id INTEGER, stage TEXT, number TEXT, entry_id TEXT, entry_renewed INTEGER, entry_digest TEXT, check_earlier_attempts INTEGER, job_id TEXT, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INTEGER, last_error TEXT, held_until TEXT, stamps TEXT, job_taken_at TEXT, version INTEGER, actor TEXT, created_at TEXT, updated_at TEXT)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE alert_code IS NOT NULL ORDER BY updated_at DESC, document_id

-- list of submissions by 'stage, alerted', all
-- takes (0), gives (document_id TEXT, workspace_id INTEGER, stage TEXT, number TEXT, entry_id TEXT, entry_renewed INTEGER, entry_digest TEXT, check_earlier_attempts INTEGER, job_id TEXT, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INTEGER, last_error TEXT, held_until TEXT, stamps TEXT, job_taken_at TEXT, version INTEGER, actor TEXT, created_at TEXT, updated_at TEXT)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE stage = 'waiting' AND alert_code IS NOT NULL ORDER BY updated_at DESC, document_id

-- list of events by 'source', all
-- takes (1), gives (position INTEGER, id TEXT, source TEXT, workspace_id INTEGER, subject TEXT, sequence INTEGER, type TEXT, time TEXT, actor TEXT, data TEXT)
SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event WHERE position > $1 AND +source IN ('/invoicing', '/finance') ORDER BY position

-- list of events by '', all
-- takes (1), gives (position INTEGER, id TEXT, source TEXT, workspace_id INTEGER, subject TEXT, sequence INTEGER, type TEXT, time TEXT, actor TEXT, data TEXT)
SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event WHERE position > $1 ORDER BY position

-- list of booking documents by 'booking', all
-- takes (1), gives (document_id TEXT, workspace_id INTEGER, booking_id TEXT, document_type TEXT, status TEXT, number TEXT, issue_date TEXT, currency TEXT, payable TEXT, issuing_started_at TEXT, issued_at TEXT, rejected_by_tax_authority_at TEXT, rejected_by_tax_authority_reason TEXT, version INTEGER, created_at TEXT, updated_at TEXT)
SELECT document_id, workspace_id, booking_id, document_type, status, number, issue_date, currency, payable, issuing_started_at, issued_at, rejected_by_tax_authority_at, rejected_by_tax_authority_reason, version, created_at, updated_at FROM booking_document WHERE booking_id = $1 ORDER BY created_at, document_id

-- list of product groups by '', all
-- takes (0), gives (id TEXT, workspace_id INTEGER, internal_reference TEXT, contract_earliest_start_date TEXT, contract_latest_start_date TEXT, contract_earliest_end_date TEXT, contract_latest_end_date TEXT, default_expiry_duration_in_seconds INTEGER, allow_booking_expiry_timer INTEGER, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date TEXT, publishing_end_date TEXT, requires_cancelation_policy INTEGER, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group ORDER BY created_at, id

-- list of product groups by 'state', all
-- takes (0), gives (id TEXT, workspace_id INTEGER, internal_reference TEXT, contract_earliest_start_date TEXT, contract_latest_start_date TEXT, contract_earliest_end_date TEXT, contract_latest_end_date TEXT, default_expiry_duration_in_seconds INTEGER, allow_booking_expiry_timer INTEGER, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date TEXT, publishing_end_date TEXT, requires_cancelation_policy INTEGER, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE state = 'INACTIVE' ORDER BY created_at, id

-- list of product groups by 'published', all
-- takes (2), gives (id TEXT, workspace_id INTEGER, internal_reference TEXT, contract_earliest_start_date TEXT, contract_latest_start_date TEXT, contract_earliest_end_date TEXT, contract_latest_end_date TEXT, default_expiry_duration_in_seconds INTEGER, allow_booking_expiry_timer INTEGER, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date TEXT, publishing_end_date TEXT, requires_cancelation_policy INTEGER, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE (publishing_start_date IS NOT NULL AND publishing_start_date <= $1 AND (publishing_end_date IS NULL OR publishing_end_date >= $2)) ORDER BY created_at, id

-- list of product groups by 'not published', all
-- takes (2), gives (id TEXT, workspace_id INTEGER, internal_reference TEXT, contract_earliest_start_date TEXT, contract_latest_start_date TEXT, contract_earliest_end_date TEXT, contract_latest_end_date TEXT, default_expiry_duration_in_seconds INTEGER, allow_booking_expiry_timer INTEGER, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date TEXT, publishing_end_date TEXT, requires_cancelation_policy INTEGER, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE NOT (publishing_start_date IS NOT NULL AND publishing_start_date <= $1 AND (publishing_end_date IS NULL OR publishing_end_date >= $2)) ORDER BY created_at, id

-- list of product groups by 'academic_year', all
-- takes (1), gives (id TEXT, workspace_id INTEGER, internal_reference TEXT, contract_earliest_start_date TEXT, contract_latest_start_date TEXT, contract_earliest_end_date TEXT, contract_latest_end_date TEXT, default_expiry_duration_in_seconds INTEGER, allow_booking_expiry_timer INTEGER, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date TEXT, publishing_end_date TEXT, requires_cancelation_policy INTEGER, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE academic_year = $1 ORDER BY created_at, id

-- list of product groups by 'product_segment', all
-- takes (0), gives (id TEXT, workspace_id INTEGER, internal_reference TEXT, contract_earliest_start_date TEXT, contract_latest_start_date TEXT, contract_earliest_end_date TEXT, contract_latest_end_date TEXT, default_expiry_duration_in_seconds INTEGER, allow_booking_expiry_timer INTEGER, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date TEXT, publishing_end_date TEXT, requires_cancelation_policy INTEGER, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE product_segment = 'SEMESTER_1' ORDER BY created_at, id

-- list of product groups by 'internal_reference', all
-- takes (1), gives (id TEXT, workspace_id INTEGER, internal_reference TEXT, contract_earliest_start_date TEXT, contract_latest_start_date TEXT, contract_earliest_end_date TEXT, contract_latest_end_date TEXT, default_expiry_duration_in_seconds INTEGER, allow_booking_expiry_timer INTEGER, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date TEXT, publishing_end_date TEXT, requires_cancelation_policy INTEGER, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE internal_reference = $1 ORDER BY created_at, id

-- list of product groups by 'all of these', all
-- takes (4), gives (id TEXT, workspace_id INTEGER, internal_reference TEXT, contract_earliest_start_date TEXT, contract_latest_start_date TEXT, contract_earliest_end_date TEXT, contract_latest_end_date TEXT, default_expiry_duration_in_seconds INTEGER, allow_booking_expiry_timer INTEGER, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date TEXT, publishing_end_date TEXT, requires_cancelation_policy INTEGER, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE +state = 'INACTIVE' AND +academic_year = $1 AND +product_segment = 'SEMESTER_1' AND internal_reference = $2 AND (publishing_start_date IS NOT NULL AND publishing_start_date <= $3 AND (publishing_end_date IS NULL OR publishing_end_date >= $4)) ORDER BY created_at, id

-- list of product groups by 'ids', all
-- takes (1), gives (id TEXT, workspace_id INTEGER, internal_reference TEXT, contract_earliest_start_date TEXT, contract_latest_start_date TEXT, contract_earliest_end_date TEXT, contract_latest_end_date TEXT, default_expiry_duration_in_seconds INTEGER, allow_booking_expiry_timer INTEGER, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date TEXT, publishing_end_date TEXT, requires_cancelation_policy INTEGER, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE id IN (SELECT value FROM json_each($1)) ORDER BY created_at, id

-- list of products by 'group', all
-- takes (1), gives (id TEXT, workspace_id INTEGER, product_group_id TEXT, name TEXT, created_at TEXT, updated_at TEXT, units NULL)
SELECT id, workspace_id, product_group_id, name, created_at, updated_at, (SELECT json_group_array(s.unit_id ORDER BY s.unit_id) FROM product_unit s WHERE s.product_id = product.id) AS units FROM product WHERE product_group_id = $1 ORDER BY created_at, id

-- list of units by '', all
-- takes (0), gives (id TEXT, workspace_id INTEGER, unit_type_id TEXT, code TEXT, status TEXT, number_of_bedrooms INTEGER, number_of_bathrooms INTEGER, size_in_sqm TEXT, features TEXT, created_at TEXT, updated_at TEXT, amenities NULL, media_items NULL)
SELECT id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms, size_in_sqm, features, created_at, updated_at, (SELECT json_group_array(a.amenity_id ORDER BY a.amenity_id) FROM unit_amenity a WHERE a.unit_id = unit.id) AS amenities, (SELECT json_group_array(json_object('id', m.id, 'url', m.url) ORDER BY m.position) FROM media_item m WHERE m.unit_id = unit.id) AS media_items FROM unit ORDER BY created_at, id

-- list of units by 'status', all
-- takes (0), gives (id TEXT, workspace_id INTEGER, unit_type_id TEXT, code TEXT, status TEXT, number_of_bedrooms INTEGER, number_of_bathrooms INTEGER, size_in_sqm TEXT, features TEXT, created_at TEXT, updated_at TEXT, amenities NULL, media_items NULL)
SELECT id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms, size_in_sqm, features, created_at, updated_at, (SELECT json_group_array(a.amenity_id ORDER BY a.amenity_id) FROM unit_amenity a WHERE a.unit_id = unit.id) AS amenities, (SELECT json_group_array(json_object('id', m.id, 'url', m.url) ORDER BY m.position) FROM media_item m WHERE m.unit_id = unit.id) AS media_items FROM unit WHERE status = 'ARCHIVED' ORDER BY created_at, id

-- list of units by 'updated_since', all
-- takes (1), gives (id TEXT, workspace_id INTEGER, unit_type_id TEXT, code TEXT, status TEXT, number_of_bedrooms INTEGER, number_of_bathrooms INTEGER, size_in_sqm TEXT, features TEXT, created_at TEXT, updated_at TEXT, amenities NULL, media_items NULL)
SELECT id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms, size_in_sqm, features, created_at, updated_at, (SELECT json_group_array(a.amenity_id ORDER BY a.amenity_id) FROM unit_amenity a WHERE a.unit_id = unit.id) AS amenities, (SELECT json_group_array(json_object('id', m.id, 'url', m.url) ORDER BY m.position) FROM media_item m WHERE m.unit_id = unit.id) AS media_items FROM unit WHERE updated_at >= $1 ORDER BY created_at, id

-- list of units by 'all of these', all
-- takes (1), gives (id TEXT, workspace_id INTEGER, unit_type_id TEXT, code TEXT, status TEXT, number_of_bedrooms INTEGER, number_of_bathrooms INTEGER, size_in_sqm TEXT, features TEXT, created_at TEXT, updated_at TEXT, amenities NULL, media_items NULL)
SELECT id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms, size_in_sqm, features, created_at, updated_at, (SELECT json_group_array(a.amenity_id ORDER BY a.amenity_id) FROM unit_amenity a WHERE a.unit_id = unit.id) AS amenities, (SELECT json_group_array(json_object('id', m.id, 'url', m.url) ORDER BY m.position) FROM media_item m WHERE m.unit_id = unit.id) AS media_items FROM unit WHERE status = 'ARCHIVED' AND updated_at >= $1 ORDER BY created_at, id

-- list of units by 'ids', all
-- takes (1), gives (id TEXT, workspace_id INTEGER, unit_type_id TEXT, code TEXT, status TEXT, number_of_bedrooms INTEGER, number_of_bathrooms INTEGER, size_in_sqm TEXT, features TEXT, created_at TEXT, updated_at TEXT, amenities NULL, media_items NULL)
SELECT id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms, size_in_sqm, features, created_at, updated_at, (SELECT json_group_array(a.amenity_id ORDER BY a.amenity_id) FROM unit_amenity a WHERE a.unit_id = unit.id) AS amenities, (SELECT json_group_array(json_object('id', m.id, 'url', m.url) ORDER BY m.position) FROM media_item m WHERE m.unit_id = unit.id) AS media_items FROM unit WHERE id IN (SELECT value FROM json_each($1)) ORDER BY created_at, id

-- list of bookings by '', all
-- takes (0), gives (id TEXT, workspace_id INTEGER, unit_id TEXT, product_id TEXT, confirmation_code TEXT, status TEXT, check_in TEXT, check_out TEXT, adults INTEGER, children INTEGER, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking ORDER BY created_at, id

-- list of bookings by 'unit', all
-- takes (1), gives (id TEXT, workspace_id INTEGER, unit_id TEXT, product_id TEXT, confirmation_code TEXT, status TEXT, check_in TEXT, check_out TEXT, adults INTEGER, children INTEGER, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE unit_id = $1 ORDER BY created_at, id

-- list of bookings by 'from', all
-- takes (1), gives (id TEXT, workspace_id INTEGER, unit_id TEXT, product_id TEXT, confirmation_code TEXT, status TEXT, check_in TEXT, check_out TEXT, adults INTEGER, children INTEGER, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE check_out > $1 ORDER BY created_at, id

-- list of bookings by 'to', all
-- takes (1), gives (id TEXT, workspace_id INTEGER, unit_id TEXT, product_id TEXT, confirmation_code TEXT, status TEXT, check_in TEXT, check_out TEXT, adults INTEGER, children INTEGER, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE check_in <= $1 ORDER BY created_at, id

-- list of bookings by 'updated_since', all
-- takes (1), gives (id TEXT, workspace_id INTEGER, unit_id TEXT, product_id TEXT, confirmation_code TEXT, status TEXT, check_in TEXT, check_out TEXT, adults INTEGER, children INTEGER, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE updated_at >= $1 ORDER BY created_at, id

-- list of bookings by 'all of these', all
-- takes (4), gives (id TEXT, workspace_id INTEGER, unit_id TEXT, product_id TEXT, confirmation_code TEXT, status TEXT, check_in TEXT, check_out TEXT, adults INTEGER, children INTEGER, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE unit_id = $1 AND +check_out > $2 AND +check_in <= $3 AND +updated_at >= $4 ORDER BY created_at, id

-- list of bookings by 'ids', all
-- takes (1), gives (id TEXT, workspace_id INTEGER, unit_id TEXT, product_id TEXT, confirmation_code TEXT, status TEXT, check_in TEXT, check_out TEXT, adults INTEGER, children INTEGER, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE id IN (SELECT value FROM json_each($1)) ORDER BY created_at, id

-- list of tasks by '', all
-- takes (0), gives (id TEXT, workspace_id INTEGER, title TEXT, kind TEXT, due_date TEXT, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id TEXT, booking_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task ORDER BY created_at, id

-- list of tasks by 'unit', all
-- takes (1), gives (id TEXT, workspace_id INTEGER, title TEXT, kind TEXT, due_date TEXT, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id TEXT, booking_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE unit_id = $1 ORDER BY created_at, id

-- list of tasks by 'from', all
-- takes (1), gives (id TEXT, workspace_id INTEGER, title TEXT, kind TEXT, due_date TEXT, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id TEXT, booking_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE due_date >= $1 ORDER BY created_at, id

-- list of tasks by 'to', all
-- takes (1), gives (id TEXT, workspace_id INTEGER, title TEXT, kind TEXT, due_date TEXT, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id TEXT, booking_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE due_date <= $1 ORDER BY created_at, id

-- list of tasks by 'all of these', all
-- takes (3), gives (id TEXT, workspace_id INTEGER, title TEXT, kind TEXT, due_date TEXT, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id TEXT, booking_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE unit_id = $1 AND +due_date >= $2 AND +due_date <= $3 ORDER BY created_at, id

-- list of users by '', all
-- takes (0), gives (id TEXT, email TEXT, name TEXT, nickname TEXT, status TEXT, joined_at TEXT, created_at TEXT, updated_at TEXT, role_bindings NULL, teams NULL)
SELECT id, email, name, nickname, status, joined_at, created_at, updated_at, (SELECT json_group_array(json_object('workspace_id', r.workspace_id, 'roles', json(r.roles)) ORDER BY r.workspace_id) FROM role_binding r WHERE r.account_id = account.id) AS role_bindings, (SELECT json_group_array(t.team_id ORDER BY t.team_id) FROM team_member t WHERE t.account_id = account.id) AS teams FROM account ORDER BY created_at, id

-- list of users by 'status', all
-- takes (0), gives (id TEXT, email TEXT, name TEXT, nickname TEXT, status TEXT, joined_at TEXT, created_at TEXT, updated_at TEXT, role_bindings NULL, teams NULL)
SELECT id, email, name, nickname, status, joined_at, created_at, updated_at, (SELECT json_group_array(json_object('workspace_id', r.workspace_id, 'roles', json(r.roles)) ORDER BY r.workspace_id) FROM role_binding r WHERE r.account_id = account.id) AS role_bindings, (SELECT json_group_array(t.team_id ORDER BY t.team_id) FROM team_member t WHERE t.account_id = account.id) AS teams FROM account WHERE status = 'SUSPENDED' ORDER BY created_at, id

-- list of deliveries by 'endpoint', all
-- takes (1), gives (id TEXT)
SELECT id FROM webhook_delivery WHERE endpoint_id = $1 ORDER BY created_at DESC, id DESC

-- list of deliveries by 'endpoint, state', all
-- takes (1), gives (id TEXT)
SELECT id FROM webhook_delivery WHERE endpoint_id = $1 AND state = 'failed' ORDER BY created_at DESC, id DESC

-- list of webhooks by '', all
-- takes (0), gives (id TEXT, workspace_id INTEGER, url TEXT, events TEXT, secret BLOB, old_secret BLOB, old_secret_until TEXT, disabled TEXT, disabled_at TEXT, failures INTEGER, failing_since TEXT, failed_at TEXT, succeeded_at TEXT, from_position INTEGER, created_at TEXT, updated_at TEXT, backlog NULL)
SELECT id, workspace_id, url, events, secret, old_secret, old_secret_until, disabled, disabled_at, failures, failing_since, failed_at, succeeded_at, from_position, created_at, updated_at, (SELECT COUNT(*) FROM webhook_delivery d WHERE d.endpoint_id = webhook_endpoint.id AND d.state = 'pending') AS backlog FROM webhook_endpoint ORDER BY workspace_id, created_at, id

-- look-up in conversation, all
-- takes (1), gives (id TEXT, workspace_id INTEGER, booking_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, booking_id, created_at, updated_at FROM conversation WHERE booking_id IN (SELECT value FROM json_each($1)) ORDER BY created_at, id

-- look-up in message, all
-- takes (1), gives (id TEXT, conversation_id TEXT, body TEXT, content_type TEXT, source TEXT, sent_at TEXT, created_at TEXT, updated_at TEXT)
SELECT id, conversation_id, body, content_type, source, sent_at, created_at, updated_at FROM message WHERE id IN (SELECT value FROM json_each($1)) ORDER BY sent_at, id

-- look-up in message, all
-- takes (1), gives (id TEXT, conversation_id TEXT, body TEXT, content_type TEXT, source TEXT, sent_at TEXT, created_at TEXT, updated_at TEXT)
SELECT id, conversation_id, body, content_type, source, sent_at, created_at, updated_at FROM message WHERE conversation_id = $1 ORDER BY sent_at, id

-- look-up in message, all
-- takes (3), gives (id TEXT, conversation_id TEXT, body TEXT, content_type TEXT, source TEXT, sent_at TEXT, created_at TEXT, updated_at TEXT)
SELECT id, conversation_id, body, content_type, source, sent_at, created_at, updated_at FROM message WHERE conversation_id = $1 AND (sent_at, id) > ($2, $3) ORDER BY sent_at, id

-- look-up in rate_plan, all
-- takes (1), gives (id TEXT, workspace_id INTEGER, unit_id TEXT, name TEXT, currency TEXT, min_stay INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, unit_id, name, currency, min_stay, created_at, updated_at FROM rate_plan WHERE unit_id IN (SELECT value FROM json_each($1)) ORDER BY created_at, id

-- look-up in tariff, all
-- takes (1), gives (id TEXT, rate_plan_id TEXT, start_date TEXT, end_date TEXT, price TEXT, min_stay INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, rate_plan_id, start_date, end_date, price, min_stay, created_at, updated_at FROM tariff WHERE id IN (SELECT value FROM json_each($1)) ORDER BY rate_plan_id, start_date

-- look-up in tariff, all
-- takes (1), gives (id TEXT, rate_plan_id TEXT, start_date TEXT, end_date TEXT, price TEXT, min_stay INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, rate_plan_id, start_date, end_date, price, min_stay, created_at, updated_at FROM tariff WHERE rate_plan_id IN (SELECT value FROM json_each($1)) ORDER BY rate_plan_id, start_date

-- look-up in tariff, all
-- takes (2), gives (id TEXT, rate_plan_id TEXT, start_date TEXT, end_date TEXT, price TEXT, min_stay INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, rate_plan_id, start_date, end_date, price, min_stay, created_at, updated_at FROM tariff WHERE +end_date >= $1 AND rate_plan_id IN (SELECT value FROM json_each($2)) ORDER BY rate_plan_id, start_date

-- look-up in tariff, all
-- takes (2), gives (id TEXT, rate_plan_id TEXT, start_date TEXT, end_date TEXT, price TEXT, min_stay INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, rate_plan_id, start_date, end_date, price, min_stay, created_at, updated_at FROM tariff WHERE +start_date <= $1 AND rate_plan_id IN (SELECT value FROM json_each($2)) ORDER BY rate_plan_id, start_date

-- look-up in tariff, all
-- takes (3), gives (id TEXT, rate_plan_id TEXT, start_date TEXT, end_date TEXT, price TEXT, min_stay INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, rate_plan_id, start_date, end_date, price, min_stay, created_at, updated_at FROM tariff WHERE +end_date >= $1 AND +start_date <= $2 AND rate_plan_id IN (SELECT value FROM json_each($3)) ORDER BY rate_plan_id, start_date

-- look-up in amenity, all
-- takes (1), gives (id TEXT, name TEXT, created_at TEXT, updated_at TEXT)
SELECT id, name, created_at, updated_at FROM amenity WHERE id IN (SELECT value FROM json_each($1)) ORDER BY created_at, id

-- look-up in media_item, all
-- takes (1), gives (id TEXT, url TEXT)
SELECT id, url FROM media_item WHERE id IN (SELECT value FROM json_each($1)) ORDER BY unit_id, position

-- look-up in account, all
-- takes (1), gives (id TEXT, email TEXT, name TEXT, nickname TEXT, status TEXT, joined_at TEXT, created_at TEXT, updated_at TEXT, role_bindings NULL, teams NULL)
SELECT id, email, name, nickname, status, joined_at, created_at, updated_at, (SELECT json_group_array(json_object('workspace_id', r.workspace_id, 'roles', json(r.roles)) ORDER BY r.workspace_id) FROM role_binding r WHERE r.account_id = account.id) AS role_bindings, (SELECT json_group_array(t.team_id ORDER BY t.team_id) FROM team_member t WHERE t.account_id = account.id) AS teams FROM account WHERE id IN (SELECT value FROM json_each($1)) ORDER BY created_at, id

-- look-up in team, all
-- takes (1), gives (id TEXT, name TEXT, created_at TEXT, updated_at TEXT)
SELECT id, name, created_at, updated_at FROM team WHERE id IN (SELECT value FROM json_each($1)) ORDER BY created_at, id

-- look-up in workspace, all
-- takes (1), gives (id INTEGER, name TEXT, slug TEXT, status TEXT, logo_url TEXT)
SELECT id, name, slug, status, logo_url FROM workspace WHERE id IN (SELECT value FROM json_each($1)) ORDER BY id

-- look-up in workspace, all
-- takes (1), gives (id INTEGER)
SELECT id FROM workspace WHERE id IN (SELECT value FROM json_each($1)) ORDER BY id

-- look-up in booking_document, all
-- takes (1), gives (document_id TEXT, workspace_id INTEGER, booking_id TEXT, document_type TEXT, status TEXT, number TEXT, issue_date TEXT, currency TEXT, payable TEXT, issuing_started_at TEXT, issued_at TEXT, rejected_by_tax_authority_at TEXT, rejected_by_tax_authority_reason TEXT, version INTEGER, created_at TEXT, updated_at TEXT)
SELECT document_id, workspace_id, booking_id, document_type, status, number, issue_date, currency, payable, issuing_started_at, issued_at, rejected_by_tax_authority_at, rejected_by_tax_authority_reason, version, created_at, updated_at FROM booking_document WHERE document_id IN (SELECT value FROM json_each($1)) ORDER BY created_at, document_id

-- look-up in conversation, all
-- takes (1), gives (id TEXT, workspace_id INTEGER, booking_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, booking_id, created_at, updated_at FROM conversation WHERE id IN (SELECT value FROM json_each($1)) ORDER BY created_at, id

-- look-up in product, all
-- takes (1), gives (id TEXT, workspace_id INTEGER, product_group_id TEXT, name TEXT, created_at TEXT, updated_at TEXT, units NULL)
SELECT id, workspace_id, product_group_id, name, created_at, updated_at, (SELECT json_group_array(s.unit_id ORDER BY s.unit_id) FROM product_unit s WHERE s.product_id = product.id) AS units FROM product WHERE id IN (SELECT value FROM json_each($1)) ORDER BY created_at, id

-- look-up in rate_plan, all
-- takes (1), gives (id TEXT, workspace_id INTEGER, unit_id TEXT, name TEXT, currency TEXT, min_stay INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, unit_id, name, currency, min_stay, created_at, updated_at FROM rate_plan WHERE id IN (SELECT value FROM json_each($1)) ORDER BY created_at, id

-- look-up in building, all
-- takes (1), gives (id TEXT, workspace_id INTEGER, name TEXT, address TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, name, address, created_at, updated_at FROM building WHERE id IN (SELECT value FROM json_each($1)) ORDER BY created_at, id

-- look-up in unit_type, all
-- takes (1), gives (id TEXT, workspace_id INTEGER, building_id TEXT, code TEXT, name TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, building_id, code, name, created_at, updated_at FROM unit_type WHERE id IN (SELECT value FROM json_each($1)) ORDER BY created_at, id

-- look-up in submission, all
-- takes (1), gives (document_id TEXT, workspace_id INTEGER, stage TEXT, number TEXT, entry_id TEXT, entry_renewed INTEGER, entry_digest TEXT, check_earlier_attempts INTEGER, job_id TEXT, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INTEGER, last_error TEXT, held_until TEXT, stamps TEXT, job_taken_at TEXT, version INTEGER, actor TEXT, created_at TEXT, updated_at TEXT)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE document_id IN (SELECT value FROM json_each($1)) ORDER BY (alert_code IS NULL), updated_at DESC, document_id

-- look-up in task, all
-- takes (1), gives (id TEXT, workspace_id INTEGER, title TEXT, kind TEXT, due_date TEXT, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id TEXT, booking_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE id IN (SELECT value FROM json_each($1)) ORDER BY created_at, id

-- look-up in building, all
-- takes (1), gives (id TEXT, workspace_id INTEGER)
SELECT id, workspace_id FROM building WHERE id IN (SELECT value FROM json_each($1)) ORDER BY id

-- look-up in unit_type, all
-- takes (1), gives (id TEXT, workspace_id INTEGER)
SELECT id, workspace_id FROM unit_type WHERE id IN (SELECT value FROM json_each($1)) ORDER BY id

-- look-up in amenity, all
-- takes (1), gives (id TEXT, CAST(0 AS BIGINT) NULL)
SELECT id, CAST(0 AS BIGINT) FROM amenity WHERE id IN (SELECT value FROM json_each($1)) ORDER BY id

-- look-up in unit, all
-- takes (1), gives (id TEXT, workspace_id INTEGER)
SELECT id, workspace_id FROM unit WHERE id IN (SELECT value FROM json_each($1)) ORDER BY id

-- look-up in product_group, all
-- takes (1), gives (id TEXT, workspace_id INTEGER)
SELECT id, workspace_id FROM product_group WHERE id IN (SELECT value FROM json_each($1)) ORDER BY id

-- look-up in product, all
-- takes (1), gives (id TEXT, workspace_id INTEGER)
SELECT id, workspace_id FROM product WHERE id IN (SELECT value FROM json_each($1)) ORDER BY id

-- look-up in rate_plan, all
-- takes (1), gives (id TEXT, workspace_id INTEGER)
SELECT id, workspace_id FROM rate_plan WHERE id IN (SELECT value FROM json_each($1)) ORDER BY id

-- look-up in booking, all
-- takes (1), gives (id TEXT, workspace_id INTEGER)
SELECT id, workspace_id FROM booking WHERE id IN (SELECT value FROM json_each($1)) ORDER BY id

-- look-up in conversation, all
-- takes (1), gives (id TEXT, workspace_id INTEGER)
SELECT id, workspace_id FROM conversation WHERE id IN (SELECT value FROM json_each($1)) ORDER BY id

-- look-up in team, all
-- takes (1), gives (id TEXT, CAST(0 AS BIGINT) NULL)
SELECT id, CAST(0 AS BIGINT) FROM team WHERE id IN (SELECT value FROM json_each($1)) ORDER BY id

-- look-up in product, all
-- takes (1), gives (id TEXT, workspace_id INTEGER, product_group_id TEXT, name TEXT, created_at TEXT, updated_at TEXT, units NULL)
SELECT id, workspace_id, product_group_id, name, created_at, updated_at, (SELECT json_group_array(s.unit_id ORDER BY s.unit_id) FROM product_unit s WHERE s.product_id = product.id) AS units FROM product WHERE product_group_id IN (SELECT value FROM json_each($1)) ORDER BY created_at, id

-- list of documents by '', one
-- takes (1), gives (id TEXT, workspace_id INTEGER, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority INTEGER, issuing_at TEXT, issued_at TEXT, acceptance TEXT, rejected_at TEXT, rejection_reason TEXT, version INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE workspace_id = $1 ORDER BY created_at, id

-- list of documents by 'status', one
-- takes (1), gives (id TEXT, workspace_id INTEGER, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority INTEGER, issuing_at TEXT, issued_at TEXT, acceptance TEXT, rejected_at TEXT, rejection_reason TEXT, version INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE workspace_id = $1 AND status = 'rejected' ORDER BY created_at, id

-- list of documents by 'booking', one
-- takes (2), gives (id TEXT, workspace_id INTEGER, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority INTEGER, issuing_at TEXT, issued_at TEXT, acceptance TEXT, rejected_at TEXT, rejection_reason TEXT, version INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE +workspace_id = $1 AND booking_id = $2 ORDER BY created_at, id

-- list of documents by 'number', one
-- takes (2), gives (id TEXT, workspace_id INTEGER, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority INTEGER, issuing_at TEXT, issued_at TEXT, acceptance TEXT, rejected_at TEXT, rejection_reason TEXT, version INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE workspace_id = $1 AND number = $2 ORDER BY created_at, id

-- list of documents by 'updated_after', one
-- takes (2), gives (id TEXT, workspace_id INTEGER, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority INTEGER, issuing_at TEXT, issued_at TEXT, acceptance TEXT, rejected_at TEXT, rejection_reason TEXT, version INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE workspace_id = $1 AND updated_at > $2 ORDER BY created_at, id

-- list of documents by 'all of these', one
-- takes (4), gives (id TEXT, workspace_id INTEGER, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority INTEGER, issuing_at TEXT, issued_at TEXT, acceptance TEXT, rejected_at TEXT, rejection_reason TEXT, version INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE +workspace_id = $1 AND +status = 'draft' AND booking_id = $2 AND +number = $3 AND +updated_at > $4 ORDER BY created_at, id

-- list of documents by 'ids', one
-- takes (2), gives (id TEXT, workspace_id INTEGER, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority INTEGER, issuing_at TEXT, issued_at TEXT, acceptance TEXT, rejected_at TEXT, rejection_reason TEXT, version INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE +workspace_id = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY created_at, id

-- list of submissions by '', one
-- takes (1), gives (document_id TEXT, workspace_id INTEGER, stage TEXT, number TEXT, entry_id TEXT, entry_renewed INTEGER, entry_digest TEXT, check_earlier_attempts INTEGER, job_id TEXT, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INTEGER, last_error TEXT, held_until TEXT, stamps TEXT, job_taken_at TEXT, version INTEGER, actor TEXT, created_at TEXT, updated_at TEXT)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE workspace_id = $1 ORDER BY (alert_code IS NULL), updated_at DESC, document_id

-- list of submissions by 'stage', one
-- takes (1), gives (document_id TEXT, workspace_id INTEGER, stage TEXT, number TEXT, entry_id TEXT, entry_renewed INTEGER, entry_digest TEXT, check_earlier_attempts INTEGER, job_id TEXT, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INTEGER, last_error TEXT, held_until TEXT, stamps TEXT, job_taken_at TEXT, version INTEGER, actor TEXT, created_at TEXT, updated_at TEXT)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE workspace_id = $1 AND stage = 'rejected' ORDER BY (alert_code IS NULL), updated_at DESC, document_id

-- list of submissions by 'alerted', one
-- takes (1), gives (document_id TEXT, workspace_id INTEGER, stage TEXT, number TEXT, entry_id TEXT, entry_renewed INTEGER, entry_digest TEXT, check_earlier_attempts INTEGER, job_id TEXT, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INTEGER, last_error TEXT, held_until TEXT, stamps TEXT, job_taken_at TEXT, version INTEGER, actor TEXT, created_at TEXT, updated_at TEXT)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE workspace_id = $1 AND alert_code IS NOT NULL ORDER BY updated_at DESC, document_id

-- list of submissions by 'stage, alerted', one
-- takes (1), gives (document_id TEXT, workspace_id INTEGER, stage TEXT, number TEXT, entry_id TEXT, entry_renewed INTEGER, entry_digest TEXT, check_earlier_attempts INTEGER, job_id TEXT, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INTEGER, last_error TEXT, held_until TEXT, stamps TEXT, job_taken_at TEXT, version INTEGER, actor TEXT, created_at TEXT, updated_at TEXT)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE workspace_id = $1 AND stage = 'waiting' AND alert_code IS NOT NULL ORDER BY updated_at DESC, document_id

-- list of events by 'source', one
-- takes (2), gives (position INTEGER, id TEXT, source TEXT, workspace_id INTEGER, subject TEXT, sequence INTEGER, type TEXT, time TEXT, actor TEXT, data TEXT)
SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event WHERE workspace_id = $1 AND position > $2 AND +source IN ('/invoicing', '/finance') ORDER BY position

-- list of events by '', one
-- takes (2), gives (position INTEGER, id TEXT, source TEXT, workspace_id INTEGER, subject TEXT, sequence INTEGER, type TEXT, time TEXT, actor TEXT, data TEXT)
SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event WHERE workspace_id = $1 AND position > $2 ORDER BY position

-- list of booking documents by 'booking', one
-- takes (2), gives (document_id TEXT, workspace_id INTEGER, booking_id TEXT, document_type TEXT, status TEXT, number TEXT, issue_date TEXT, currency TEXT, payable TEXT, issuing_started_at TEXT, issued_at TEXT, rejected_by_tax_authority_at TEXT, rejected_by_tax_authority_reason TEXT, version INTEGER, created_at TEXT, updated_at TEXT)
SELECT document_id, workspace_id, booking_id, document_type, status, number, issue_date, currency, payable, issuing_started_at, issued_at, rejected_by_tax_authority_at, rejected_by_tax_authority_reason, version, created_at, updated_at FROM booking_document WHERE +workspace_id = $1 AND booking_id = $2 ORDER BY created_at, document_id

-- list of product groups by '', one
-- takes (1), gives (id TEXT, workspace_id INTEGER, internal_reference TEXT, contract_earliest_start_date TEXT, contract_latest_start_date TEXT, contract_earliest_end_date TEXT, contract_latest_end_date TEXT, default_expiry_duration_in_seconds INTEGER, allow_booking_expiry_timer INTEGER, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date TEXT, publishing_end_date TEXT, requires_cancelation_policy INTEGER, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE workspace_id = $1 ORDER BY created_at, id

-- list of product groups by 'state', one
-- takes (1), gives (id TEXT, workspace_id INTEGER, internal_reference TEXT, contract_earliest_start_date TEXT, contract_latest_start_date TEXT, contract_earliest_end_date TEXT, contract_latest_end_date TEXT, default_expiry_duration_in_seconds INTEGER, allow_booking_expiry_timer INTEGER, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date TEXT, publishing_end_date TEXT, requires_cancelation_policy INTEGER, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE workspace_id = $1 AND state = 'INACTIVE' ORDER BY created_at, id

-- list of product groups by 'published', one
-- takes (3), gives (id TEXT, workspace_id INTEGER, internal_reference TEXT, contract_earliest_start_date TEXT, contract_latest_start_date TEXT, contract_earliest_end_date TEXT, contract_latest_end_date TEXT, default_expiry_duration_in_seconds INTEGER, allow_booking_expiry_timer INTEGER, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date TEXT, publishing_end_date TEXT, requires_cancelation_policy INTEGER, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE workspace_id = $1 AND (publishing_start_date IS NOT NULL AND publishing_start_date <= $2 AND (publishing_end_date IS NULL OR publishing_end_date >= $3)) ORDER BY created_at, id

-- list of product groups by 'not published', one
-- takes (3), gives (id TEXT, workspace_id INTEGER, internal_reference TEXT, contract_earliest_start_date TEXT, contract_latest_start_date TEXT, contract_earliest_end_date TEXT, contract_latest_end_date TEXT, default_expiry_duration_in_seconds INTEGER, allow_booking_expiry_timer INTEGER, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date TEXT, publishing_end_date TEXT, requires_cancelation_policy INTEGER, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE workspace_id = $1 AND NOT (publishing_start_date IS NOT NULL AND publishing_start_date <= $2 AND (publishing_end_date IS NULL OR publishing_end_date >= $3)) ORDER BY created_at, id

-- list of product groups by 'academic_year', one
-- takes (2), gives (id TEXT, workspace_id INTEGER, internal_reference TEXT, contract_earliest_start_date TEXT, contract_latest_start_date TEXT, contract_earliest_end_date TEXT, contract_latest_end_date TEXT, default_expiry_duration_in_seconds INTEGER, allow_booking_expiry_timer INTEGER, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date TEXT, publishing_end_date TEXT, requires_cancelation_policy INTEGER, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE workspace_id = $1 AND academic_year = $2 ORDER BY created_at, id

-- list of product groups by 'product_segment', one
-- takes (1), gives (id TEXT, workspace_id INTEGER, internal_reference TEXT, contract_earliest_start_date TEXT, contract_latest_start_date TEXT, contract_earliest_end_date TEXT, contract_latest_end_date TEXT, default_expiry_duration_in_seconds INTEGER, allow_booking_expiry_timer INTEGER, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date TEXT, publishing_end_date TEXT, requires_cancelation_policy INTEGER, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE workspace_id = $1 AND product_segment = 'SEMESTER_1' ORDER BY created_at, id

-- list of product groups by 'internal_reference', one
-- takes (2), gives (id TEXT, workspace_id INTEGER, internal_reference TEXT, contract_earliest_start_date TEXT, contract_latest_start_date TEXT, contract_earliest_end_date TEXT, contract_latest_end_date TEXT, default_expiry_duration_in_seconds INTEGER, allow_booking_expiry_timer INTEGER, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date TEXT, publishing_end_date TEXT, requires_cancelation_policy INTEGER, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE +workspace_id = $1 AND internal_reference = $2 ORDER BY created_at, id

-- list of product groups by 'all of these', one
-- takes (5), gives (id TEXT, workspace_id INTEGER, internal_reference TEXT, contract_earliest_start_date TEXT, contract_latest_start_date TEXT, contract_earliest_end_date TEXT, contract_latest_end_date TEXT, default_expiry_duration_in_seconds INTEGER, allow_booking_expiry_timer INTEGER, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date TEXT, publishing_end_date TEXT, requires_cancelation_policy INTEGER, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE +workspace_id = $1 AND +state = 'INACTIVE' AND +academic_year = $2 AND +product_segment = 'SEMESTER_1' AND internal_reference = $3 AND (publishing_start_date IS NOT NULL AND publishing_start_date <= $4 AND (publishing_end_date IS NULL OR publishing_end_date >= $5)) ORDER BY created_at, id

-- list of product groups by 'ids', one
-- takes (2), gives (id TEXT, workspace_id INTEGER, internal_reference TEXT, contract_earliest_start_date TEXT, contract_latest_start_date TEXT, contract_earliest_end_date TEXT, contract_latest_end_date TEXT, default_expiry_duration_in_seconds INTEGER, allow_booking_expiry_timer INTEGER, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date TEXT, publishing_end_date TEXT, requires_cancelation_policy INTEGER, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE +workspace_id = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY created_at, id

-- list of products by 'group', one
-- takes (2), gives (id TEXT, workspace_id INTEGER, product_group_id TEXT, name TEXT, created_at TEXT, updated_at TEXT, units NULL)
SELECT id, workspace_id, product_group_id, name, created_at, updated_at, (SELECT json_group_array(s.unit_id ORDER BY s.unit_id) FROM product_unit s WHERE s.product_id = product.id) AS units FROM product WHERE +workspace_id = $1 AND product_group_id = $2 ORDER BY created_at, id

-- list of units by '', one
-- takes (1), gives (id TEXT, workspace_id INTEGER, unit_type_id TEXT, code TEXT, status TEXT, number_of_bedrooms INTEGER, number_of_bathrooms INTEGER, size_in_sqm TEXT, features TEXT, created_at TEXT, updated_at TEXT, amenities NULL, media_items NULL)
SELECT id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms, size_in_sqm, features, created_at, updated_at, (SELECT json_group_array(a.amenity_id ORDER BY a.amenity_id) FROM unit_amenity a WHERE a.unit_id = unit.id) AS amenities, (SELECT json_group_array(json_object('id', m.id, 'url', m.url) ORDER BY m.position) FROM media_item m WHERE m.unit_id = unit.id) AS media_items FROM unit WHERE workspace_id = $1 ORDER BY created_at, id

-- list of units by 'status', one
-- takes (1), gives (id TEXT, workspace_id INTEGER, unit_type_id TEXT, code TEXT, status TEXT, number_of_bedrooms INTEGER, number_of_bathrooms INTEGER, size_in_sqm TEXT, features TEXT, created_at TEXT, updated_at TEXT, amenities NULL, media_items NULL)
SELECT id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms, size_in_sqm, features, created_at, updated_at, (SELECT json_group_array(a.amenity_id ORDER BY a.amenity_id) FROM unit_amenity a WHERE a.unit_id = unit.id) AS amenities, (SELECT json_group_array(json_object('id', m.id, 'url', m.url) ORDER BY m.position) FROM media_item m WHERE m.unit_id = unit.id) AS media_items FROM unit WHERE workspace_id = $1 AND status = 'ARCHIVED' ORDER BY created_at, id

-- list of units by 'updated_since', one
-- takes (2), gives (id TEXT, workspace_id INTEGER, unit_type_id TEXT, code TEXT, status TEXT, number_of_bedrooms INTEGER, number_of_bathrooms INTEGER, size_in_sqm TEXT, features TEXT, created_at TEXT, updated_at TEXT, amenities NULL, media_items NULL)
SELECT id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms, size_in_sqm, features, created_at, updated_at, (SELECT json_group_array(a.amenity_id ORDER BY a.amenity_id) FROM unit_amenity a WHERE a.unit_id = unit.id) AS amenities, (SELECT json_group_array(json_object('id', m.id, 'url', m.url) ORDER BY m.position) FROM media_item m WHERE m.unit_id = unit.id) AS media_items FROM unit WHERE workspace_id = $1 AND updated_at >= $2 ORDER BY created_at, id

-- list of units by 'all of these', one
-- takes (2), gives (id TEXT, workspace_id INTEGER, unit_type_id TEXT, code TEXT, status TEXT, number_of_bedrooms INTEGER, number_of_bathrooms INTEGER, size_in_sqm TEXT, features TEXT, created_at TEXT, updated_at TEXT, amenities NULL, media_items NULL)
SELECT id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms, size_in_sqm, features, created_at, updated_at, (SELECT json_group_array(a.amenity_id ORDER BY a.amenity_id) FROM unit_amenity a WHERE a.unit_id = unit.id) AS amenities, (SELECT json_group_array(json_object('id', m.id, 'url', m.url) ORDER BY m.position) FROM media_item m WHERE m.unit_id = unit.id) AS media_items FROM unit WHERE workspace_id = $1 AND status = 'ARCHIVED' AND updated_at >= $2 ORDER BY created_at, id

-- list of units by 'ids', one
-- takes (2), gives (id TEXT, workspace_id INTEGER, unit_type_id TEXT, code TEXT, status TEXT, number_of_bedrooms INTEGER, number_of_bathrooms INTEGER, size_in_sqm TEXT, features TEXT, created_at TEXT, updated_at TEXT, amenities NULL, media_items NULL)
SELECT id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms, size_in_sqm, features, created_at, updated_at, (SELECT json_group_array(a.amenity_id ORDER BY a.amenity_id) FROM unit_amenity a WHERE a.unit_id = unit.id) AS amenities, (SELECT json_group_array(json_object('id', m.id, 'url', m.url) ORDER BY m.position) FROM media_item m WHERE m.unit_id = unit.id) AS media_items FROM unit WHERE +workspace_id = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY created_at, id

-- list of bookings by '', one
-- takes (1), gives (id TEXT, workspace_id INTEGER, unit_id TEXT, product_id TEXT, confirmation_code TEXT, status TEXT, check_in TEXT, check_out TEXT, adults INTEGER, children INTEGER, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE workspace_id = $1 ORDER BY created_at, id

-- list of bookings by 'unit', one
-- takes (2), gives (id TEXT, workspace_id INTEGER, unit_id TEXT, product_id TEXT, confirmation_code TEXT, status TEXT, check_in TEXT, check_out TEXT, adults INTEGER, children INTEGER, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE +workspace_id = $1 AND unit_id = $2 ORDER BY created_at, id

-- list of bookings by 'from', one
-- takes (2), gives (id TEXT, workspace_id INTEGER, unit_id TEXT, product_id TEXT, confirmation_code TEXT, status TEXT, check_in TEXT, check_out TEXT, adults INTEGER, children INTEGER, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE workspace_id = $1 AND check_out > $2 ORDER BY created_at, id

-- list of bookings by 'to', one
-- takes (2), gives (id TEXT, workspace_id INTEGER, unit_id TEXT, product_id TEXT, confirmation_code TEXT, status TEXT, check_in TEXT, check_out TEXT, adults INTEGER, children INTEGER, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE workspace_id = $1 AND check_in <= $2 ORDER BY created_at, id

-- list of bookings by 'updated_since', one
-- takes (2), gives (id TEXT, workspace_id INTEGER, unit_id TEXT, product_id TEXT, confirmation_code TEXT, status TEXT, check_in TEXT, check_out TEXT, adults INTEGER, children INTEGER, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE workspace_id = $1 AND updated_at >= $2 ORDER BY created_at, id

-- list of bookings by 'all of these', one
-- takes (5), gives (id TEXT, workspace_id INTEGER, unit_id TEXT, product_id TEXT, confirmation_code TEXT, status TEXT, check_in TEXT, check_out TEXT, adults INTEGER, children INTEGER, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE +workspace_id = $1 AND unit_id = $2 AND +check_out > $3 AND +check_in <= $4 AND +updated_at >= $5 ORDER BY created_at, id

-- list of bookings by 'ids', one
-- takes (2), gives (id TEXT, workspace_id INTEGER, unit_id TEXT, product_id TEXT, confirmation_code TEXT, status TEXT, check_in TEXT, check_out TEXT, adults INTEGER, children INTEGER, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE +workspace_id = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY created_at, id

-- list of tasks by '', one
-- takes (1), gives (id TEXT, workspace_id INTEGER, title TEXT, kind TEXT, due_date TEXT, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id TEXT, booking_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE workspace_id = $1 ORDER BY created_at, id

-- list of tasks by 'unit', one
-- takes (2), gives (id TEXT, workspace_id INTEGER, title TEXT, kind TEXT, due_date TEXT, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id TEXT, booking_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE +workspace_id = $1 AND unit_id = $2 ORDER BY created_at, id

-- list of tasks by 'from', one
-- takes (2), gives (id TEXT, workspace_id INTEGER, title TEXT, kind TEXT, due_date TEXT, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id TEXT, booking_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE workspace_id = $1 AND due_date >= $2 ORDER BY created_at, id

-- list of tasks by 'to', one
-- takes (2), gives (id TEXT, workspace_id INTEGER, title TEXT, kind TEXT, due_date TEXT, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id TEXT, booking_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE workspace_id = $1 AND due_date <= $2 ORDER BY created_at, id

-- list of tasks by 'all of these', one
-- takes (4), gives (id TEXT, workspace_id INTEGER, title TEXT, kind TEXT, due_date TEXT, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id TEXT, booking_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE +workspace_id = $1 AND unit_id = $2 AND +due_date >= $3 AND +due_date <= $4 ORDER BY created_at, id

-- list of users by '', one
-- takes (1), gives (id TEXT, email TEXT, name TEXT, nickname TEXT, status TEXT, joined_at TEXT, created_at TEXT, updated_at TEXT, role_bindings NULL, teams NULL)
SELECT id, email, name, nickname, status, joined_at, created_at, updated_at, (SELECT json_group_array(json_object('workspace_id', r.workspace_id, 'roles', json(r.roles)) ORDER BY r.workspace_id) FROM role_binding r WHERE r.account_id = account.id) AS role_bindings, (SELECT json_group_array(t.team_id ORDER BY t.team_id) FROM team_member t WHERE t.account_id = account.id) AS teams FROM account WHERE id IN (SELECT b.account_id FROM role_binding b WHERE b.workspace_id = $1) ORDER BY created_at, id

-- list of users by 'status', one
-- takes (1), gives (id TEXT, email TEXT, name TEXT, nickname TEXT, status TEXT, joined_at TEXT, created_at TEXT, updated_at TEXT, role_bindings NULL, teams NULL)
SELECT id, email, name, nickname, status, joined_at, created_at, updated_at, (SELECT json_group_array(json_object('workspace_id', r.workspace_id, 'roles', json(r.roles)) ORDER BY r.workspace_id) FROM role_binding r WHERE r.account_id = account.id) AS role_bindings, (SELECT json_group_array(t.team_id ORDER BY t.team_id) FROM team_member t WHERE t.account_id = account.id) AS teams FROM account WHERE id IN (SELECT b.account_id FROM role_binding b WHERE b.workspace_id = $1) AND status = 'SUSPENDED' ORDER BY created_at, id

-- list of webhooks by '', one
-- takes (1), gives (id TEXT, workspace_id INTEGER, url TEXT, events TEXT, secret BLOB, old_secret BLOB, old_secret_until TEXT, disabled TEXT, disabled_at TEXT, failures INTEGER, failing_since TEXT, failed_at TEXT, succeeded_at TEXT, from_position INTEGER, created_at TEXT, updated_at TEXT, backlog NULL)
SELECT id, workspace_id, url, events, secret, old_secret, old_secret_until, disabled, disabled_at, failures, failing_since, failed_at, succeeded_at, from_position, created_at, updated_at, (SELECT COUNT(*) FROM webhook_delivery d WHERE d.endpoint_id = webhook_endpoint.id AND d.state = 'pending') AS backlog FROM webhook_endpoint WHERE workspace_id = $1 ORDER BY workspace_id, created_at, id

-- look-up in conversation, one
-- takes (2), gives (id TEXT, workspace_id INTEGER, booking_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, booking_id, created_at, updated_at FROM conversation WHERE +workspace_id = $1 AND booking_id IN (SELECT value FROM json_each($2)) ORDER BY created_at, id

-- look-up in message, one
-- takes (2), gives (id TEXT, conversation_id TEXT, body TEXT, content_type TEXT, source TEXT, sent_at TEXT, created_at TEXT, updated_at TEXT)
SELECT id, conversation_id, body, content_type, source, sent_at, created_at, updated_at FROM message WHERE EXISTS (SELECT 1 FROM conversation c WHERE c.id = message.conversation_id AND c.workspace_id = $1) AND id IN (SELECT value FROM json_each($2)) ORDER BY sent_at, id

-- look-up in rate_plan, one
-- takes (2), gives (id TEXT, workspace_id INTEGER, unit_id TEXT, name TEXT, currency TEXT, min_stay INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, unit_id, name, currency, min_stay, created_at, updated_at FROM rate_plan WHERE +workspace_id = $1 AND unit_id IN (SELECT value FROM json_each($2)) ORDER BY created_at, id

-- look-up in tariff, one
-- takes (2), gives (id TEXT, rate_plan_id TEXT, start_date TEXT, end_date TEXT, price TEXT, min_stay INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, rate_plan_id, start_date, end_date, price, min_stay, created_at, updated_at FROM tariff WHERE EXISTS (SELECT 1 FROM rate_plan p WHERE p.id = tariff.rate_plan_id AND p.workspace_id = $1) AND id IN (SELECT value FROM json_each($2)) ORDER BY rate_plan_id, start_date

-- look-up in media_item, one
-- takes (2), gives (id TEXT, url TEXT)
SELECT id, url FROM media_item WHERE EXISTS (SELECT 1 FROM unit u WHERE u.id = media_item.unit_id AND u.workspace_id = $1) AND id IN (SELECT value FROM json_each($2)) ORDER BY unit_id, position

-- look-up in account, one
-- takes (2), gives (id TEXT, email TEXT, name TEXT, nickname TEXT, status TEXT, joined_at TEXT, created_at TEXT, updated_at TEXT, role_bindings NULL, teams NULL)
SELECT id, email, name, nickname, status, joined_at, created_at, updated_at, (SELECT json_group_array(json_object('workspace_id', r.workspace_id, 'roles', json(r.roles)) ORDER BY r.workspace_id) FROM role_binding r WHERE r.account_id = account.id) AS role_bindings, (SELECT json_group_array(t.team_id ORDER BY t.team_id) FROM team_member t WHERE t.account_id = account.id) AS teams FROM account WHERE +id IN (SELECT b.account_id FROM role_binding b WHERE b.workspace_id = $1) AND id IN (SELECT value FROM json_each($2)) ORDER BY created_at, id

-- look-up in team, one
-- takes (2), gives (id TEXT, name TEXT, created_at TEXT, updated_at TEXT)
SELECT id, name, created_at, updated_at FROM team WHERE EXISTS (SELECT 1 FROM team_member m JOIN role_binding b ON b.account_id = m.account_id WHERE m.team_id = team.id AND b.workspace_id = $1) AND id IN (SELECT value FROM json_each($2)) ORDER BY created_at, id

-- look-up in booking_document, one
-- takes (2), gives (document_id TEXT, workspace_id INTEGER, booking_id TEXT, document_type TEXT, status TEXT, number TEXT, issue_date TEXT, currency TEXT, payable TEXT, issuing_started_at TEXT, issued_at TEXT, rejected_by_tax_authority_at TEXT, rejected_by_tax_authority_reason TEXT, version INTEGER, created_at TEXT, updated_at TEXT)
SELECT document_id, workspace_id, booking_id, document_type, status, number, issue_date, currency, payable, issuing_started_at, issued_at, rejected_by_tax_authority_at, rejected_by_tax_authority_reason, version, created_at, updated_at FROM booking_document WHERE +workspace_id = $1 AND document_id IN (SELECT value FROM json_each($2)) ORDER BY created_at, document_id

-- look-up in conversation, one
-- takes (2), gives (id TEXT, workspace_id INTEGER, booking_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, booking_id, created_at, updated_at FROM conversation WHERE +workspace_id = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY created_at, id

-- look-up in product, one
-- takes (2), gives (id TEXT, workspace_id INTEGER, product_group_id TEXT, name TEXT, created_at TEXT, updated_at TEXT, units NULL)
SELECT id, workspace_id, product_group_id, name, created_at, updated_at, (SELECT json_group_array(s.unit_id ORDER BY s.unit_id) FROM product_unit s WHERE s.product_id = product.id) AS units FROM product WHERE +workspace_id = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY created_at, id

-- look-up in rate_plan, one
-- takes (2), gives (id TEXT, workspace_id INTEGER, unit_id TEXT, name TEXT, currency TEXT, min_stay INTEGER, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, unit_id, name, currency, min_stay, created_at, updated_at FROM rate_plan WHERE +workspace_id = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY created_at, id

-- look-up in building, one
-- takes (2), gives (id TEXT, workspace_id INTEGER, name TEXT, address TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, name, address, created_at, updated_at FROM building WHERE +workspace_id = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY created_at, id

-- look-up in unit_type, one
-- takes (2), gives (id TEXT, workspace_id INTEGER, building_id TEXT, code TEXT, name TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, building_id, code, name, created_at, updated_at FROM unit_type WHERE +workspace_id = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY created_at, id

-- look-up in submission, one
-- takes (2), gives (document_id TEXT, workspace_id INTEGER, stage TEXT, number TEXT, entry_id TEXT, entry_renewed INTEGER, entry_digest TEXT, check_earlier_attempts INTEGER, job_id TEXT, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INTEGER, last_error TEXT, held_until TEXT, stamps TEXT, job_taken_at TEXT, version INTEGER, actor TEXT, created_at TEXT, updated_at TEXT)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE +workspace_id = $1 AND document_id IN (SELECT value FROM json_each($2)) ORDER BY (alert_code IS NULL), updated_at DESC, document_id

-- look-up in task, one
-- takes (2), gives (id TEXT, workspace_id INTEGER, title TEXT, kind TEXT, due_date TEXT, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id TEXT, booking_id TEXT, created_at TEXT, updated_at TEXT)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE +workspace_id = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY created_at, id

-- look-up in product, one
-- takes (2), gives (id TEXT, workspace_id INTEGER, product_group_id TEXT, name TEXT, created_at TEXT, updated_at TEXT, units NULL)
SELECT id, workspace_id, product_group_id, name, created_at, updated_at, (SELECT json_group_array(s.unit_id ORDER BY s.unit_id) FROM product_unit s WHERE s.product_id = product.id) AS units FROM product WHERE +workspace_id = $1 AND product_group_id IN (SELECT value FROM json_each($2)) ORDER BY created_at, id
