-- Every statement that the previous release sends to Postgres; written by a test (GATEWAY_KEEP_STATEMENTS=1).
-- The newest migration: 10

-- attempts::START
-- takes (UUID, UUID, TEXT, UUID, TEXT, TEXT, TEXT, TIMESTAMPTZ), gives ()
INSERT INTO submission_attempt (job_id, document_id, ordinal, number, entry_id, plugin_key, plugin_version, plugin_digest, started_at, faults) VALUES ($1, $2, (SELECT COALESCE(MAX(ordinal), 0) + 1 FROM submission_attempt WHERE document_id = $2), $3, $4, $5, $6, $7, $8, '[]')

-- attempts::SET_ENTRY_DIGEST
-- takes (UUID, TEXT), gives ()
UPDATE submission_attempt SET entry_digest = $2 WHERE job_id = $1

-- attempts::MOVE
-- takes (UUID, UUID), gives ()
UPDATE submission_attempt SET entry_id = $2 WHERE job_id = $1

-- attempts::END
-- takes (UUID, TIMESTAMPTZ, TEXT, TEXT, TEXT), gives ()
UPDATE submission_attempt SET ended_at = $2, outcome = $3, faults = $4, authority_record = $5 WHERE job_id = $1 AND ended_at IS NULL

-- attempts::UNWATCHED
-- takes (TIMESTAMPTZ, TEXT, INT8), gives (document_id UUID)
SELECT a.document_id FROM submission_attempt a JOIN submission s ON s.document_id = a.document_id
        WHERE a.authority_record IS NULL AND a.ended_at IS NOT NULL AND a.ended_at > $1
            AND (a.outcome = 'superseded' OR (a.outcome = 'failed' AND s.stage IN ('accepted', 'rejected', 'superseded', 'withdrawn')))
            AND NOT EXISTS (SELECT 1 FROM job j WHERE j.kind = $2 AND j.subject = a.document_id::text)
        ORDER BY a.ended_at LIMIT $3

-- attempts::RECORD
-- takes (UUID, TEXT, TEXT), gives ()
UPDATE submission_attempt SET authority_record = $2, acceptance = $3 WHERE job_id = $1

-- attempts::OF_DOCUMENT
-- takes (UUID), gives (job_id UUID, number TEXT, entry_id UUID, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, started_at TIMESTAMPTZ, ended_at TIMESTAMPTZ, outcome TEXT, faults TEXT, authority_record TEXT, acceptance TEXT, entry_digest TEXT)
SELECT job_id, number, entry_id, plugin_key, plugin_version, plugin_digest, started_at, ended_at, outcome, faults, authority_record, acceptance, entry_digest FROM submission_attempt WHERE document_id = $1 ORDER BY ordinal

-- audit::APPEND
-- takes (UUID, TIMESTAMPTZ, TEXT, TEXT, TEXT, TEXT), gives ()
INSERT INTO audit (id, at, actor, action, subject, data) VALUES ($1, $2, $3, $4, $5, $6)

-- audit::NEWEST
-- takes (INT8), gives (id UUID, at TIMESTAMPTZ, actor TEXT, action TEXT, subject TEXT, data TEXT)
SELECT id, at, actor, action, subject, data FROM audit ORDER BY at DESC, id DESC LIMIT $1

-- audit::BEFORE
-- takes (TIMESTAMPTZ, UUID, INT8), gives (id UUID, at TIMESTAMPTZ, actor TEXT, action TEXT, subject TEXT, data TEXT)
SELECT id, at, actor, action, subject, data FROM audit
        WHERE (at, id) < ($1, $2) ORDER BY at DESC, id DESC LIMIT $3

-- booking_documents::KEEP
-- takes (UUID, INT8, UUID, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TIMESTAMPTZ, TIMESTAMPTZ, TIMESTAMPTZ, TEXT, INT8, TIMESTAMPTZ, TIMESTAMPTZ), gives ()
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
-- takes (UUID, UUID), gives ()
DELETE FROM booking_document WHERE ($1::uuid IS NULL OR document_id > $1) AND ($2::uuid IS NULL OR document_id <= $2)

-- clients::INSERT
-- takes (UUID, TEXT, TEXT, TEXT, TIMESTAMPTZ), gives ()
INSERT INTO client (id, name, permissions, workspaces, created_at) VALUES ($1, $2, $3, $4, $5)

-- clients::FIND
-- takes (UUID), gives (id UUID, name TEXT, permissions TEXT, workspaces TEXT, disabled_at TIMESTAMPTZ)
SELECT id, name, permissions, workspaces, disabled_at FROM client WHERE id = $1

-- clients::LIST
-- takes (), gives (id UUID, name TEXT, permissions TEXT, workspaces TEXT, disabled_at TIMESTAMPTZ)
SELECT id, name, permissions, workspaces, disabled_at FROM client ORDER BY created_at, id

-- clients::DISABLE
-- takes (UUID, TIMESTAMPTZ), gives ()
UPDATE client SET disabled_at = COALESCE(disabled_at, $2) WHERE id = $1

-- clients::HOLD
-- takes (UUID), gives (id UUID)
SELECT id FROM client WHERE id = $1 FOR NO KEY UPDATE

-- clients::ADD_SECRET
-- takes (UUID, UUID, TEXT, BYTEA, TIMESTAMPTZ), gives ()
INSERT INTO client_secret (id, client_id, key_id, hash, created_at) VALUES ($1, $2, $3, $4, $5)

-- clients::REVOKE_OLD
-- takes (UUID, TIMESTAMPTZ, INT8), gives ()
UPDATE client_secret SET revoked_at = $2
        WHERE client_id = $1 AND revoked_at IS NULL AND id NOT IN (
            SELECT id FROM client_secret WHERE client_id = $1 AND revoked_at IS NULL
            ORDER BY created_at DESC, id DESC LIMIT $3)

-- clients::SECRETS
-- takes (UUID), gives (key_id TEXT, hash BYTEA)
SELECT key_id, hash FROM client_secret WHERE client_id = $1 AND revoked_at IS NULL
        ORDER BY created_at DESC, id DESC LIMIT 8

-- clients::REHASH
-- takes (UUID, TEXT, BYTEA, TEXT, BYTEA), gives ()
UPDATE client_secret SET key_id = $4, hash = $5
        WHERE client_id = $1 AND key_id = $2 AND hash = $3 AND revoked_at IS NULL

-- db::PING
-- takes (), gives (int8 INT8)
SELECT CAST(1 AS BIGINT)

-- db::MIGRATION_TABLES
-- takes (), gives (count INT8)
SELECT COUNT(*) FROM pg_tables WHERE tablename = '_sqlx_migrations' AND schemaname = ANY (current_schemas(false))

-- db::MIGRATIONS_APPLIED
-- takes (), gives (version INT8, checksum BYTEA)
SELECT version, checksum FROM _sqlx_migrations WHERE success

-- events::APPEND
-- takes (UUID, TEXT, INT8, UUID, TEXT, TIMESTAMPTZ, TEXT, TEXT), gives (sequence INT8)
INSERT INTO event (id, source, workspace_id, subject, sequence, type, time, actor, data)
        SELECT $1, $2, $3, $4, COALESCE(MAX(sequence), 0) + 1, $5, $6, $7, $8
        FROM event WHERE source = $2 AND subject = $4
        ON CONFLICT (source, subject, sequence) DO NOTHING
        RETURNING sequence

-- events::APPEND_ALL
-- takes (TEXT, TIMESTAMPTZ, TEXT, JSON), gives ()
INSERT INTO event (id, source, workspace_id, subject, sequence, type, time, actor, data)
        SELECT pending.id, $1, pending.workspace_id, pending.subject,
            COALESCE((SELECT MAX(sequence) FROM event WHERE source = $1 AND subject = pending.subject), 0)
                + ROW_NUMBER() OVER (PARTITION BY pending.subject ORDER BY pending.place),
            pending.kind, $2, $3, pending.data
        FROM (SELECT * FROM json_to_recordset($4::json) AS given(place BIGINT, id UUID, workspace_id BIGINT, subject UUID, kind TEXT, data TEXT)) AS pending
        ORDER BY pending.place

-- events::KNOWN
-- takes (UUID), gives (ord INT8)
SELECT ord FROM event WHERE id = $1

-- events::ANY_NEW
-- takes (), gives (ord INT8)
SELECT ord FROM event WHERE position IS NULL LIMIT 1

-- events::LOCK_FEED
-- takes (), gives (position INT8)
SELECT position FROM feed WHERE name = 'events' FOR UPDATE SKIP LOCKED

-- events::STAMP
-- takes (INT8, INT8), gives ()
UPDATE event SET position = $1 + pending.place
        FROM (SELECT ord, ROW_NUMBER() OVER (ORDER BY ord) AS place FROM event
            WHERE position IS NULL ORDER BY ord LIMIT $2) AS pending
        WHERE event.ord = pending.ord

-- events::MOVE_FEED
-- takes (INT8), gives ()
UPDATE feed SET position = position + $1 WHERE name = 'events'

-- events::OF_SUBJECT
-- takes (TEXT, UUID), gives (position INT8, id UUID, source TEXT, workspace_id INT8, subject UUID, sequence INT8, type TEXT, time TIMESTAMPTZ, actor TEXT, data TEXT)
SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event WHERE source = $1 AND subject = $2 ORDER BY sequence

-- events::OF_SUBJECTS
-- takes (UUID[]), gives (position INT8, id UUID, source TEXT, workspace_id INT8, subject UUID, sequence INT8, type TEXT, time TIMESTAMPTZ, actor TEXT, data TEXT)
SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event
        WHERE source IN ('/invoicing', '/finance') AND subject = ANY ($1) ORDER BY time, ord

-- events::LAST_OF_SUBJECT
-- takes (TEXT, UUID), gives (position INT8, id UUID, source TEXT, workspace_id INT8, subject UUID, sequence INT8, type TEXT, time TIMESTAMPTZ, actor TEXT, data TEXT)
SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event
        WHERE source = $1 AND subject = $2 ORDER BY sequence DESC LIMIT 1

-- events::HEAD
-- takes (), gives (position INT8)
SELECT position FROM feed WHERE name = 'events'

-- events::NOT_RELAYED
-- takes (), gives (count INT8)
SELECT COUNT(*) FROM event WHERE position IS NULL

-- events::CONSUMED
-- takes (TEXT), gives (position INT8)
SELECT position FROM consumer WHERE name = $1

-- events::HOLD
-- takes (TEXT), gives (position INT8)
SELECT position FROM consumer WHERE name = $1 FOR UPDATE SKIP LOCKED

-- events::WAIT_FOR
-- takes (TEXT), gives (position INT8)
SELECT position FROM consumer WHERE name = $1 FOR UPDATE

-- events::ENROL
-- takes (TEXT, TIMESTAMPTZ), gives ()
INSERT INTO consumer (name, position, updated_at) VALUES ($1, 0, $2) ON CONFLICT DO NOTHING

-- events::CONSUME
-- takes (TEXT, INT8, INT8, TIMESTAMPTZ), gives ()
UPDATE consumer SET position = $3, updated_at = $4 WHERE name = $1 AND position = $2

-- events::SUBJECTS
-- takes (UUID, INT8), gives (subject UUID)
SELECT subject FROM (SELECT subject FROM event
                WHERE source = '/invoicing' AND sequence = 1 AND ($1::uuid IS NULL OR subject > $1) ORDER BY subject LIMIT $2) AS there
            UNION SELECT subject FROM (SELECT subject FROM event
                WHERE source = '/finance' AND sequence = 1 AND ($1::uuid IS NULL OR subject > $1) ORDER BY subject LIMIT $2) AS here
            ORDER BY subject LIMIT $2

-- events::OF_RANGE
-- takes (UUID, UUID, INT8), gives (position INT8, id UUID, source TEXT, workspace_id INT8, subject UUID, sequence INT8, type TEXT, time TIMESTAMPTZ, actor TEXT, data TEXT)
SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event
        WHERE source IN ('/invoicing', '/finance')
            AND ($1::uuid IS NULL OR subject > $1) AND ($2::uuid IS NULL OR subject <= $2)
            AND position <= $3 ORDER BY position

-- export::PAGE
-- takes (INT8, TEXT, TEXT, TEXT, UUID, INT8), gives (id UUID, workspace_id INT8, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority BOOL, issuing_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, acceptance TEXT, rejected_at TIMESTAMPTZ, rejection_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE workspace_id = $1 AND status = 'issued' AND issue_date >= $2 AND issue_date <= $3 AND (issue_date, id) > ($4, $5) ORDER BY issue_date, id LIMIT $6

-- finance_documents::KEEP
-- takes (UUID, INT8, TIMESTAMPTZ, INT8, TEXT, TIMESTAMPTZ), gives ()
INSERT INTO finance_document (document_id, workspace_id, created_at, version, data, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (document_id) DO UPDATE SET workspace_id = excluded.workspace_id, created_at = excluded.created_at,
            version = excluded.version, data = excluded.data, updated_at = excluded.updated_at
        WHERE (finance_document.created_at, finance_document.version) < (excluded.created_at, excluded.version)

-- finance_documents::FIND
-- takes (UUID), gives (workspace_id INT8, created_at TIMESTAMPTZ, version INT8, data TEXT, updated_at TIMESTAMPTZ)
SELECT workspace_id, created_at, version, data, updated_at FROM finance_document WHERE document_id = $1

-- finance_documents::NUMBERED
-- takes (INT8, INT8), gives (data TEXT)
SELECT data FROM finance_document WHERE workspace_id = $1 AND data::json ->> 'display_invoice_number' IS NOT NULL
            ORDER BY created_at DESC, document_id DESC LIMIT $2

-- finance_documents::CLEAR
-- takes (UUID, UUID), gives ()
DELETE FROM finance_document WHERE ($1::uuid IS NULL OR document_id > $1) AND ($2::uuid IS NULL OR document_id <= $2)

-- guest_verifications::FIND
-- takes (UUID), gives (source TEXT, external_id TEXT, guest TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT source, external_id, guest, created_at, updated_at FROM guest_verification WHERE booking_id = $1

-- guest_verifications::PUT
-- takes (UUID, TEXT, TEXT, TEXT, TIMESTAMPTZ), gives ()
INSERT INTO guest_verification (booking_id, source, external_id, guest, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $5)
        ON CONFLICT (booking_id) DO UPDATE SET source = excluded.source, external_id = excluded.external_id,
            guest = excluded.guest, updated_at = excluded.updated_at

-- legacy_uses::ADD
-- takes (UUID, TEXT, INT8, TIMESTAMPTZ, TIMESTAMPTZ), gives ()
INSERT INTO legacy_use (client_id, route, requests, first_at, last_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (client_id, route) DO UPDATE SET requests = legacy_use.requests + excluded.requests,
            first_at = CASE WHEN excluded.first_at < legacy_use.first_at THEN excluded.first_at ELSE legacy_use.first_at END,
            last_at = CASE WHEN excluded.last_at > legacy_use.last_at THEN excluded.last_at ELSE legacy_use.last_at END

-- legacy_uses::OF_CLIENT
-- takes (UUID), gives (route TEXT, requests INT8, first_at TIMESTAMPTZ, last_at TIMESTAMPTZ)
SELECT route, requests, first_at, last_at FROM legacy_use WHERE client_id = $1 ORDER BY route LIMIT 100

-- rate_writes::TAKE
-- takes (UUID, UUID, TIMESTAMPTZ, TIMESTAMPTZ), gives ()
INSERT INTO rate_write (client_id, unit_id, at) VALUES ($1, $2, $3)
        ON CONFLICT (client_id, unit_id) DO UPDATE SET at = excluded.at WHERE rate_write.at <= $4

-- rate_writes::LAST
-- takes (UUID, UUID), gives (at TIMESTAMPTZ)
SELECT at FROM rate_write WHERE client_id = $1 AND unit_id = $2

-- idempotency::CLAIM
-- takes (TEXT, TEXT, BYTEA, TIMESTAMPTZ), gives ()
INSERT INTO idempotency (scope, key, request_hash, created_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (scope, key) DO NOTHING

-- idempotency::FIND
-- takes (TEXT, TEXT), gives (request_hash BYTEA, status INT8, response TEXT)
SELECT request_hash, status, response FROM idempotency WHERE scope = $1 AND key = $2

-- idempotency::ANSWER
-- takes (TEXT, TEXT, INT8, TEXT), gives ()
UPDATE idempotency SET status = $3, response = $4 WHERE scope = $1 AND key = $2 AND status IS NULL

-- idempotency::RELEASE
-- takes (TEXT, TEXT), gives ()
DELETE FROM idempotency WHERE scope = $1 AND key = $2 AND status IS NULL

-- correctives::KEEP_LOCAL
-- takes (UUID, UUID), gives ()
INSERT INTO corrective (document_id, original_id) VALUES ($1, $2)

-- correctives::OF_LOCAL
-- takes (UUID), gives (document_id UUID, released_at TIMESTAMPTZ)
SELECT document_id, released_at FROM corrective WHERE original_id = $1

-- correctives::FIND_LOCAL
-- takes (UUID), gives (document_id UUID, released_at TIMESTAMPTZ)
SELECT document_id, released_at FROM corrective WHERE document_id = $1

-- correctives::RELEASE_LOCAL
-- takes (UUID, TIMESTAMPTZ), gives ()
UPDATE corrective SET released_at = $2 WHERE original_id = $1 AND released_at IS NULL

-- correctives::KEEP_REMOTE
-- takes (UUID, UUID), gives ()
INSERT INTO finance_corrective (document_id, original_id) VALUES ($1, $2)

-- correctives::OF_REMOTE
-- takes (UUID), gives (document_id UUID, released_at TIMESTAMPTZ)
SELECT document_id, released_at FROM finance_corrective WHERE original_id = $1

-- correctives::FIND_REMOTE
-- takes (UUID), gives (document_id UUID, released_at TIMESTAMPTZ)
SELECT document_id, released_at FROM finance_corrective WHERE document_id = $1

-- correctives::RELEASE_REMOTE
-- takes (UUID, TIMESTAMPTZ), gives ()
UPDATE finance_corrective SET released_at = $2 WHERE original_id = $1 AND released_at IS NULL

-- correctives::FORGET_REMOTE
-- takes (UUID), gives ()
DELETE FROM finance_corrective WHERE document_id = $1

-- credits::FORGET_REFERENCES
-- takes (UUID), gives ()
DELETE FROM invoice_reference WHERE document_id = $1

-- credits::REFER
-- takes (UUID, UUID), gives ()
INSERT INTO invoice_reference (document_id, referenced_id) VALUES ($1, $2) ON CONFLICT DO NOTHING

-- credits::CREDIT_NOTES
-- takes (UUID, INT8), gives (id UUID, status TEXT, totals TEXT)
SELECT i.id, i.status, i.totals FROM invoice_reference r JOIN invoice i ON i.id = r.document_id
        WHERE r.referenced_id = $1 AND i.workspace_id = $2 AND i.kind = 'credit_note' ORDER BY i.created_at, i.id

-- credits::REFUND
-- takes (UUID, UUID, INT8, TEXT, TEXT, TIMESTAMPTZ, TEXT, TIMESTAMPTZ), gives ()
INSERT INTO refund (id, document_id, workspace_id, amount, reference, at, actor, recorded_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)

-- credits::REFUNDS
-- takes (UUID, INT8), gives (amount TEXT, reference TEXT, at TIMESTAMPTZ, actor TEXT)
SELECT amount, reference, at, actor FROM refund WHERE document_id = $1 AND workspace_id = $2 ORDER BY recorded_at, id

-- deliveries::PUT_MESSAGES
-- takes (JSON, TIMESTAMPTZ), gives ()
INSERT INTO webhook_message (id, workspace_id, type, position, time, body, created_at)
        SELECT id, workspace_id, kind, position, time, body, $2 FROM (SELECT * FROM json_to_recordset($1::json) AS given(id UUID, workspace_id BIGINT, kind TEXT, position BIGINT, time TIMESTAMPTZ, body TEXT)) AS message
        WHERE true ON CONFLICT DO NOTHING

-- deliveries::PUT_DELIVERIES
-- takes (JSON, TIMESTAMPTZ), gives ()
INSERT INTO webhook_delivery (id, endpoint_id, message_id, state, due_at, created_at)
        SELECT id, endpoint, message, 'pending', $2, $2 FROM (SELECT * FROM json_to_recordset($1::json) AS given(id UUID, endpoint UUID, message UUID)) AS delivery
        WHERE true ON CONFLICT DO NOTHING

-- deliveries::DUE
-- takes (UUID, TIMESTAMPTZ, INT8), gives (id UUID, message_id UUID, attempts INT8, type TEXT, body TEXT)
SELECT d.id, d.message_id, d.attempts, m.type, m.body
        FROM webhook_delivery d JOIN webhook_message m ON m.id = d.message_id
        WHERE d.endpoint_id = $1 AND d.state = 'pending' AND d.due_at <= $2
        ORDER BY d.due_at, m.position, d.id LIMIT $3

-- deliveries::SETTLE
-- takes (JSON), gives (id UUID)
UPDATE webhook_delivery SET state = result.state, attempts = result.attempts,
            due_at = COALESCE(result.due_at, webhook_delivery.due_at), done_at = result.done_at
        FROM (SELECT * FROM json_to_recordset($1::json) AS given(id UUID, state TEXT, attempts BIGINT, due_at TIMESTAMPTZ, done_at TIMESTAMPTZ)) AS result
        WHERE webhook_delivery.id = result.id AND (webhook_delivery.state = 'pending' OR result.state = 'delivered')
        RETURNING webhook_delivery.id

-- deliveries::PUT_ATTEMPTS
-- takes (JSON), gives ()
INSERT INTO webhook_attempt (delivery_id, at, duration_ms, status, error, detail)
        SELECT id, at, duration_ms, status, error, detail FROM (SELECT * FROM json_to_recordset($1::json) AS given(id UUID, at TIMESTAMPTZ, duration_ms BIGINT, status BIGINT, error TEXT, detail TEXT)) AS attempt

-- deliveries::LOGGED
-- takes (UUID[]), gives (id UUID, endpoint_id UUID, message_id UUID, state TEXT, attempts INT8, due_at TIMESTAMPTZ, done_at TIMESTAMPTZ, created_at TIMESTAMPTZ, type TEXT, position INT8, time TIMESTAMPTZ)
SELECT d.id, d.endpoint_id, d.message_id, d.state, d.attempts, d.due_at, d.done_at, d.created_at, m.type,
            m.position, m.time FROM webhook_delivery d JOIN webhook_message m ON m.id = d.message_id
        WHERE d.id = ANY ($1) ORDER BY d.created_at DESC, d.id DESC

-- deliveries::OF_ENDPOINT
-- takes (UUID, UUID), gives (id UUID)
SELECT id FROM webhook_delivery WHERE endpoint_id = $1 AND id = $2

-- deliveries::ATTEMPTS
-- takes (UUID[]), gives (delivery_id UUID, at TIMESTAMPTZ, duration_ms INT8, status INT8, error TEXT, detail TEXT)
SELECT delivery_id, at, duration_ms, status, error, detail FROM webhook_attempt
        WHERE delivery_id = ANY ($1) ORDER BY ord

-- deliveries::REPLAY
-- takes (UUID, UUID, TIMESTAMPTZ), gives ()
UPDATE webhook_delivery SET state = 'pending', attempts = 0, due_at = $3, done_at = NULL
        WHERE endpoint_id = $1 AND id = $2

-- deliveries::IN_RANGE
-- takes (UUID, INT8, TIMESTAMPTZ, TIMESTAMPTZ, BOOL, JSON, INT8), gives (id UUID, delivery UUID)
SELECT m.id, d.id AS delivery FROM webhook_message m
            LEFT JOIN webhook_delivery d ON d.message_id = m.id AND d.endpoint_id = $1
        WHERE m.workspace_id = $2 AND m.time >= $3 AND m.time <= $4 AND m.position IS NOT NULL
            AND ($5 OR m.type IN (SELECT value FROM json_array_elements_text($6::json) AS value))
        ORDER BY m.time, m.position LIMIT $7

-- deliveries::REPLAY_ALL
-- takes (UUID[], TIMESTAMPTZ), gives ()
UPDATE webhook_delivery SET state = 'pending', attempts = 0, due_at = $2, done_at = NULL
        WHERE id = ANY ($1)

-- deliveries::RECALL
-- takes (TIMESTAMPTZ, TIMESTAMPTZ), gives ()
UPDATE webhook_delivery SET due_at = $2 WHERE state = 'pending' AND due_at > $1

-- deliveries::PRUNE
-- takes (TIMESTAMPTZ, INT8), gives ()
DELETE FROM webhook_message
        WHERE id IN (SELECT id FROM webhook_message WHERE created_at < $1 ORDER BY created_at LIMIT $2)

-- deliveries::ANY_OLD
-- takes (TIMESTAMPTZ), gives (id UUID)
SELECT id FROM webhook_message WHERE created_at < $1 LIMIT 1

-- deliveries::BACKLOG
-- takes (), gives (backlog INT8, oldest TIMESTAMPTZ)
SELECT COUNT(*) AS backlog, MIN(d.due_at) AS oldest FROM webhook_delivery d
        JOIN webhook_endpoint e ON e.id = d.endpoint_id WHERE d.state = 'pending' AND e.disabled IS NULL

-- destination::HOLD
-- takes (), gives ()
LOCK TABLE destination IN SHARE ROW EXCLUSIVE MODE

-- destination::READ
-- takes (), gives (goes_to TEXT)
SELECT goes_to FROM destination WHERE id = 1

-- destination::WRITE
-- takes (TEXT), gives ()
INSERT INTO destination (id, goes_to) VALUES (1, $1) ON CONFLICT (id) DO UPDATE
        SET goes_to = excluded.goes_to WHERE excluded.goes_to = 'provider'

-- destination::WAITING
-- takes (), gives (document_id UUID)
SELECT document_id FROM submission WHERE stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn') LIMIT 1

-- destination::CONFIGURED
-- takes (), gives (workspace_id INT8)
SELECT workspace_id FROM e_invoicing LIMIT 1

-- intents::BEGIN
-- takes (UUID, UUID, INT8, TEXT, TEXT, TIMESTAMPTZ), gives ()
INSERT INTO finance_intent (document_id, id, workspace_id, body, actor, retries, created_at)
        VALUES ($1, $2, $3, $4, $5, 0, $6) ON CONFLICT (document_id) DO NOTHING

-- intents::FIND
-- takes (UUID), gives (id UUID, workspace_id INT8, body TEXT, actor TEXT, retries INT8, created_at TIMESTAMPTZ)
SELECT id, workspace_id, body, actor, retries, created_at FROM finance_intent WHERE document_id = $1

-- intents::DESCRIBE
-- takes (UUID, TEXT), gives ()
UPDATE finance_intent SET body = $2 WHERE id = $1

-- intents::RETRIED
-- takes (UUID), gives ()
UPDATE finance_intent SET retries = retries + 1 WHERE id = $1

-- intents::END
-- takes (UUID), gives ()
DELETE FROM finance_intent WHERE id = $1

-- intents::KEEP_NOTE
-- takes (UUID, UUID, INT8, TIMESTAMPTZ), gives ()
INSERT INTO finance_credit_note (original_id, note_id, workspace_id, created_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT DO NOTHING

-- intents::FORGET_NOTE
-- takes (UUID), gives ()
DELETE FROM finance_credit_note WHERE note_id = $1

-- intents::NOTES
-- takes (UUID, INT8), gives (note_id UUID)
SELECT note_id FROM finance_credit_note WHERE original_id = $1 AND workspace_id = $2 ORDER BY created_at, note_id

-- intents::FEED_READ
-- takes (TEXT), gives (cursor TEXT)
SELECT cursor FROM finance_feed WHERE service = $1

-- intents::FEED_BEGIN
-- takes (TEXT, TEXT, TIMESTAMPTZ), gives ()
INSERT INTO finance_feed (service, cursor, updated_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING

-- intents::FEED_MOVE
-- takes (TEXT, TEXT, TEXT, TIMESTAMPTZ), gives ()
UPDATE finance_feed SET cursor = $3, updated_at = $4 WHERE service = $1 AND cursor = $2

-- invoices::FIND
-- takes (UUID), gives (id UUID, workspace_id INT8, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority BOOL, issuing_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, acceptance TEXT, rejected_at TIMESTAMPTZ, rejection_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE id = $1

-- invoices::LOCK
-- takes (UUID), gives (id UUID, workspace_id INT8, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority BOOL, issuing_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, acceptance TEXT, rejected_at TIMESTAMPTZ, rejection_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE id = $1 FOR UPDATE

-- invoices::INSERT
-- takes (UUID, INT8, TEXT, TEXT, TEXT, TEXT, TEXT, BOOL, TIMESTAMPTZ, TIMESTAMPTZ, TEXT, TIMESTAMPTZ, TEXT, UUID, TEXT, INT8, TIMESTAMPTZ, TIMESTAMPTZ), gives ()
INSERT INTO invoice (id, workspace_id, kind, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, booking_id, issue_date, version, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) ON CONFLICT DO NOTHING

-- invoices::UPDATE
-- takes (UUID, INT8, TEXT, TEXT, TEXT, TEXT, TEXT, BOOL, TIMESTAMPTZ, TIMESTAMPTZ, TEXT, TIMESTAMPTZ, TEXT, UUID, TEXT, INT8, TIMESTAMPTZ), gives ()
UPDATE invoice SET kind = $3, status = $4, content = $5, totals = $6, number = $7, send_to_tax_authority = $8, issuing_at = $9, issued_at = $10, acceptance = $11, rejected_at = $12, rejection_reason = $13, booking_id = $14, issue_date = $15, version = $16, updated_at = $17 WHERE id = $1 AND version = $2

-- invoices::DELETE
-- takes (UUID, INT8), gives ()
DELETE FROM invoice WHERE id = $1 AND version = $2 AND status = 'draft'

-- invoices::NUMBERED
-- takes (INT8, INT8), gives (id UUID, workspace_id INT8, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority BOOL, issuing_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, acceptance TEXT, rejected_at TIMESTAMPTZ, rejection_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE workspace_id = $1 AND number IS NOT NULL AND kind IN ('invoice', 'credit_note') ORDER BY created_at DESC, id DESC LIMIT $2

-- invoices::COUNT_BY_STATUS
-- takes (), gives (workspace_id INT8, status TEXT, documents INT8, issuing_since TIMESTAMPTZ)
SELECT workspace_id, status, COUNT(*) AS documents, MIN(issuing_since) AS issuing_since FROM kept_document GROUP BY workspace_id, status

-- issue_times::KEEP
-- takes (UUID, TIMESTAMPTZ), gives ()
UPDATE submission SET issue_at = $2 WHERE document_id = $1

-- issue_times::FIND
-- takes (UUID), gives (issue_at TIMESTAMPTZ)
SELECT issue_at FROM submission WHERE document_id = $1

-- jobs::ENQUEUE
-- takes (UUID, TEXT, TEXT, TIMESTAMPTZ), gives ()
INSERT INTO job (id, kind, subject, run_at, attempts, wakeups) VALUES ($1, $2, $3, $4, 0, 0)
        ON CONFLICT (kind, subject) DO UPDATE SET wakeups = job.wakeups + 1,
            run_at = CASE WHEN excluded.run_at < job.run_at THEN excluded.run_at ELSE job.run_at END

-- jobs::WAKE
-- takes (TEXT, TEXT, TIMESTAMPTZ), gives ()
UPDATE job SET wakeups = wakeups + 1, run_at = CASE WHEN run_at > $3 THEN $3 ELSE run_at END
        WHERE kind = $1 AND subject = $2

-- jobs::ANY_DUE
-- takes (TIMESTAMPTZ, JSON), gives (id UUID)
SELECT id FROM job WHERE run_at <= $1 AND (lease_until IS NULL OR lease_until <= clock_timestamp()
                OR lease_until > clock_timestamp() + '+15 minutes'::text::interval)
            AND kind IN (SELECT value FROM json_array_elements_text($2::json) AS value) LIMIT 1

-- jobs::CLAIM
-- takes (TIMESTAMPTZ, INT8, TEXT, TEXT, JSON), gives (id UUID, kind TEXT, subject TEXT, attempts INT8, wakeups INT8)
WITH due AS MATERIALIZED (
            SELECT id FROM job WHERE run_at <= $1 AND (lease_until IS NULL OR lease_until <= clock_timestamp()
                OR lease_until > clock_timestamp() + interval '15 minutes')
                AND kind IN (SELECT value FROM json_array_elements_text($5::json) AS value)
            ORDER BY run_at, id LIMIT $2 FOR UPDATE SKIP LOCKED)
        UPDATE job SET lease_owner = $3, lease_until = clock_timestamp() + $4::text::interval, attempts = attempts + 1
        FROM due WHERE job.id = due.id
        RETURNING job.id, kind, subject, attempts, wakeups

-- jobs::EXTEND_ALL
-- takes (TEXT, TEXT), gives ()
UPDATE job SET lease_until = clock_timestamp() + $2::text::interval WHERE lease_owner = $1

-- jobs::RELEASE_ALL
-- takes (TEXT), gives ()
UPDATE job SET lease_owner = NULL, lease_until = NULL WHERE lease_owner = $1

-- jobs::COMPLETE
-- takes (UUID, TEXT, INT8, INT8), gives ()
DELETE FROM job WHERE id = $1 AND lease_owner = $2 AND attempts = $3 AND wakeups = $4

-- jobs::POSTPONE
-- takes (UUID, TEXT, INT8, INT8, TIMESTAMPTZ, TIMESTAMPTZ), gives ()
UPDATE job SET lease_owner = NULL, lease_until = NULL,
            run_at = CASE WHEN wakeups = $4 THEN $5::timestamptz ELSE $6::timestamptz END
        WHERE id = $1 AND lease_owner = $2 AND attempts = $3

-- jobs::UNKNOWN
-- takes (JSON), gives (kind TEXT, count INT8)
SELECT kind, COUNT(*) FROM job
            WHERE kind NOT IN (SELECT value FROM json_array_elements_text($1::json) AS value) GROUP BY kind ORDER BY kind

-- jobs::ANY_BEYOND
-- takes (TIMESTAMPTZ), gives (id UUID)
SELECT id FROM job WHERE run_at > $1 LIMIT 1

-- jobs::RECALL
-- takes (TIMESTAMPTZ, TIMESTAMPTZ), gives ()
UPDATE job SET run_at = $2 WHERE run_at > $1

-- jobs::REMOVE
-- takes (TEXT, TEXT), gives ()
DELETE FROM job WHERE kind = $1 AND subject = $2

-- jobs::FIND
-- takes (TEXT, TEXT), gives (run_at TIMESTAMPTZ)
SELECT run_at FROM job WHERE kind = $1 AND subject = $2

-- jobs::COUNT
-- takes (), gives (count INT8)
SELECT COUNT(*) FROM job

-- jobs::FREE_ALL
-- takes (), gives ()
UPDATE job SET lease_owner = NULL, lease_until = NULL WHERE lease_owner IS NOT NULL

-- keys::INSERT
-- takes (TEXT, BYTEA, TEXT, TIMESTAMPTZ, TIMESTAMPTZ), gives ()
INSERT INTO signing_key (kid, sealed, jwk, created_at, signs_from) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT DO NOTHING

-- keys::PUBLISHED
-- takes (TIMESTAMPTZ), gives (kid TEXT, sealed BYTEA, jwk TEXT, signs_from TIMESTAMPTZ)
SELECT kid, sealed, jwk, COALESCE(signs_from, created_at) AS signs_from FROM signing_key
        WHERE expires_at IS NULL OR expires_at > $1 ORDER BY 4 DESC, created_at DESC, kid

-- keys::RETIRE
-- takes (TIMESTAMPTZ, TIMESTAMPTZ), gives ()
UPDATE signing_key SET retired_at = $1, expires_at = $2 WHERE retired_at IS NULL

-- keys::SEALING_KEYS
-- takes (), gives (head BYTEA)
SELECT substr(token, 2, 8) AS head FROM e_invoicing
        UNION SELECT substr(webhook_token, 2, 8) FROM e_invoicing WHERE webhook_token IS NOT NULL
        UNION SELECT substr(sealed, 2, 8) FROM signing_key
        UNION SELECT substr(secret, 2, 8) FROM webhook_endpoint
        UNION SELECT substr(old_secret, 2, 8) FROM webhook_endpoint WHERE old_secret IS NOT NULL

-- keys::HASHING_KEYS
-- takes (), gives (key_id TEXT)
SELECT DISTINCT s.key_id FROM client_secret s JOIN client c ON c.id = s.client_id
        WHERE s.revoked_at IS NULL AND c.disabled_at IS NULL

-- keys::SEALING_USES
-- takes (), gives (kind TEXT, head BYTEA, uses INT8)
SELECT 'provider' AS kind, substr(token, 2, 8) AS head, COUNT(*) AS uses FROM e_invoicing GROUP BY 2
        UNION ALL SELECT 'webhook', substr(webhook_token, 2, 8), COUNT(*) FROM e_invoicing
            WHERE webhook_token IS NOT NULL GROUP BY 2
        UNION ALL SELECT 'signing', substr(sealed, 2, 8), COUNT(*) FROM signing_key GROUP BY 2
        UNION ALL SELECT 'customer', substr(secret, 2, 8), COUNT(*) FROM webhook_endpoint GROUP BY 2
        UNION ALL SELECT 'customer', substr(old_secret, 2, 8), COUNT(*) FROM webhook_endpoint
            WHERE old_secret IS NOT NULL GROUP BY 2

-- keys::SEALED_UNDER
-- takes (BYTEA, INT8, INT8), gives (kind TEXT, owner TEXT, sealed BYTEA)
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
-- takes (TEXT), gives (client_id UUID)
SELECT DISTINCT s.client_id FROM client_secret s JOIN client c ON c.id = s.client_id
        WHERE s.key_id = $1 AND s.revoked_at IS NULL AND c.disabled_at IS NULL ORDER BY s.client_id

-- keys::MOVE_PROVIDER
-- takes (INT8, BYTEA, BYTEA), gives ()
UPDATE e_invoicing SET token = $3 WHERE workspace_id = $1 AND token = $2

-- keys::MOVE_WEBHOOK
-- takes (INT8, BYTEA, BYTEA, BYTEA), gives ()
UPDATE e_invoicing SET webhook_token = $3, webhook_token_hash = $4
        WHERE workspace_id = $1 AND webhook_token = $2

-- keys::MOVE_CUSTOMER
-- takes (UUID, BYTEA, BYTEA), gives ()
UPDATE webhook_endpoint SET secret = CASE WHEN secret = $2 THEN $3 ELSE secret END,
            old_secret = CASE WHEN old_secret = $2 THEN $3 ELSE old_secret END
        WHERE id = $1 AND (secret = $2 OR old_secret = $2)

-- keys::MOVE_SIGNING
-- takes (TEXT, BYTEA, BYTEA), gives ()
UPDATE signing_key SET sealed = $3 WHERE kid = $1 AND sealed = $2

-- leases::TAKE
-- takes (TEXT, TEXT, TEXT), gives (fence INT8)
INSERT INTO lease (name, owner, fence, held_until) VALUES ($1, $2, 1, clock_timestamp() + $3::text::interval)
        ON CONFLICT (name) DO UPDATE SET
            fence = CASE WHEN lease.owner = excluded.owner THEN lease.fence ELSE lease.fence + 1 END,
            owner = excluded.owner, held_until = excluded.held_until
        WHERE lease.owner = excluded.owner OR lease.held_until <= clock_timestamp()
            OR lease.held_until > clock_timestamp() + '+15 minutes'::text::interval
        RETURNING fence

-- leases::HOLD
-- takes (TEXT, TEXT, INT8, TEXT), gives ()
UPDATE lease SET held_until = clock_timestamp() + $4::text::interval
        WHERE name = $1 AND owner = $2 AND fence = $3

-- leases::RELEASE
-- takes (TEXT, TEXT), gives ()
UPDATE lease SET held_until = clock_timestamp()
        WHERE name = $1 AND owner = $2 AND held_until > clock_timestamp()

-- messages::KEEP
-- takes (UUID, TEXT, TEXT, TIMESTAMPTZ), gives ()
INSERT INTO submission_message (job_id, media_type, body, kept_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING

-- messages::FIND
-- takes (UUID), gives (media_type TEXT, body TEXT)
SELECT media_type, body FROM submission_message WHERE job_id = $1

-- numbers::CLAIM
-- takes (TEXT, TEXT, UUID), gives ()
INSERT INTO issuer_number (issuer, number, invoice_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING

-- numbers::RECORD
-- takes (INT8, TEXT, INT8, INT8, TEXT, UUID, TIMESTAMPTZ), gives ()
INSERT INTO invoice_number (workspace_id, kind, year, no, number, invoice_id, given_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)

-- numbers::CLAIM_ALL
-- takes (TEXT, INT8), gives ()
INSERT INTO issuer_number (issuer, number, invoice_id)
        SELECT $1, number, invoice_id FROM invoice_number WHERE workspace_id = $2
        ON CONFLICT DO NOTHING

-- numbers::GIVEN
-- takes (TEXT, TEXT), gives (count INT8)
SELECT COUNT(*) FROM issuer_number WHERE issuer = $1 AND number = $2

-- numbers::PAGE
-- takes (TEXT, TEXT, TEXT, INT8), gives (number TEXT)
SELECT number FROM issuer_number WHERE issuer = $1 AND number > $2 AND number < $3 ORDER BY number LIMIT $4

-- numbers::LATER_YEAR
-- takes (INT8, TEXT, INT8), gives (no INT8)
SELECT no FROM invoice_number WHERE workspace_id = $1 AND kind = $2 AND year > $3 LIMIT 1

-- numbers::OF_WORKSPACE
-- takes (INT8, TEXT, INT8), gives (number TEXT)
SELECT number FROM invoice_number WHERE workspace_id = $1 AND number > $2 ORDER BY number LIMIT $3

-- creation_clock::NEWEST
-- takes (), gives (at TIMESTAMPTZ)
SELECT at FROM creation_clock FOR UPDATE

-- creation_clock::MOVE
-- takes (TIMESTAMPTZ), gives ()
UPDATE creation_clock SET at = $1

-- creation_clock::NEWEST_DOCUMENT
-- takes (), gives (at TIMESTAMPTZ)
SELECT at FROM document_creation_clock FOR UPDATE

-- creation_clock::MOVE_DOCUMENT
-- takes (TIMESTAMPTZ), gives ()
UPDATE document_creation_clock SET at = $1

-- plugins::GENERATION
-- takes (), gives (generation INT8)
SELECT generation FROM plugin_registry WHERE id = 1

-- plugins::NEXT_GENERATION
-- takes (), gives (generation INT8)
UPDATE plugin_registry SET generation = generation + 1 WHERE id = 1 RETURNING generation

-- plugins::PUT_ARTIFACT
-- takes (TEXT, BYTEA, INT8, TEXT, TIMESTAMPTZ, TEXT), gives ()
INSERT INTO plugin_artifact (digest, bytes, size, signature, installed_at, installed_by)
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (digest) DO NOTHING

-- plugins::SIGN
-- takes (TEXT, TEXT), gives ()
UPDATE plugin_artifact SET signature = $2 WHERE digest = $1 AND signature IS NULL

-- plugins::PUT_VERSION
-- takes (TEXT, TEXT, TEXT, TEXT), gives ()
INSERT INTO plugin_version (key, version, digest, description) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING

-- plugins::COMPONENT
-- takes (TEXT), gives (bytes BYTEA, signature TEXT)
SELECT bytes, signature FROM plugin_artifact WHERE digest = $1

-- plugins::VERSIONS
-- takes (), gives (key TEXT, version TEXT, digest TEXT, description TEXT, blocked_at TIMESTAMPTZ, blocked_reason TEXT, size INT8, signature TEXT, installed_at TIMESTAMPTZ, installed_by TEXT, was_active BOOL)
SELECT v.key, v.version, v.digest, v.description, v.blocked_at, v.blocked_reason, a.size, a.signature, a.installed_at, a.installed_by, EXISTS (SELECT 1 FROM plugin_activation p WHERE p.key = v.key AND p.version = v.version) AS was_active FROM plugin_version v JOIN plugin_artifact a ON a.digest = v.digest ORDER BY v.key, a.installed_at DESC, v.version

-- plugins::VERSIONS_OF
-- takes (TEXT), gives (key TEXT, version TEXT, digest TEXT, description TEXT, blocked_at TIMESTAMPTZ, blocked_reason TEXT, size INT8, signature TEXT, installed_at TIMESTAMPTZ, installed_by TEXT, was_active BOOL)
SELECT v.key, v.version, v.digest, v.description, v.blocked_at, v.blocked_reason, a.size, a.signature, a.installed_at, a.installed_by, EXISTS (SELECT 1 FROM plugin_activation p WHERE p.key = v.key AND p.version = v.version) AS was_active FROM plugin_version v JOIN plugin_artifact a ON a.digest = v.digest WHERE v.key = $1 ORDER BY a.installed_at DESC, v.version

-- plugins::IN_FORCE
-- takes (), gives (key TEXT, workspace_id INT8, generation INT8, version TEXT, digest TEXT, blocked BOOL)
SELECT a.key, a.workspace_id, a.generation, a.version, v.digest,
            v.blocked_at IS NOT NULL AS blocked
        FROM plugin_activation a JOIN plugin_version v ON v.key = a.key AND v.version = a.version
        WHERE NOT EXISTS (SELECT 1 FROM plugin_activation b WHERE b.key = a.key
            AND b.workspace_id = a.workspace_id AND b.generation > a.generation)
        ORDER BY a.key, a.workspace_id

-- plugins::NEWEST
-- takes (TEXT, INT8), gives (generation INT8, version TEXT, previous INT8)
SELECT generation, version, previous FROM plugin_activation WHERE key = $1 AND workspace_id = $2
        ORDER BY generation DESC LIMIT 1

-- plugins::AT
-- takes (TEXT, INT8, INT8), gives (generation INT8, version TEXT, previous INT8)
SELECT generation, version, previous FROM plugin_activation WHERE key = $1 AND workspace_id = $2 AND generation = $3

-- plugins::RECORD
-- takes (TEXT, INT8, INT8, TEXT, INT8, TIMESTAMPTZ, TEXT), gives ()
INSERT INTO plugin_activation (key, workspace_id, generation, version, previous, at, actor)
        VALUES ($1, $2, $3, $4, $5, $6, $7)

-- plugins::WORKSPACES
-- takes (TEXT, INT8), gives (workspace_id INT8)
SELECT workspace_id FROM e_invoicing WHERE regime = $1 ORDER BY updated_at DESC, workspace_id LIMIT $2

-- plugins::BLOCK
-- takes (TEXT, TEXT, TIMESTAMPTZ, TEXT), gives ()
UPDATE plugin_version SET blocked_at = $3, blocked_reason = $4 WHERE key = $1 AND version = $2 AND blocked_at IS NULL

-- plugins::UNBLOCK
-- takes (TEXT, TEXT), gives ()
UPDATE plugin_version SET blocked_at = NULL, blocked_reason = NULL WHERE key = $1 AND version = $2

-- plugins::SEEN
-- takes (UUID, TEXT, INT8, TEXT, TIMESTAMPTZ), gives ()
INSERT INTO plugin_replica (id, address, generation, problem, seen_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (id) DO UPDATE SET generation = excluded.generation, problem = excluded.problem, seen_at = excluded.seen_at

-- plugins::FORGET
-- takes (UUID, TIMESTAMPTZ), gives ()
DELETE FROM plugin_replica WHERE id = $1 OR seen_at < $2

-- plugins::REPLICAS
-- takes (TIMESTAMPTZ), gives (id UUID, address TEXT, generation INT8, problem TEXT, seen_at TIMESTAMPTZ)
SELECT id, address, generation, problem, seen_at FROM plugin_replica WHERE seen_at >= $1 ORDER BY address, id

-- product_groups::SET_STATE
-- takes (UUID[], TEXT, TIMESTAMPTZ), gives ()
UPDATE product_group SET state = $2, updated_at = $3 WHERE id = ANY ($1) AND state <> $2

-- product_groups::PUT
-- takes (UUID, INT8, TEXT, DATE, DATE, DATE, DATE, INT8, BOOL, TEXT, TEXT, TEXT, DATE, DATE, BOOL, TEXT, TEXT, TIMESTAMPTZ), gives ()
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
-- takes (UUID, INT8, UUID, TEXT, TIMESTAMPTZ), gives ()
INSERT INTO product (id, workspace_id, product_group_id, name, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $5)
        ON CONFLICT (id) DO UPDATE SET product_group_id = excluded.product_group_id, name = excluded.name,
            updated_at = excluded.updated_at

-- products::CLEAR_UNITS
-- takes (UUID), gives ()
DELETE FROM product_unit WHERE product_id = $1

-- products::ADD_UNITS
-- takes (UUID, UUID[]), gives ()
INSERT INTO product_unit (product_id, unit_id) SELECT $1, unnest($2::uuid[])

-- sandbox::ENTRY
-- takes (UUID), gives (id UUID, key TEXT, body TEXT, version INT8)
SELECT id, key, body, version FROM sandbox_entry WHERE id = $1

-- sandbox::ENTRY_BY_KEY
-- takes (TEXT), gives (id UUID, key TEXT, body TEXT, version INT8)
SELECT id, key, body, version FROM sandbox_entry WHERE key = $1

-- sandbox::INSERT_ENTRY
-- takes (UUID, TEXT, TEXT, INT8), gives ()
INSERT INTO sandbox_entry (id, key, body, version) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING

-- sandbox::UPDATE_ENTRY
-- takes (UUID, TEXT, INT8), gives ()
UPDATE sandbox_entry SET body = $2, version = $3 + 1 WHERE id = $1 AND version = $3

-- sandbox::COUNT_CALL
-- takes (UUID), gives (calls INT8)
INSERT INTO sandbox_call (entry_id, calls) VALUES ($1, 1)
        ON CONFLICT (entry_id) DO UPDATE SET calls = sandbox_call.calls + 1 RETURNING calls

-- sandbox::JOB
-- takes (UUID), gives (id UUID, key TEXT, entry_id UUID, body TEXT, run_at TIMESTAMPTZ)
SELECT id, key, entry_id, body, run_at FROM sandbox_job WHERE id = $1

-- sandbox::JOB_BY_KEY
-- takes (TEXT), gives (id UUID, key TEXT, entry_id UUID, body TEXT, run_at TIMESTAMPTZ)
SELECT id, key, entry_id, body, run_at FROM sandbox_job WHERE key = $1

-- sandbox::INSERT_JOB
-- takes (UUID, TEXT, UUID, TEXT, TIMESTAMPTZ), gives ()
INSERT INTO sandbox_job (id, key, entry_id, body, run_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT DO NOTHING

-- sandbox::OPEN_JOBS
-- takes (INT8), gives (id UUID, key TEXT, entry_id UUID, body TEXT, run_at TIMESTAMPTZ)
SELECT id, key, entry_id, body, run_at FROM sandbox_job WHERE run_at IS NOT NULL
        ORDER BY run_at, id LIMIT $1

-- sandbox::FINISH_JOB
-- takes (UUID, TEXT), gives ()
UPDATE sandbox_job SET body = $2, run_at = NULL WHERE id = $1 AND run_at IS NOT NULL

-- sandbox::POSTPONE_JOB
-- takes (UUID, TIMESTAMPTZ), gives ()
UPDATE sandbox_job SET run_at = $2 WHERE id = $1 AND run_at IS NOT NULL

-- sandbox::INSERT_DELIVERY
-- takes (UUID, TEXT, TIMESTAMPTZ), gives ()
INSERT INTO sandbox_delivery (id, body, attempts, since, due_at) VALUES ($1, $2, 0, $3, $3)

-- sandbox::OPEN_DELIVERIES
-- takes (INT8), gives (id UUID, body TEXT, attempts INT8, since TIMESTAMPTZ, due_at TIMESTAMPTZ)
SELECT id, body, attempts, since, due_at FROM sandbox_delivery ORDER BY due_at, id LIMIT $1

-- sandbox::POSTPONE_DELIVERY
-- takes (UUID, TIMESTAMPTZ), gives ()
UPDATE sandbox_delivery SET attempts = attempts + 1, due_at = $2 WHERE id = $1

-- sandbox::DELETE_DELIVERY
-- takes (UUID), gives ()
DELETE FROM sandbox_delivery WHERE id = $1

-- sandbox::RECORD
-- takes (TEXT, TEXT), gives (record TEXT)
SELECT record FROM sandbox_record WHERE regime = $1 AND record_key = $2

-- sandbox::PUT_RECORD
-- takes (TEXT, TEXT, TEXT), gives ()
INSERT INTO sandbox_record (regime, record_key, record) VALUES ($1, $2, $3)
        ON CONFLICT (regime, record_key) DO UPDATE SET record = excluded.record

-- sandbox::CHAIN
-- takes (TEXT, TEXT), gives (record TEXT, version INT8)
SELECT record, version FROM sandbox_chain WHERE regime = $1 AND chain = $2

-- sandbox::START_CHAIN
-- takes (TEXT, TEXT, TEXT), gives ()
INSERT INTO sandbox_chain (regime, chain, record, version) VALUES ($1, $2, $3, 1)
        ON CONFLICT DO NOTHING

-- sandbox::EXTEND_CHAIN
-- takes (TEXT, TEXT, TEXT, INT8), gives ()
UPDATE sandbox_chain SET record = $3, version = $4 + 1
        WHERE regime = $1 AND chain = $2 AND version = $4

-- series::RESERVE
-- takes (INT8, TEXT, INT8), gives (?column? INT8)
INSERT INTO series (workspace_id, kind, year, next_no) VALUES ($1, $2, $3, 2)
        ON CONFLICT (workspace_id, kind, year) DO UPDATE SET next_no = series.next_no + 1
        RETURNING next_no - 1

-- series::START_AT
-- takes (INT8, TEXT, INT8, INT8), gives ()
INSERT INTO series (workspace_id, kind, year, next_no) VALUES ($1, $2, $3, $4)
        ON CONFLICT (workspace_id, kind, year) DO UPDATE SET next_no = excluded.next_no
        WHERE series.next_no = 1

-- series::NEXT
-- takes (INT8, TEXT, INT8), gives (next_no INT8)
SELECT next_no FROM series WHERE workspace_id = $1 AND kind = $2 AND year = $3

-- submissions::FIND
-- takes (UUID), gives (document_id UUID, workspace_id INT8, stage TEXT, number TEXT, entry_id UUID, entry_renewed BOOL, entry_digest TEXT, check_earlier_attempts BOOL, job_id UUID, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INT8, last_error TEXT, held_until TIMESTAMPTZ, stamps TEXT, job_taken_at TIMESTAMPTZ, version INT8, actor TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE document_id = $1

-- submissions::LOCK
-- takes (UUID), gives (document_id UUID, workspace_id INT8, stage TEXT, number TEXT, entry_id UUID, entry_renewed BOOL, entry_digest TEXT, check_earlier_attempts BOOL, job_id UUID, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INT8, last_error TEXT, held_until TIMESTAMPTZ, stamps TEXT, job_taken_at TIMESTAMPTZ, version INT8, actor TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE document_id = $1 FOR UPDATE

-- submissions::BY_ENTRY
-- takes (UUID), gives (document_id UUID, workspace_id INT8)
SELECT e.document_id, s.workspace_id FROM submission_entry e JOIN submission s ON s.document_id = e.document_id WHERE e.entry_id = $1

-- submissions::INSERT
-- takes (UUID, INT8, TEXT, TEXT, UUID, BOOL, TEXT, BOOL, UUID, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, INT8, TEXT, TIMESTAMPTZ, TEXT, TIMESTAMPTZ, INT8, TEXT, TIMESTAMPTZ, TIMESTAMPTZ), gives ()
INSERT INTO submission (document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25) ON CONFLICT DO NOTHING

-- submissions::UPDATE
-- takes (UUID, INT8, TEXT, TEXT, UUID, BOOL, TEXT, BOOL, UUID, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, INT8, TEXT, TIMESTAMPTZ, TEXT, TIMESTAMPTZ, TEXT, TIMESTAMPTZ), gives ()
UPDATE submission SET stage = $3, number = $4, entry_id = $5, entry_renewed = $6, entry_digest = $7, check_earlier_attempts = $8, job_id = $9, structured = $10, plugin_key = $11, plugin_version = $12, plugin_digest = $13, settlement = $14, alert_code = $15, alert_message = $16, retries = $17, last_error = $18, held_until = $19, stamps = $20, job_taken_at = $21, version = version + 1, actor = $22, updated_at = $23 WHERE document_id = $1 AND version = $2

-- submissions::KEEP_ENTRY
-- takes (UUID, UUID, TIMESTAMPTZ), gives ()
INSERT INTO submission_entry (entry_id, document_id, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING

-- submissions::ALERTED
-- takes (INT8), gives (document_id UUID)
SELECT document_id FROM submission WHERE workspace_id = $1 AND alert_code IS NOT NULL AND stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn') ORDER BY updated_at, document_id

-- submissions::ALERTS
-- takes (), gives (alert_code TEXT, submissions INT8)
SELECT alert_code, COUNT(*) AS submissions FROM submission WHERE alert_code IS NOT NULL GROUP BY alert_code

-- watchdog::WITHOUT_SUBMISSION
-- takes (TIMESTAMPTZ, TIMESTAMPTZ, TIMESTAMPTZ, INT8, TIMESTAMPTZ), gives (id UUID, workspace_id INT8, number TEXT, issuing_at TIMESTAMPTZ, since TIMESTAMPTZ)
SELECT i.id, i.workspace_id, i.number, i.issuing_at, i.since FROM issuing_document i
        WHERE (i.since <= $1 OR i.since > $5) AND NOT EXISTS (SELECT 1 FROM submission s
            WHERE s.document_id = i.id AND s.stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn'))
        AND (i.since <= $2 OR i.since > $5 OR NOT EXISTS (SELECT 1 FROM invoice f WHERE f.id = i.id AND f.send_to_tax_authority = TRUE
            AND NOT EXISTS (SELECT 1 FROM submission s WHERE s.document_id = f.id)))
        AND NOT EXISTS (SELECT 1 FROM watchdog_alert w WHERE w.document_id = i.id AND w.since = i.since AND w.logged_at > $3 AND w.logged_at <= $5)
        ORDER BY i.since, i.id LIMIT $4

-- watchdog::FORGOTTEN
-- takes (TIMESTAMPTZ, JSON, TEXT, INT8, TIMESTAMPTZ), gives (document_id UUID)
SELECT s.document_id FROM submission s
        WHERE s.stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn') AND (s.updated_at <= $1 OR s.updated_at > $5)
            AND (s.alert_code IS NULL OR s.alert_code IN (SELECT value FROM json_array_elements_text($2::json) AS value))
            AND NOT EXISTS (SELECT 1 FROM job j WHERE j.kind = $3 AND j.subject = s.document_id::text)
        ORDER BY s.updated_at, s.document_id LIMIT $4

-- watchdog::RAISE_ALERT
-- takes (UUID, INT8, TEXT, TIMESTAMPTZ, TIMESTAMPTZ, TIMESTAMPTZ, TIMESTAMPTZ), gives ()
INSERT INTO watchdog_alert (document_id, workspace_id, code, since, logged_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (document_id) DO UPDATE SET code = excluded.code, since = excluded.since, logged_at = excluded.logged_at
        WHERE watchdog_alert.logged_at <= $6 OR watchdog_alert.logged_at > $7 OR watchdog_alert.since <> excluded.since

-- watchdog::FORGET
-- takes (), gives ()
DELETE FROM watchdog_alert WHERE NOT EXISTS (SELECT 1 FROM issuing_document i
            WHERE i.id = watchdog_alert.document_id)
        OR EXISTS (SELECT 1 FROM submission s WHERE s.document_id = watchdog_alert.document_id
            AND s.stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn'))

-- watchdog::ALERTS_BY_CODE
-- takes (), gives (code TEXT, documents INT8)
SELECT w.code, COUNT(*) AS documents FROM watchdog_alert w JOIN issuing_document i ON i.id = w.document_id
        GROUP BY w.code

-- webhooks::HOLD_WORKSPACE
-- takes (INT8), gives (id INT8)
SELECT id FROM workspace WHERE id = $1 FOR NO KEY UPDATE

-- webhooks::COUNT
-- takes (INT8), gives (count INT8)
SELECT COUNT(*) FROM webhook_endpoint WHERE workspace_id = $1

-- webhooks::INSERT
-- takes (UUID, INT8, TEXT, TEXT, BYTEA, TIMESTAMPTZ), gives ()
INSERT INTO webhook_endpoint (id, workspace_id, url, events, secret, from_position, created_at, updated_at)
        SELECT $1, $2, $3, $4, $5, position, $6, $6 FROM feed WHERE name = 'events'

-- webhooks::FIND
-- takes (UUID), gives (id UUID, workspace_id INT8, url TEXT, events TEXT, secret BYTEA, old_secret BYTEA, old_secret_until TIMESTAMPTZ, disabled TEXT, disabled_at TIMESTAMPTZ, failures INT8, failing_since TIMESTAMPTZ, failed_at TIMESTAMPTZ, succeeded_at TIMESTAMPTZ, from_position INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, url, events, secret, old_secret, old_secret_until, disabled, disabled_at, failures, failing_since, failed_at, succeeded_at, from_position, created_at, updated_at FROM webhook_endpoint WHERE id = $1

-- webhooks::PAGE
-- takes (INT8, INT8, INT8), gives (id UUID, workspace_id INT8, url TEXT, events TEXT, secret BYTEA, old_secret BYTEA, old_secret_until TIMESTAMPTZ, disabled TEXT, disabled_at TIMESTAMPTZ, failures INT8, failing_since TIMESTAMPTZ, failed_at TIMESTAMPTZ, succeeded_at TIMESTAMPTZ, from_position INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, url, events, secret, old_secret, old_secret_until, disabled, disabled_at, failures, failing_since, failed_at, succeeded_at, from_position, created_at, updated_at FROM webhook_endpoint
        WHERE workspace_id = $1 ORDER BY created_at, id LIMIT $2 OFFSET $3

-- webhooks::OF_WORKSPACES
-- takes (INT8[]), gives (id UUID, workspace_id INT8, url TEXT, events TEXT, secret BYTEA, old_secret BYTEA, old_secret_until TIMESTAMPTZ, disabled TEXT, disabled_at TIMESTAMPTZ, failures INT8, failing_since TIMESTAMPTZ, failed_at TIMESTAMPTZ, succeeded_at TIMESTAMPTZ, from_position INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, url, events, secret, old_secret, old_secret_until, disabled, disabled_at, failures, failing_since, failed_at, succeeded_at, from_position, created_at, updated_at FROM webhook_endpoint WHERE workspace_id = ANY ($1) ORDER BY id FOR NO KEY UPDATE

-- webhooks::LOCK
-- takes (UUID[]), gives (id UUID)
SELECT id FROM webhook_endpoint WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE

-- webhooks::GIVEN_UP
-- takes (INT8), gives (id UUID, workspace_id INT8, url TEXT, disabled TEXT, disabled_at TIMESTAMPTZ)
SELECT id, workspace_id, url, disabled, disabled_at FROM webhook_endpoint
        WHERE disabled IN ('failing', 'gone') ORDER BY disabled_at, id LIMIT $1

-- webhooks::SET_EVENTS
-- takes (UUID, TEXT, TIMESTAMPTZ), gives ()
UPDATE webhook_endpoint SET events = $2, updated_at = $3 WHERE id = $1

-- webhooks::SET_SECRET
-- takes (UUID, BYTEA, TIMESTAMPTZ, TIMESTAMPTZ), gives ()
UPDATE webhook_endpoint SET old_secret = secret, old_secret_until = $3, secret = $2, updated_at = $4
        WHERE id = $1

-- webhooks::DISABLE
-- takes (UUID, TEXT, TIMESTAMPTZ), gives ()
UPDATE webhook_endpoint SET disabled = $2, disabled_at = $3, updated_at = $3
        WHERE id = $1 AND disabled IS NULL

-- webhooks::ENABLE
-- takes (UUID, TIMESTAMPTZ), gives ()
UPDATE webhook_endpoint SET disabled = NULL, disabled_at = NULL, failures = 0, failing_since = NULL,
            failed_at = NULL, updated_at = $2,
            due_at = (SELECT MIN(d.due_at) FROM webhook_delivery d WHERE d.endpoint_id = $1 AND d.state = 'pending')
        WHERE id = $1 AND disabled IS NOT NULL

-- webhooks::DELETE
-- takes (UUID), gives ()
DELETE FROM webhook_endpoint WHERE id = $1

-- webhooks::WAKE
-- takes (UUID[], TIMESTAMPTZ, BOOL), gives ()
UPDATE webhook_endpoint SET due_at = $2
        WHERE id = ANY ($1) AND (due_at IS NULL OR (due_at > $2 AND (failures = 0 OR $3)))

-- webhooks::ANY_DUE
-- takes (TIMESTAMPTZ), gives (id UUID)
SELECT id FROM webhook_endpoint WHERE due_at <= $1 AND disabled IS NULL
            AND (lease_until IS NULL OR lease_until <= clock_timestamp()
                OR lease_until > clock_timestamp() + '+15 minutes'::text::interval) LIMIT 1

-- webhooks::CLAIM
-- takes (TIMESTAMPTZ, INT8, TEXT, TEXT), gives (id UUID, workspace_id INT8, url TEXT, events TEXT, secret BYTEA, old_secret BYTEA, old_secret_until TIMESTAMPTZ, disabled TEXT, disabled_at TIMESTAMPTZ, failures INT8, failing_since TIMESTAMPTZ, failed_at TIMESTAMPTZ, succeeded_at TIMESTAMPTZ, from_position INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
WITH due AS MATERIALIZED (
            SELECT id FROM webhook_endpoint WHERE due_at <= $1 AND disabled IS NULL
                AND (lease_until IS NULL OR lease_until <= clock_timestamp()
                OR lease_until > clock_timestamp() + interval '15 minutes')
            ORDER BY due_at, id LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED)
        UPDATE webhook_endpoint SET lease_owner = $3, lease_until = clock_timestamp() + $4::text::interval
        FROM due WHERE webhook_endpoint.id = due.id
        RETURNING webhook_endpoint.id, workspace_id, url, events, secret, old_secret, old_secret_until, disabled, disabled_at,
            failures, failing_since, failed_at, succeeded_at, from_position, created_at, updated_at

-- webhooks::ANY_BEYOND
-- takes (TIMESTAMPTZ), gives (id UUID)
SELECT e.id FROM webhook_endpoint e WHERE e.due_at > $1 OR EXISTS (SELECT 1 FROM webhook_delivery d
        WHERE d.endpoint_id = e.id AND d.state = 'pending' AND d.due_at > $1) LIMIT 1

-- webhooks::RECALL
-- takes (TIMESTAMPTZ, TIMESTAMPTZ), gives ()
UPDATE webhook_endpoint SET due_at = $2 WHERE due_at > $1 OR EXISTS (SELECT 1 FROM webhook_delivery d
        WHERE d.endpoint_id = webhook_endpoint.id AND d.state = 'pending' AND d.due_at > $1)

-- webhooks::EXTEND
-- takes (UUID[], TEXT, TEXT), gives ()
UPDATE webhook_endpoint SET lease_until = clock_timestamp() + $3::text::interval
        WHERE id = ANY ($1) AND lease_owner = $2

-- webhooks::FREE_ALL
-- takes (TEXT), gives ()
UPDATE webhook_endpoint SET lease_owner = NULL, lease_until = NULL
        WHERE lease_owner IS NOT NULL AND (lease_owner = $1 OR $1 IS NULL)

-- webhooks::GIVE_BACK
-- takes (UUID, TEXT, INT8, TIMESTAMPTZ, TIMESTAMPTZ, TIMESTAMPTZ, TIMESTAMPTZ), gives ()
UPDATE webhook_endpoint SET lease_owner = NULL, lease_until = NULL, failures = $3, failing_since = $4,
            failed_at = $5, succeeded_at = COALESCE($6::timestamptz, succeeded_at),
            due_at = GREATEST((SELECT MIN(d.due_at) FROM webhook_delivery d WHERE d.endpoint_id = $1 AND d.state = 'pending'),
                CASE WHEN EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.endpoint_id = $1 AND d.state = 'pending')
                    THEN $7::timestamptz END)
        WHERE id = $1 AND lease_owner = $2

-- accounts::TEAMS_OF
-- takes (UUID[]), gives (account_id UUID, id UUID, name TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT m.account_id, t.id, t.name, t.created_at, t.updated_at FROM team_member m
        JOIN team t ON t.id = m.team_id WHERE m.account_id = ANY ($1) ORDER BY t.name, t.id

-- accounts::PUT
-- takes (UUID, TEXT, TEXT, TEXT, TEXT, TIMESTAMPTZ, TIMESTAMPTZ), gives ()
INSERT INTO account (id, email, name, nickname, status, joined_at, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
        ON CONFLICT (id) DO UPDATE SET email = excluded.email, name = excluded.name, nickname = excluded.nickname,
            status = excluded.status, joined_at = excluded.joined_at, updated_at = excluded.updated_at

-- accounts::CLEAR_ROLES
-- takes (UUID), gives ()
DELETE FROM role_binding WHERE account_id = $1

-- accounts::ADD_ROLE
-- takes (UUID, INT8, TEXT), gives ()
INSERT INTO role_binding (account_id, workspace_id, roles) VALUES ($1, $2, $3)

-- accounts::LEAVE_TEAMS
-- takes (UUID), gives ()
DELETE FROM team_member WHERE account_id = $1

-- accounts::JOIN_TEAMS
-- takes (UUID, UUID[]), gives ()
INSERT INTO team_member (account_id, team_id) SELECT $1, unnest($2::uuid[])

-- accounts::PUT_TEAM
-- takes (UUID, TEXT, TIMESTAMPTZ), gives ()
INSERT INTO team (id, name, created_at, updated_at) VALUES ($1, $2, $3, $3)
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, updated_at = excluded.updated_at

-- bookings::BLOCKING
-- takes (UUID[], DATE, DATE), gives (id UUID, workspace_id INT8, unit_id UUID, product_id UUID, confirmation_code TEXT, status TEXT, check_in DATE, check_out DATE, adults INT8, children INT8, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE unit_id = ANY ($1)
        AND status IN ('PENDING', 'CONFIRMED', 'CHECKED_IN', 'CHECKED_OUT') AND check_out > $2 AND check_in < $3
        ORDER BY unit_id, check_in

-- bookings::SET_VETTING
-- takes (UUID, TEXT, TIMESTAMPTZ), gives ()
UPDATE booking SET vetting_status = $2, updated_at = $3 WHERE id = $1

-- bookings::PUT
-- takes (UUID, INT8, UUID, UUID, TEXT, TEXT, DATE, DATE, INT8, INT8, TEXT, TEXT, TEXT, TEXT, TIMESTAMPTZ), gives ()
INSERT INTO booking (id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out,
            adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15)
        ON CONFLICT (id) DO UPDATE SET unit_id = excluded.unit_id, product_id = excluded.product_id,
            confirmation_code = excluded.confirmation_code, status = excluded.status, check_in = excluded.check_in,
            check_out = excluded.check_out, adults = excluded.adults, children = excluded.children,
            contacts = excluded.contacts, platform = excluded.platform, payment_status = excluded.payment_status,
            vetting_status = excluded.vetting_status, updated_at = excluded.updated_at

-- conversations::PUT
-- takes (UUID, INT8, UUID, TIMESTAMPTZ), gives ()
INSERT INTO conversation (id, workspace_id, booking_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
        ON CONFLICT (id) DO UPDATE SET booking_id = excluded.booking_id, updated_at = excluded.updated_at

-- conversations::TOUCH
-- takes (UUID, TIMESTAMPTZ), gives ()
UPDATE conversation SET updated_at = $2 WHERE id = $1

-- conversations::PUT_MESSAGE
-- takes (UUID, UUID, TEXT, TEXT, TEXT, TIMESTAMPTZ, TIMESTAMPTZ), gives ()
INSERT INTO message (id, conversation_id, body, content_type, source, sent_at, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
        ON CONFLICT (id) DO UPDATE SET conversation_id = excluded.conversation_id, body = excluded.body,
            content_type = excluded.content_type, source = excluded.source, sent_at = excluded.sent_at,
            updated_at = excluded.updated_at

-- profiles::SET
-- takes (INT8, TEXT, TEXT, TEXT, TIMESTAMPTZ), gives ()
UPDATE workspace SET slug = $2, status = $3, logo_url = $4, updated_at = $5 WHERE id = $1

-- rates::CURRENCIES
-- takes (INT8), gives (currency TEXT)
SELECT DISTINCT currency FROM rate_plan WHERE workspace_id = $1 ORDER BY currency LIMIT 2

-- rates::REMOVE_TARIFFS
-- takes (UUID[]), gives ()
DELETE FROM tariff WHERE id = ANY ($1)

-- rates::PUT_PLAN
-- takes (UUID, INT8, UUID, TEXT, TEXT, INT8, TIMESTAMPTZ), gives ()
INSERT INTO rate_plan (id, workspace_id, unit_id, name, currency, min_stay, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
        ON CONFLICT (id) DO UPDATE SET unit_id = excluded.unit_id, name = excluded.name, currency = excluded.currency,
            min_stay = excluded.min_stay, updated_at = excluded.updated_at

-- rates::PUT_TARIFF
-- takes (UUID, UUID, DATE, DATE, TEXT, INT8, TIMESTAMPTZ), gives ()
INSERT INTO tariff (id, rate_plan_id, start_date, end_date, price, min_stay, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
        ON CONFLICT (id) DO UPDATE SET rate_plan_id = excluded.rate_plan_id, start_date = excluded.start_date,
            end_date = excluded.end_date, price = excluded.price, min_stay = excluded.min_stay,
            updated_at = excluded.updated_at

-- spaces::PUT_BUILDING
-- takes (UUID, INT8, TEXT, TEXT, TIMESTAMPTZ), gives ()
INSERT INTO building (id, workspace_id, name, address, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $5)
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, address = excluded.address, updated_at = excluded.updated_at

-- spaces::PUT_UNIT_TYPE
-- takes (UUID, INT8, UUID, TEXT, TEXT, TIMESTAMPTZ), gives ()
INSERT INTO unit_type (id, workspace_id, building_id, code, name, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $6)
        ON CONFLICT (id) DO UPDATE SET building_id = excluded.building_id, code = excluded.code, name = excluded.name,
            updated_at = excluded.updated_at

-- spaces::PUT_AMENITY
-- takes (UUID, TEXT, TIMESTAMPTZ), gives ()
INSERT INTO amenity (id, name, created_at, updated_at) VALUES ($1, $2, $3, $3)
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, updated_at = excluded.updated_at

-- tasks::PUT
-- takes (UUID, INT8, TEXT, TEXT, DATE, TEXT, TEXT, TEXT, UUID, UUID, TIMESTAMPTZ), gives ()
INSERT INTO task (id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id,
            booking_id, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
        ON CONFLICT (id) DO UPDATE SET title = excluded.title, kind = excluded.kind, due_date = excluded.due_date,
            start_time = excluded.start_time, estimated_duration_hours = excluded.estimated_duration_hours,
            notes = excluded.notes, unit_id = excluded.unit_id, booking_id = excluded.booking_id,
            updated_at = excluded.updated_at

-- units::HOLD
-- takes (UUID[]), gives (id UUID)
SELECT id FROM unit WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE

-- units::PUT
-- takes (UUID, INT8, UUID, TEXT, TEXT, INT8, INT8, TEXT, TEXT, TIMESTAMPTZ), gives ()
INSERT INTO unit (id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms,
            size_in_sqm, features, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
        ON CONFLICT (id) DO UPDATE SET unit_type_id = excluded.unit_type_id, code = excluded.code,
            status = excluded.status, number_of_bedrooms = excluded.number_of_bedrooms,
            number_of_bathrooms = excluded.number_of_bathrooms, size_in_sqm = excluded.size_in_sqm,
            features = excluded.features, updated_at = excluded.updated_at

-- units::CLEAR_AMENITIES
-- takes (UUID), gives ()
DELETE FROM unit_amenity WHERE unit_id = $1

-- units::ADD_AMENITIES
-- takes (UUID, UUID[]), gives ()
INSERT INTO unit_amenity (unit_id, amenity_id) SELECT $1, unnest($2::uuid[])

-- units::OF_MEDIA
-- takes (UUID[]), gives (id UUID, unit_id UUID)
SELECT id, unit_id FROM media_item WHERE id = ANY ($1)

-- units::CLEAR_MEDIA
-- takes (UUID), gives ()
DELETE FROM media_item WHERE unit_id = $1

-- units::ADD_MEDIA
-- takes (UUID, UUID, INT8, TEXT), gives ()
INSERT INTO media_item (id, unit_id, position, url) VALUES ($1, $2, $3, $4)

-- workspaces::LOCK
-- takes (), gives ()
LOCK TABLE workspace IN SHARE ROW EXCLUSIVE MODE

-- workspaces::FREE_ID
-- takes (INT8), gives (?column? INT8)
SELECT COALESCE(MAX(id), 0) + 1 FROM workspace WHERE id < $1

-- workspaces::INSERT
-- takes (INT8, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TIMESTAMPTZ), gives ()
INSERT INTO workspace (id, name, legal_name, tax_id, country, time_zone, address, email, invoice_pattern,
            credit_pattern, rejection_strategy, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)

-- workspaces::UPDATE
-- takes (INT8, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TIMESTAMPTZ), gives ()
UPDATE workspace SET name = $2, legal_name = $3, tax_id = $4, country = $5, time_zone = $6, address = $7,
            email = $8, invoice_pattern = $9, credit_pattern = $10, rejection_strategy = $11, updated_at = $12
        WHERE id = $1

-- workspaces::FIND
-- takes (INT8), gives (id INT8, name TEXT, legal_name TEXT, tax_id TEXT, country TEXT, time_zone TEXT, address TEXT, email TEXT, invoice_pattern TEXT, credit_pattern TEXT, rejection_strategy TEXT)
SELECT id, name, legal_name, tax_id, country, time_zone, address, email, invoice_pattern, credit_pattern,
            rejection_strategy
        FROM workspace WHERE id = $1

-- workspaces::HOLD
-- takes (INT8), gives (id INT8, name TEXT, legal_name TEXT, tax_id TEXT, country TEXT, time_zone TEXT, address TEXT, email TEXT, invoice_pattern TEXT, credit_pattern TEXT, rejection_strategy TEXT)
SELECT id, name, legal_name, tax_id, country, time_zone, address, email, invoice_pattern, credit_pattern,
            rejection_strategy
        FROM workspace WHERE id = $1 FOR SHARE

-- workspaces::LIST
-- takes (INT8, INT8), gives (id INT8, name TEXT, legal_name TEXT, tax_id TEXT, country TEXT, time_zone TEXT, address TEXT, email TEXT, invoice_pattern TEXT, credit_pattern TEXT, rejection_strategy TEXT)
SELECT id, name, legal_name, tax_id, country, time_zone, address, email, invoice_pattern, credit_pattern,
            rejection_strategy
        FROM workspace WHERE id > $1 ORDER BY id LIMIT $2

-- workspaces::PUT_E_INVOICING
-- takes (INT8, TEXT, UUID, UUID, BYTEA, BYTEA, BYTEA, TEXT, TIMESTAMPTZ), gives ()
INSERT INTO e_invoicing (workspace_id, regime, company_id, workflow_id, token, webhook_token,
            webhook_token_hash, settings, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        ON CONFLICT (workspace_id) DO UPDATE SET regime = excluded.regime, company_id = excluded.company_id,
            workflow_id = excluded.workflow_id, token = excluded.token,
            webhook_token = COALESCE(excluded.webhook_token, e_invoicing.webhook_token),
            webhook_token_hash = COALESCE(excluded.webhook_token_hash, e_invoicing.webhook_token_hash), settings = excluded.settings,
            updated_at = excluded.updated_at

-- workspaces::FIND_E_INVOICING
-- takes (INT8), gives (workspace_id INT8, regime TEXT, company_id UUID, workflow_id UUID, token BYTEA, webhook_token BYTEA, settings TEXT)
SELECT workspace_id, regime, company_id, workflow_id, token, webhook_token, settings
        FROM e_invoicing WHERE workspace_id = $1

-- workspaces::LOCK_E_INVOICING
-- takes (INT8), gives (workspace_id INT8, regime TEXT, company_id UUID, workflow_id UUID, token BYTEA, webhook_token BYTEA, settings TEXT)
SELECT workspace_id, regime, company_id, workflow_id, token, webhook_token, settings
        FROM e_invoicing WHERE workspace_id = $1 FOR UPDATE

-- workspaces::CLEAR_E_INVOICING
-- takes (INT8), gives ()
DELETE FROM e_invoicing WHERE workspace_id = $1

-- workspaces::WEBHOOK_TOKENS
-- takes (), gives (count INT8)
SELECT COUNT(*) FROM e_invoicing WHERE webhook_token_hash IS NOT NULL

-- workspaces::BY_WEBHOOK_TOKEN
-- takes (BYTEA), gives (workspace_id INT8)
SELECT workspace_id FROM e_invoicing WHERE webhook_token_hash = $1 ORDER BY workspace_id

-- list of documents by '', all
-- takes (), gives (id UUID, workspace_id INT8, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority BOOL, issuing_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, acceptance TEXT, rejected_at TIMESTAMPTZ, rejection_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE +workspace_id IS NOT NULL ORDER BY created_at, id

-- list of documents by 'status', all
-- takes (), gives (id UUID, workspace_id INT8, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority BOOL, issuing_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, acceptance TEXT, rejected_at TIMESTAMPTZ, rejection_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE +workspace_id IS NOT NULL AND status = 'rejected' ORDER BY created_at, id

-- list of documents by 'booking', all
-- takes (UUID), gives (id UUID, workspace_id INT8, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority BOOL, issuing_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, acceptance TEXT, rejected_at TIMESTAMPTZ, rejection_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE booking_id = $1 ORDER BY created_at, id

-- list of documents by 'number', all
-- takes (TEXT), gives (id UUID, workspace_id INT8, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority BOOL, issuing_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, acceptance TEXT, rejected_at TIMESTAMPTZ, rejection_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE number = $1 ORDER BY created_at, id

-- list of documents by 'updated_after', all
-- takes (TIMESTAMPTZ), gives (id UUID, workspace_id INT8, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority BOOL, issuing_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, acceptance TEXT, rejected_at TIMESTAMPTZ, rejection_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE +workspace_id IS NOT NULL AND updated_at > $1 ORDER BY created_at, id

-- list of documents by 'all of these', all
-- takes (UUID, TEXT, TIMESTAMPTZ), gives (id UUID, workspace_id INT8, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority BOOL, issuing_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, acceptance TEXT, rejected_at TIMESTAMPTZ, rejection_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE status = 'draft' AND booking_id = $1 AND number = $2 AND updated_at > $3 ORDER BY created_at, id

-- list of documents by 'ids', all
-- takes (UUID[]), gives (id UUID, workspace_id INT8, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority BOOL, issuing_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, acceptance TEXT, rejected_at TIMESTAMPTZ, rejection_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE id = ANY ($1) ORDER BY created_at, id

-- list of submissions by '', all
-- takes (), gives (document_id UUID, workspace_id INT8, stage TEXT, number TEXT, entry_id UUID, entry_renewed BOOL, entry_digest TEXT, check_earlier_attempts BOOL, job_id UUID, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INT8, last_error TEXT, held_until TIMESTAMPTZ, stamps TEXT, job_taken_at TIMESTAMPTZ, version INT8, actor TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE +workspace_id IS NOT NULL ORDER BY (alert_code IS NULL), updated_at DESC, document_id

-- list of submissions by 'stage', all
-- takes (), gives (document_id UUID, workspace_id INT8, stage TEXT, number TEXT, entry_id UUID, entry_renewed BOOL, entry_digest TEXT, check_earlier_attempts BOOL, job_id UUID, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INT8, last_error TEXT, held_until TIMESTAMPTZ, stamps TEXT, job_taken_at TIMESTAMPTZ, version INT8, actor TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE +workspace_id IS NOT NULL AND stage = 'rejected' ORDER BY (alert_code IS NULL), updated_at DESC, document_id

-- list of submissions by 'alerted', all
-- takes (), gives (document_id UUID, workspace_id INT8, stage TEXT, number TEXT, entry_id UUID, entry_renewed BOOL, entry_digest TEXT, check_earlier_attempts BOOL, job_id UUID, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INT8, last_error TEXT, held_until TIMESTAMPTZ, stamps TEXT, job_taken_at TIMESTAMPTZ, version INT8, actor TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE +workspace_id IS NOT NULL AND alert_code IS NOT NULL ORDER BY updated_at DESC, document_id

-- list of submissions by 'stage, alerted', all
-- takes (), gives (document_id UUID, workspace_id INT8, stage TEXT, number TEXT, entry_id UUID, entry_renewed BOOL, entry_digest TEXT, check_earlier_attempts BOOL, job_id UUID, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INT8, last_error TEXT, held_until TIMESTAMPTZ, stamps TEXT, job_taken_at TIMESTAMPTZ, version INT8, actor TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE +workspace_id IS NOT NULL AND stage = 'waiting' AND alert_code IS NOT NULL ORDER BY updated_at DESC, document_id

-- list of events by 'source', all
-- takes (INT8), gives (position INT8, id UUID, source TEXT, workspace_id INT8, subject UUID, sequence INT8, type TEXT, time TIMESTAMPTZ, actor TEXT, data TEXT)
SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event WHERE position > $1 AND source IN ('/invoicing', '/finance') ORDER BY position

-- list of events by '', all
-- takes (INT8), gives (position INT8, id UUID, source TEXT, workspace_id INT8, subject UUID, sequence INT8, type TEXT, time TIMESTAMPTZ, actor TEXT, data TEXT)
SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event WHERE position > $1 ORDER BY position

-- list of booking documents by 'booking', all
-- takes (UUID), gives (document_id UUID, workspace_id INT8, booking_id UUID, document_type TEXT, status TEXT, number TEXT, issue_date TEXT, currency TEXT, payable TEXT, issuing_started_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, rejected_by_tax_authority_at TIMESTAMPTZ, rejected_by_tax_authority_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT document_id, workspace_id, booking_id, document_type, status, number, issue_date, currency, payable, issuing_started_at, issued_at, rejected_by_tax_authority_at, rejected_by_tax_authority_reason, version, created_at, updated_at FROM booking_document WHERE booking_id = $1 ORDER BY created_at, document_id

-- list of product groups by '', all
-- takes (), gives (id UUID, workspace_id INT8, internal_reference TEXT, contract_earliest_start_date DATE, contract_latest_start_date DATE, contract_earliest_end_date DATE, contract_latest_end_date DATE, default_expiry_duration_in_seconds INT8, allow_booking_expiry_timer BOOL, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date DATE, publishing_end_date DATE, requires_cancelation_policy BOOL, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE +workspace_id IS NOT NULL ORDER BY created_at, id

-- list of product groups by 'state', all
-- takes (), gives (id UUID, workspace_id INT8, internal_reference TEXT, contract_earliest_start_date DATE, contract_latest_start_date DATE, contract_earliest_end_date DATE, contract_latest_end_date DATE, default_expiry_duration_in_seconds INT8, allow_booking_expiry_timer BOOL, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date DATE, publishing_end_date DATE, requires_cancelation_policy BOOL, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE +workspace_id IS NOT NULL AND state = 'INACTIVE' ORDER BY created_at, id

-- list of product groups by 'published', all
-- takes (DATE, DATE), gives (id UUID, workspace_id INT8, internal_reference TEXT, contract_earliest_start_date DATE, contract_latest_start_date DATE, contract_earliest_end_date DATE, contract_latest_end_date DATE, default_expiry_duration_in_seconds INT8, allow_booking_expiry_timer BOOL, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date DATE, publishing_end_date DATE, requires_cancelation_policy BOOL, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE +workspace_id IS NOT NULL AND (publishing_start_date IS NOT NULL AND publishing_start_date <= $1 AND (publishing_end_date IS NULL OR publishing_end_date >= $2)) ORDER BY created_at, id

-- list of product groups by 'not published', all
-- takes (DATE, DATE), gives (id UUID, workspace_id INT8, internal_reference TEXT, contract_earliest_start_date DATE, contract_latest_start_date DATE, contract_earliest_end_date DATE, contract_latest_end_date DATE, default_expiry_duration_in_seconds INT8, allow_booking_expiry_timer BOOL, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date DATE, publishing_end_date DATE, requires_cancelation_policy BOOL, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE +workspace_id IS NOT NULL AND NOT (publishing_start_date IS NOT NULL AND publishing_start_date <= $1 AND (publishing_end_date IS NULL OR publishing_end_date >= $2)) ORDER BY created_at, id

-- list of product groups by 'academic_year', all
-- takes (TEXT), gives (id UUID, workspace_id INT8, internal_reference TEXT, contract_earliest_start_date DATE, contract_latest_start_date DATE, contract_earliest_end_date DATE, contract_latest_end_date DATE, default_expiry_duration_in_seconds INT8, allow_booking_expiry_timer BOOL, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date DATE, publishing_end_date DATE, requires_cancelation_policy BOOL, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE +workspace_id IS NOT NULL AND academic_year = $1 ORDER BY created_at, id

-- list of product groups by 'product_segment', all
-- takes (), gives (id UUID, workspace_id INT8, internal_reference TEXT, contract_earliest_start_date DATE, contract_latest_start_date DATE, contract_earliest_end_date DATE, contract_latest_end_date DATE, default_expiry_duration_in_seconds INT8, allow_booking_expiry_timer BOOL, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date DATE, publishing_end_date DATE, requires_cancelation_policy BOOL, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE +workspace_id IS NOT NULL AND product_segment = 'SEMESTER_1' ORDER BY created_at, id

-- list of product groups by 'internal_reference', all
-- takes (TEXT), gives (id UUID, workspace_id INT8, internal_reference TEXT, contract_earliest_start_date DATE, contract_latest_start_date DATE, contract_earliest_end_date DATE, contract_latest_end_date DATE, default_expiry_duration_in_seconds INT8, allow_booking_expiry_timer BOOL, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date DATE, publishing_end_date DATE, requires_cancelation_policy BOOL, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE internal_reference = $1 ORDER BY created_at, id

-- list of product groups by 'all of these', all
-- takes (TEXT, TEXT, DATE, DATE), gives (id UUID, workspace_id INT8, internal_reference TEXT, contract_earliest_start_date DATE, contract_latest_start_date DATE, contract_earliest_end_date DATE, contract_latest_end_date DATE, default_expiry_duration_in_seconds INT8, allow_booking_expiry_timer BOOL, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date DATE, publishing_end_date DATE, requires_cancelation_policy BOOL, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE state = 'INACTIVE' AND academic_year = $1 AND product_segment = 'SEMESTER_1' AND internal_reference = $2 AND (publishing_start_date IS NOT NULL AND publishing_start_date <= $3 AND (publishing_end_date IS NULL OR publishing_end_date >= $4)) ORDER BY created_at, id

-- list of product groups by 'ids', all
-- takes (UUID[]), gives (id UUID, workspace_id INT8, internal_reference TEXT, contract_earliest_start_date DATE, contract_latest_start_date DATE, contract_earliest_end_date DATE, contract_latest_end_date DATE, default_expiry_duration_in_seconds INT8, allow_booking_expiry_timer BOOL, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date DATE, publishing_end_date DATE, requires_cancelation_policy BOOL, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE id = ANY ($1) ORDER BY created_at, id

-- list of products by 'group', all
-- takes (UUID), gives (id UUID, workspace_id INT8, product_group_id UUID, name TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, units TEXT)
SELECT id, workspace_id, product_group_id, name, created_at, updated_at, (SELECT COALESCE(json_agg(s.unit_id ORDER BY s.unit_id), '[]')::text FROM product_unit s WHERE s.product_id = product.id) AS units FROM product WHERE product_group_id = $1 ORDER BY created_at, id

-- list of units by '', all
-- takes (), gives (id UUID, workspace_id INT8, unit_type_id UUID, code TEXT, status TEXT, number_of_bedrooms INT8, number_of_bathrooms INT8, size_in_sqm TEXT, features TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, amenities TEXT, media_items TEXT)
SELECT id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms, size_in_sqm, features, created_at, updated_at, (SELECT COALESCE(json_agg(a.amenity_id ORDER BY a.amenity_id), '[]')::text FROM unit_amenity a WHERE a.unit_id = unit.id) AS amenities, (SELECT COALESCE(json_agg(json_build_object('id', m.id, 'url', m.url) ORDER BY m.position), '[]')::text FROM media_item m WHERE m.unit_id = unit.id) AS media_items FROM unit WHERE +workspace_id IS NOT NULL ORDER BY created_at, id

-- list of units by 'status', all
-- takes (), gives (id UUID, workspace_id INT8, unit_type_id UUID, code TEXT, status TEXT, number_of_bedrooms INT8, number_of_bathrooms INT8, size_in_sqm TEXT, features TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, amenities TEXT, media_items TEXT)
SELECT id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms, size_in_sqm, features, created_at, updated_at, (SELECT COALESCE(json_agg(a.amenity_id ORDER BY a.amenity_id), '[]')::text FROM unit_amenity a WHERE a.unit_id = unit.id) AS amenities, (SELECT COALESCE(json_agg(json_build_object('id', m.id, 'url', m.url) ORDER BY m.position), '[]')::text FROM media_item m WHERE m.unit_id = unit.id) AS media_items FROM unit WHERE +workspace_id IS NOT NULL AND status = 'ARCHIVED' ORDER BY created_at, id

-- list of units by 'updated_since', all
-- takes (TIMESTAMPTZ), gives (id UUID, workspace_id INT8, unit_type_id UUID, code TEXT, status TEXT, number_of_bedrooms INT8, number_of_bathrooms INT8, size_in_sqm TEXT, features TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, amenities TEXT, media_items TEXT)
SELECT id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms, size_in_sqm, features, created_at, updated_at, (SELECT COALESCE(json_agg(a.amenity_id ORDER BY a.amenity_id), '[]')::text FROM unit_amenity a WHERE a.unit_id = unit.id) AS amenities, (SELECT COALESCE(json_agg(json_build_object('id', m.id, 'url', m.url) ORDER BY m.position), '[]')::text FROM media_item m WHERE m.unit_id = unit.id) AS media_items FROM unit WHERE +workspace_id IS NOT NULL AND updated_at >= $1 ORDER BY created_at, id

-- list of units by 'all of these', all
-- takes (TIMESTAMPTZ), gives (id UUID, workspace_id INT8, unit_type_id UUID, code TEXT, status TEXT, number_of_bedrooms INT8, number_of_bathrooms INT8, size_in_sqm TEXT, features TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, amenities TEXT, media_items TEXT)
SELECT id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms, size_in_sqm, features, created_at, updated_at, (SELECT COALESCE(json_agg(a.amenity_id ORDER BY a.amenity_id), '[]')::text FROM unit_amenity a WHERE a.unit_id = unit.id) AS amenities, (SELECT COALESCE(json_agg(json_build_object('id', m.id, 'url', m.url) ORDER BY m.position), '[]')::text FROM media_item m WHERE m.unit_id = unit.id) AS media_items FROM unit WHERE +workspace_id IS NOT NULL AND status = 'ARCHIVED' AND updated_at >= $1 ORDER BY created_at, id

-- list of units by 'ids', all
-- takes (UUID[]), gives (id UUID, workspace_id INT8, unit_type_id UUID, code TEXT, status TEXT, number_of_bedrooms INT8, number_of_bathrooms INT8, size_in_sqm TEXT, features TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, amenities TEXT, media_items TEXT)
SELECT id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms, size_in_sqm, features, created_at, updated_at, (SELECT COALESCE(json_agg(a.amenity_id ORDER BY a.amenity_id), '[]')::text FROM unit_amenity a WHERE a.unit_id = unit.id) AS amenities, (SELECT COALESCE(json_agg(json_build_object('id', m.id, 'url', m.url) ORDER BY m.position), '[]')::text FROM media_item m WHERE m.unit_id = unit.id) AS media_items FROM unit WHERE id = ANY ($1) ORDER BY created_at, id

-- list of bookings by '', all
-- takes (), gives (id UUID, workspace_id INT8, unit_id UUID, product_id UUID, confirmation_code TEXT, status TEXT, check_in DATE, check_out DATE, adults INT8, children INT8, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE +workspace_id IS NOT NULL ORDER BY created_at, id

-- list of bookings by 'unit', all
-- takes (UUID), gives (id UUID, workspace_id INT8, unit_id UUID, product_id UUID, confirmation_code TEXT, status TEXT, check_in DATE, check_out DATE, adults INT8, children INT8, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE unit_id = $1 ORDER BY created_at, id

-- list of bookings by 'from', all
-- takes (DATE), gives (id UUID, workspace_id INT8, unit_id UUID, product_id UUID, confirmation_code TEXT, status TEXT, check_in DATE, check_out DATE, adults INT8, children INT8, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE +workspace_id IS NOT NULL AND check_out > $1 ORDER BY created_at, id

-- list of bookings by 'to', all
-- takes (DATE), gives (id UUID, workspace_id INT8, unit_id UUID, product_id UUID, confirmation_code TEXT, status TEXT, check_in DATE, check_out DATE, adults INT8, children INT8, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE +workspace_id IS NOT NULL AND check_in <= $1 ORDER BY created_at, id

-- list of bookings by 'updated_since', all
-- takes (TIMESTAMPTZ), gives (id UUID, workspace_id INT8, unit_id UUID, product_id UUID, confirmation_code TEXT, status TEXT, check_in DATE, check_out DATE, adults INT8, children INT8, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE +workspace_id IS NOT NULL AND updated_at >= $1 ORDER BY created_at, id

-- list of bookings by 'all of these', all
-- takes (UUID, DATE, DATE, TIMESTAMPTZ), gives (id UUID, workspace_id INT8, unit_id UUID, product_id UUID, confirmation_code TEXT, status TEXT, check_in DATE, check_out DATE, adults INT8, children INT8, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE unit_id = $1 AND check_out > $2 AND check_in <= $3 AND updated_at >= $4 ORDER BY created_at, id

-- list of bookings by 'ids', all
-- takes (UUID[]), gives (id UUID, workspace_id INT8, unit_id UUID, product_id UUID, confirmation_code TEXT, status TEXT, check_in DATE, check_out DATE, adults INT8, children INT8, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE id = ANY ($1) ORDER BY created_at, id

-- list of tasks by '', all
-- takes (), gives (id UUID, workspace_id INT8, title TEXT, kind TEXT, due_date DATE, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id UUID, booking_id UUID, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE +workspace_id IS NOT NULL ORDER BY created_at, id

-- list of tasks by 'unit', all
-- takes (UUID), gives (id UUID, workspace_id INT8, title TEXT, kind TEXT, due_date DATE, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id UUID, booking_id UUID, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE unit_id = $1 ORDER BY created_at, id

-- list of tasks by 'from', all
-- takes (DATE), gives (id UUID, workspace_id INT8, title TEXT, kind TEXT, due_date DATE, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id UUID, booking_id UUID, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE +workspace_id IS NOT NULL AND due_date >= $1 ORDER BY created_at, id

-- list of tasks by 'to', all
-- takes (DATE), gives (id UUID, workspace_id INT8, title TEXT, kind TEXT, due_date DATE, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id UUID, booking_id UUID, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE +workspace_id IS NOT NULL AND due_date <= $1 ORDER BY created_at, id

-- list of tasks by 'all of these', all
-- takes (UUID, DATE, DATE), gives (id UUID, workspace_id INT8, title TEXT, kind TEXT, due_date DATE, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id UUID, booking_id UUID, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE unit_id = $1 AND due_date >= $2 AND due_date <= $3 ORDER BY created_at, id

-- list of users by '', all
-- takes (), gives (id UUID, email TEXT, name TEXT, nickname TEXT, status TEXT, joined_at TIMESTAMPTZ, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, role_bindings TEXT, teams TEXT)
SELECT id, email, name, nickname, status, joined_at, created_at, updated_at, (SELECT COALESCE(json_agg(json_build_object('workspace_id', r.workspace_id, 'roles', r.roles::json) ORDER BY r.workspace_id), '[]')::text FROM role_binding r WHERE r.account_id = account.id) AS role_bindings, (SELECT COALESCE(json_agg(t.team_id ORDER BY t.team_id), '[]')::text FROM team_member t WHERE t.account_id = account.id) AS teams FROM account ORDER BY created_at, id

-- list of users by 'status', all
-- takes (), gives (id UUID, email TEXT, name TEXT, nickname TEXT, status TEXT, joined_at TIMESTAMPTZ, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, role_bindings TEXT, teams TEXT)
SELECT id, email, name, nickname, status, joined_at, created_at, updated_at, (SELECT COALESCE(json_agg(json_build_object('workspace_id', r.workspace_id, 'roles', r.roles::json) ORDER BY r.workspace_id), '[]')::text FROM role_binding r WHERE r.account_id = account.id) AS role_bindings, (SELECT COALESCE(json_agg(t.team_id ORDER BY t.team_id), '[]')::text FROM team_member t WHERE t.account_id = account.id) AS teams FROM account WHERE status = 'SUSPENDED' ORDER BY created_at, id

-- list of deliveries by 'endpoint', all
-- takes (UUID), gives (id UUID)
SELECT id FROM webhook_delivery WHERE endpoint_id = $1 ORDER BY created_at DESC, id DESC

-- list of deliveries by 'endpoint, state', all
-- takes (UUID), gives (id UUID)
SELECT id FROM webhook_delivery WHERE endpoint_id = $1 AND state = 'failed' ORDER BY created_at DESC, id DESC

-- list of webhooks by '', all
-- takes (), gives (id UUID, workspace_id INT8, url TEXT, events TEXT, secret BYTEA, old_secret BYTEA, old_secret_until TIMESTAMPTZ, disabled TEXT, disabled_at TIMESTAMPTZ, failures INT8, failing_since TIMESTAMPTZ, failed_at TIMESTAMPTZ, succeeded_at TIMESTAMPTZ, from_position INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, backlog INT8)
SELECT id, workspace_id, url, events, secret, old_secret, old_secret_until, disabled, disabled_at, failures, failing_since, failed_at, succeeded_at, from_position, created_at, updated_at, (SELECT COUNT(*) FROM webhook_delivery d WHERE d.endpoint_id = webhook_endpoint.id AND d.state = 'pending') AS backlog FROM webhook_endpoint ORDER BY workspace_id, created_at, id

-- look-up in conversation, all
-- takes (UUID[]), gives (id UUID, workspace_id INT8, booking_id UUID, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, booking_id, created_at, updated_at FROM conversation WHERE booking_id = ANY ($1) ORDER BY created_at, id

-- look-up in message, all
-- takes (UUID[]), gives (id UUID, conversation_id UUID, body TEXT, content_type TEXT, source TEXT, sent_at TIMESTAMPTZ, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, conversation_id, body, content_type, source, sent_at, created_at, updated_at FROM message WHERE id = ANY ($1) ORDER BY sent_at, id

-- look-up in message, all
-- takes (UUID), gives (id UUID, conversation_id UUID, body TEXT, content_type TEXT, source TEXT, sent_at TIMESTAMPTZ, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, conversation_id, body, content_type, source, sent_at, created_at, updated_at FROM message WHERE conversation_id = $1 ORDER BY sent_at, id

-- look-up in message, all
-- takes (UUID, TIMESTAMPTZ, UUID), gives (id UUID, conversation_id UUID, body TEXT, content_type TEXT, source TEXT, sent_at TIMESTAMPTZ, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, conversation_id, body, content_type, source, sent_at, created_at, updated_at FROM message WHERE conversation_id = $1 AND (sent_at, id) > ($2, $3) ORDER BY sent_at, id

-- look-up in rate_plan, all
-- takes (UUID[]), gives (id UUID, workspace_id INT8, unit_id UUID, name TEXT, currency TEXT, min_stay INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, unit_id, name, currency, min_stay, created_at, updated_at FROM rate_plan WHERE unit_id = ANY ($1) ORDER BY created_at, id

-- look-up in tariff, all
-- takes (UUID[]), gives (id UUID, rate_plan_id UUID, start_date DATE, end_date DATE, price TEXT, min_stay INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, rate_plan_id, start_date, end_date, price, min_stay, created_at, updated_at FROM tariff WHERE id = ANY ($1) ORDER BY rate_plan_id, start_date

-- look-up in tariff, all
-- takes (UUID[]), gives (id UUID, rate_plan_id UUID, start_date DATE, end_date DATE, price TEXT, min_stay INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, rate_plan_id, start_date, end_date, price, min_stay, created_at, updated_at FROM tariff WHERE rate_plan_id = ANY ($1) ORDER BY rate_plan_id, start_date

-- look-up in tariff, all
-- takes (DATE, UUID[]), gives (id UUID, rate_plan_id UUID, start_date DATE, end_date DATE, price TEXT, min_stay INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, rate_plan_id, start_date, end_date, price, min_stay, created_at, updated_at FROM tariff WHERE end_date >= $1 AND rate_plan_id = ANY ($2) ORDER BY rate_plan_id, start_date

-- look-up in tariff, all
-- takes (DATE, UUID[]), gives (id UUID, rate_plan_id UUID, start_date DATE, end_date DATE, price TEXT, min_stay INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, rate_plan_id, start_date, end_date, price, min_stay, created_at, updated_at FROM tariff WHERE start_date <= $1 AND rate_plan_id = ANY ($2) ORDER BY rate_plan_id, start_date

-- look-up in tariff, all
-- takes (DATE, DATE, UUID[]), gives (id UUID, rate_plan_id UUID, start_date DATE, end_date DATE, price TEXT, min_stay INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, rate_plan_id, start_date, end_date, price, min_stay, created_at, updated_at FROM tariff WHERE end_date >= $1 AND start_date <= $2 AND rate_plan_id = ANY ($3) ORDER BY rate_plan_id, start_date

-- look-up in amenity, all
-- takes (UUID[]), gives (id UUID, name TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, name, created_at, updated_at FROM amenity WHERE id = ANY ($1) ORDER BY created_at, id

-- look-up in media_item, all
-- takes (UUID[]), gives (id UUID, url TEXT)
SELECT id, url FROM media_item WHERE id = ANY ($1) ORDER BY unit_id, position

-- look-up in account, all
-- takes (UUID[]), gives (id UUID, email TEXT, name TEXT, nickname TEXT, status TEXT, joined_at TIMESTAMPTZ, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, role_bindings TEXT, teams TEXT)
SELECT id, email, name, nickname, status, joined_at, created_at, updated_at, (SELECT COALESCE(json_agg(json_build_object('workspace_id', r.workspace_id, 'roles', r.roles::json) ORDER BY r.workspace_id), '[]')::text FROM role_binding r WHERE r.account_id = account.id) AS role_bindings, (SELECT COALESCE(json_agg(t.team_id ORDER BY t.team_id), '[]')::text FROM team_member t WHERE t.account_id = account.id) AS teams FROM account WHERE id = ANY ($1) ORDER BY created_at, id

-- look-up in team, all
-- takes (UUID[]), gives (id UUID, name TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, name, created_at, updated_at FROM team WHERE id = ANY ($1) ORDER BY created_at, id

-- look-up in workspace, all
-- takes (INT8[]), gives (id INT8, name TEXT, slug TEXT, status TEXT, logo_url TEXT)
SELECT id, name, slug, status, logo_url FROM workspace WHERE id = ANY ($1) ORDER BY id

-- look-up in workspace, all
-- takes (INT8[]), gives (id INT8)
SELECT id FROM workspace WHERE id = ANY ($1) ORDER BY id

-- look-up in booking_document, all
-- takes (UUID[]), gives (document_id UUID, workspace_id INT8, booking_id UUID, document_type TEXT, status TEXT, number TEXT, issue_date TEXT, currency TEXT, payable TEXT, issuing_started_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, rejected_by_tax_authority_at TIMESTAMPTZ, rejected_by_tax_authority_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT document_id, workspace_id, booking_id, document_type, status, number, issue_date, currency, payable, issuing_started_at, issued_at, rejected_by_tax_authority_at, rejected_by_tax_authority_reason, version, created_at, updated_at FROM booking_document WHERE document_id = ANY ($1) ORDER BY created_at, document_id

-- look-up in conversation, all
-- takes (UUID[]), gives (id UUID, workspace_id INT8, booking_id UUID, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, booking_id, created_at, updated_at FROM conversation WHERE id = ANY ($1) ORDER BY created_at, id

-- look-up in product, all
-- takes (UUID[]), gives (id UUID, workspace_id INT8, product_group_id UUID, name TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, units TEXT)
SELECT id, workspace_id, product_group_id, name, created_at, updated_at, (SELECT COALESCE(json_agg(s.unit_id ORDER BY s.unit_id), '[]')::text FROM product_unit s WHERE s.product_id = product.id) AS units FROM product WHERE id = ANY ($1) ORDER BY created_at, id

-- look-up in rate_plan, all
-- takes (UUID[]), gives (id UUID, workspace_id INT8, unit_id UUID, name TEXT, currency TEXT, min_stay INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, unit_id, name, currency, min_stay, created_at, updated_at FROM rate_plan WHERE id = ANY ($1) ORDER BY created_at, id

-- look-up in building, all
-- takes (UUID[]), gives (id UUID, workspace_id INT8, name TEXT, address TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, name, address, created_at, updated_at FROM building WHERE id = ANY ($1) ORDER BY created_at, id

-- look-up in unit_type, all
-- takes (UUID[]), gives (id UUID, workspace_id INT8, building_id UUID, code TEXT, name TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, building_id, code, name, created_at, updated_at FROM unit_type WHERE id = ANY ($1) ORDER BY created_at, id

-- look-up in submission, all
-- takes (UUID[]), gives (document_id UUID, workspace_id INT8, stage TEXT, number TEXT, entry_id UUID, entry_renewed BOOL, entry_digest TEXT, check_earlier_attempts BOOL, job_id UUID, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INT8, last_error TEXT, held_until TIMESTAMPTZ, stamps TEXT, job_taken_at TIMESTAMPTZ, version INT8, actor TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE document_id = ANY ($1) ORDER BY (alert_code IS NULL), updated_at DESC, document_id

-- look-up in task, all
-- takes (UUID[]), gives (id UUID, workspace_id INT8, title TEXT, kind TEXT, due_date DATE, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id UUID, booking_id UUID, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE id = ANY ($1) ORDER BY created_at, id

-- look-up in building, all
-- takes (UUID[]), gives (id UUID, workspace_id INT8)
SELECT id, workspace_id FROM building WHERE id = ANY ($1) ORDER BY id

-- look-up in unit_type, all
-- takes (UUID[]), gives (id UUID, workspace_id INT8)
SELECT id, workspace_id FROM unit_type WHERE id = ANY ($1) ORDER BY id

-- look-up in amenity, all
-- takes (UUID[]), gives (id UUID, int8 INT8)
SELECT id, CAST(0 AS BIGINT) FROM amenity WHERE id = ANY ($1) ORDER BY id

-- look-up in unit, all
-- takes (UUID[]), gives (id UUID, workspace_id INT8)
SELECT id, workspace_id FROM unit WHERE id = ANY ($1) ORDER BY id

-- look-up in product_group, all
-- takes (UUID[]), gives (id UUID, workspace_id INT8)
SELECT id, workspace_id FROM product_group WHERE id = ANY ($1) ORDER BY id

-- look-up in product, all
-- takes (UUID[]), gives (id UUID, workspace_id INT8)
SELECT id, workspace_id FROM product WHERE id = ANY ($1) ORDER BY id

-- look-up in rate_plan, all
-- takes (UUID[]), gives (id UUID, workspace_id INT8)
SELECT id, workspace_id FROM rate_plan WHERE id = ANY ($1) ORDER BY id

-- look-up in booking, all
-- takes (UUID[]), gives (id UUID, workspace_id INT8)
SELECT id, workspace_id FROM booking WHERE id = ANY ($1) ORDER BY id

-- look-up in conversation, all
-- takes (UUID[]), gives (id UUID, workspace_id INT8)
SELECT id, workspace_id FROM conversation WHERE id = ANY ($1) ORDER BY id

-- look-up in team, all
-- takes (UUID[]), gives (id UUID, int8 INT8)
SELECT id, CAST(0 AS BIGINT) FROM team WHERE id = ANY ($1) ORDER BY id

-- look-up in product, all
-- takes (UUID[]), gives (id UUID, workspace_id INT8, product_group_id UUID, name TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, units TEXT)
SELECT id, workspace_id, product_group_id, name, created_at, updated_at, (SELECT COALESCE(json_agg(s.unit_id ORDER BY s.unit_id), '[]')::text FROM product_unit s WHERE s.product_id = product.id) AS units FROM product WHERE product_group_id = ANY ($1) ORDER BY created_at, id

-- list of documents by '', one
-- takes (INT8), gives (id UUID, workspace_id INT8, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority BOOL, issuing_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, acceptance TEXT, rejected_at TIMESTAMPTZ, rejection_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE workspace_id = $1 ORDER BY created_at, id

-- list of documents by 'status', one
-- takes (INT8), gives (id UUID, workspace_id INT8, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority BOOL, issuing_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, acceptance TEXT, rejected_at TIMESTAMPTZ, rejection_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE workspace_id = $1 AND status = 'rejected' ORDER BY created_at, id

-- list of documents by 'booking', one
-- takes (INT8, UUID), gives (id UUID, workspace_id INT8, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority BOOL, issuing_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, acceptance TEXT, rejected_at TIMESTAMPTZ, rejection_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE workspace_id = $1 AND booking_id = $2 ORDER BY created_at, id

-- list of documents by 'number', one
-- takes (INT8, TEXT), gives (id UUID, workspace_id INT8, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority BOOL, issuing_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, acceptance TEXT, rejected_at TIMESTAMPTZ, rejection_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE workspace_id = $1 AND number = $2 ORDER BY created_at, id

-- list of documents by 'updated_after', one
-- takes (INT8, TIMESTAMPTZ), gives (id UUID, workspace_id INT8, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority BOOL, issuing_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, acceptance TEXT, rejected_at TIMESTAMPTZ, rejection_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE workspace_id = $1 AND updated_at > $2 ORDER BY created_at, id

-- list of documents by 'all of these', one
-- takes (INT8, UUID, TEXT, TIMESTAMPTZ), gives (id UUID, workspace_id INT8, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority BOOL, issuing_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, acceptance TEXT, rejected_at TIMESTAMPTZ, rejection_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE workspace_id = $1 AND status = 'draft' AND booking_id = $2 AND number = $3 AND updated_at > $4 ORDER BY created_at, id

-- list of documents by 'ids', one
-- takes (INT8, UUID[]), gives (id UUID, workspace_id INT8, status TEXT, content TEXT, totals TEXT, number TEXT, send_to_tax_authority BOOL, issuing_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, acceptance TEXT, rejected_at TIMESTAMPTZ, rejection_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, rejection_reason, version, created_at, updated_at FROM invoice WHERE workspace_id = $1 AND id = ANY ($2) ORDER BY created_at, id

-- list of submissions by '', one
-- takes (INT8), gives (document_id UUID, workspace_id INT8, stage TEXT, number TEXT, entry_id UUID, entry_renewed BOOL, entry_digest TEXT, check_earlier_attempts BOOL, job_id UUID, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INT8, last_error TEXT, held_until TIMESTAMPTZ, stamps TEXT, job_taken_at TIMESTAMPTZ, version INT8, actor TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE workspace_id = $1 ORDER BY (alert_code IS NULL), updated_at DESC, document_id

-- list of submissions by 'stage', one
-- takes (INT8), gives (document_id UUID, workspace_id INT8, stage TEXT, number TEXT, entry_id UUID, entry_renewed BOOL, entry_digest TEXT, check_earlier_attempts BOOL, job_id UUID, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INT8, last_error TEXT, held_until TIMESTAMPTZ, stamps TEXT, job_taken_at TIMESTAMPTZ, version INT8, actor TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE workspace_id = $1 AND stage = 'rejected' ORDER BY (alert_code IS NULL), updated_at DESC, document_id

-- list of submissions by 'alerted', one
-- takes (INT8), gives (document_id UUID, workspace_id INT8, stage TEXT, number TEXT, entry_id UUID, entry_renewed BOOL, entry_digest TEXT, check_earlier_attempts BOOL, job_id UUID, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INT8, last_error TEXT, held_until TIMESTAMPTZ, stamps TEXT, job_taken_at TIMESTAMPTZ, version INT8, actor TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE workspace_id = $1 AND alert_code IS NOT NULL ORDER BY updated_at DESC, document_id

-- list of submissions by 'stage, alerted', one
-- takes (INT8), gives (document_id UUID, workspace_id INT8, stage TEXT, number TEXT, entry_id UUID, entry_renewed BOOL, entry_digest TEXT, check_earlier_attempts BOOL, job_id UUID, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INT8, last_error TEXT, held_until TIMESTAMPTZ, stamps TEXT, job_taken_at TIMESTAMPTZ, version INT8, actor TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE workspace_id = $1 AND stage = 'waiting' AND alert_code IS NOT NULL ORDER BY updated_at DESC, document_id

-- list of events by 'source', one
-- takes (INT8, INT8), gives (position INT8, id UUID, source TEXT, workspace_id INT8, subject UUID, sequence INT8, type TEXT, time TIMESTAMPTZ, actor TEXT, data TEXT)
SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event WHERE workspace_id = $1 AND position > $2 AND source IN ('/invoicing', '/finance') ORDER BY position

-- list of events by '', one
-- takes (INT8, INT8), gives (position INT8, id UUID, source TEXT, workspace_id INT8, subject UUID, sequence INT8, type TEXT, time TIMESTAMPTZ, actor TEXT, data TEXT)
SELECT position, id, source, workspace_id, subject, sequence, type, time, actor, data FROM event WHERE workspace_id = $1 AND position > $2 ORDER BY position

-- list of booking documents by 'booking', one
-- takes (INT8, UUID), gives (document_id UUID, workspace_id INT8, booking_id UUID, document_type TEXT, status TEXT, number TEXT, issue_date TEXT, currency TEXT, payable TEXT, issuing_started_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, rejected_by_tax_authority_at TIMESTAMPTZ, rejected_by_tax_authority_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT document_id, workspace_id, booking_id, document_type, status, number, issue_date, currency, payable, issuing_started_at, issued_at, rejected_by_tax_authority_at, rejected_by_tax_authority_reason, version, created_at, updated_at FROM booking_document WHERE workspace_id = $1 AND booking_id = $2 ORDER BY created_at, document_id

-- list of product groups by '', one
-- takes (INT8), gives (id UUID, workspace_id INT8, internal_reference TEXT, contract_earliest_start_date DATE, contract_latest_start_date DATE, contract_earliest_end_date DATE, contract_latest_end_date DATE, default_expiry_duration_in_seconds INT8, allow_booking_expiry_timer BOOL, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date DATE, publishing_end_date DATE, requires_cancelation_policy BOOL, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE workspace_id = $1 ORDER BY created_at, id

-- list of product groups by 'state', one
-- takes (INT8), gives (id UUID, workspace_id INT8, internal_reference TEXT, contract_earliest_start_date DATE, contract_latest_start_date DATE, contract_earliest_end_date DATE, contract_latest_end_date DATE, default_expiry_duration_in_seconds INT8, allow_booking_expiry_timer BOOL, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date DATE, publishing_end_date DATE, requires_cancelation_policy BOOL, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE workspace_id = $1 AND state = 'INACTIVE' ORDER BY created_at, id

-- list of product groups by 'published', one
-- takes (INT8, DATE, DATE), gives (id UUID, workspace_id INT8, internal_reference TEXT, contract_earliest_start_date DATE, contract_latest_start_date DATE, contract_earliest_end_date DATE, contract_latest_end_date DATE, default_expiry_duration_in_seconds INT8, allow_booking_expiry_timer BOOL, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date DATE, publishing_end_date DATE, requires_cancelation_policy BOOL, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE workspace_id = $1 AND (publishing_start_date IS NOT NULL AND publishing_start_date <= $2 AND (publishing_end_date IS NULL OR publishing_end_date >= $3)) ORDER BY created_at, id

-- list of product groups by 'not published', one
-- takes (INT8, DATE, DATE), gives (id UUID, workspace_id INT8, internal_reference TEXT, contract_earliest_start_date DATE, contract_latest_start_date DATE, contract_earliest_end_date DATE, contract_latest_end_date DATE, default_expiry_duration_in_seconds INT8, allow_booking_expiry_timer BOOL, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date DATE, publishing_end_date DATE, requires_cancelation_policy BOOL, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE workspace_id = $1 AND NOT (publishing_start_date IS NOT NULL AND publishing_start_date <= $2 AND (publishing_end_date IS NULL OR publishing_end_date >= $3)) ORDER BY created_at, id

-- list of product groups by 'academic_year', one
-- takes (INT8, TEXT), gives (id UUID, workspace_id INT8, internal_reference TEXT, contract_earliest_start_date DATE, contract_latest_start_date DATE, contract_earliest_end_date DATE, contract_latest_end_date DATE, default_expiry_duration_in_seconds INT8, allow_booking_expiry_timer BOOL, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date DATE, publishing_end_date DATE, requires_cancelation_policy BOOL, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE workspace_id = $1 AND academic_year = $2 ORDER BY created_at, id

-- list of product groups by 'product_segment', one
-- takes (INT8), gives (id UUID, workspace_id INT8, internal_reference TEXT, contract_earliest_start_date DATE, contract_latest_start_date DATE, contract_earliest_end_date DATE, contract_latest_end_date DATE, default_expiry_duration_in_seconds INT8, allow_booking_expiry_timer BOOL, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date DATE, publishing_end_date DATE, requires_cancelation_policy BOOL, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE workspace_id = $1 AND product_segment = 'SEMESTER_1' ORDER BY created_at, id

-- list of product groups by 'internal_reference', one
-- takes (INT8, TEXT), gives (id UUID, workspace_id INT8, internal_reference TEXT, contract_earliest_start_date DATE, contract_latest_start_date DATE, contract_earliest_end_date DATE, contract_latest_end_date DATE, default_expiry_duration_in_seconds INT8, allow_booking_expiry_timer BOOL, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date DATE, publishing_end_date DATE, requires_cancelation_policy BOOL, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE workspace_id = $1 AND internal_reference = $2 ORDER BY created_at, id

-- list of product groups by 'all of these', one
-- takes (INT8, TEXT, TEXT, DATE, DATE), gives (id UUID, workspace_id INT8, internal_reference TEXT, contract_earliest_start_date DATE, contract_latest_start_date DATE, contract_earliest_end_date DATE, contract_latest_end_date DATE, default_expiry_duration_in_seconds INT8, allow_booking_expiry_timer BOOL, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date DATE, publishing_end_date DATE, requires_cancelation_policy BOOL, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE workspace_id = $1 AND state = 'INACTIVE' AND academic_year = $2 AND product_segment = 'SEMESTER_1' AND internal_reference = $3 AND (publishing_start_date IS NOT NULL AND publishing_start_date <= $4 AND (publishing_end_date IS NULL OR publishing_end_date >= $5)) ORDER BY created_at, id

-- list of product groups by 'ids', one
-- takes (INT8, UUID[]), gives (id UUID, workspace_id INT8, internal_reference TEXT, contract_earliest_start_date DATE, contract_latest_start_date DATE, contract_earliest_end_date DATE, contract_latest_end_date DATE, default_expiry_duration_in_seconds INT8, allow_booking_expiry_timer BOOL, academic_year TEXT, product_segment TEXT, state TEXT, publishing_start_date DATE, publishing_end_date DATE, requires_cancelation_policy BOOL, cancelation_policy_id TEXT, contract_template_external_id TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, contract_earliest_end_date, contract_latest_end_date, default_expiry_duration_in_seconds, allow_booking_expiry_timer, academic_year, product_segment, state, publishing_start_date, publishing_end_date, requires_cancelation_policy, cancelation_policy_id, contract_template_external_id, created_at, updated_at FROM product_group WHERE workspace_id = $1 AND id = ANY ($2) ORDER BY created_at, id

-- list of products by 'group', one
-- takes (INT8, UUID), gives (id UUID, workspace_id INT8, product_group_id UUID, name TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, units TEXT)
SELECT id, workspace_id, product_group_id, name, created_at, updated_at, (SELECT COALESCE(json_agg(s.unit_id ORDER BY s.unit_id), '[]')::text FROM product_unit s WHERE s.product_id = product.id) AS units FROM product WHERE workspace_id = $1 AND product_group_id = $2 ORDER BY created_at, id

-- list of units by '', one
-- takes (INT8), gives (id UUID, workspace_id INT8, unit_type_id UUID, code TEXT, status TEXT, number_of_bedrooms INT8, number_of_bathrooms INT8, size_in_sqm TEXT, features TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, amenities TEXT, media_items TEXT)
SELECT id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms, size_in_sqm, features, created_at, updated_at, (SELECT COALESCE(json_agg(a.amenity_id ORDER BY a.amenity_id), '[]')::text FROM unit_amenity a WHERE a.unit_id = unit.id) AS amenities, (SELECT COALESCE(json_agg(json_build_object('id', m.id, 'url', m.url) ORDER BY m.position), '[]')::text FROM media_item m WHERE m.unit_id = unit.id) AS media_items FROM unit WHERE workspace_id = $1 ORDER BY created_at, id

-- list of units by 'status', one
-- takes (INT8), gives (id UUID, workspace_id INT8, unit_type_id UUID, code TEXT, status TEXT, number_of_bedrooms INT8, number_of_bathrooms INT8, size_in_sqm TEXT, features TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, amenities TEXT, media_items TEXT)
SELECT id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms, size_in_sqm, features, created_at, updated_at, (SELECT COALESCE(json_agg(a.amenity_id ORDER BY a.amenity_id), '[]')::text FROM unit_amenity a WHERE a.unit_id = unit.id) AS amenities, (SELECT COALESCE(json_agg(json_build_object('id', m.id, 'url', m.url) ORDER BY m.position), '[]')::text FROM media_item m WHERE m.unit_id = unit.id) AS media_items FROM unit WHERE workspace_id = $1 AND status = 'ARCHIVED' ORDER BY created_at, id

-- list of units by 'updated_since', one
-- takes (INT8, TIMESTAMPTZ), gives (id UUID, workspace_id INT8, unit_type_id UUID, code TEXT, status TEXT, number_of_bedrooms INT8, number_of_bathrooms INT8, size_in_sqm TEXT, features TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, amenities TEXT, media_items TEXT)
SELECT id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms, size_in_sqm, features, created_at, updated_at, (SELECT COALESCE(json_agg(a.amenity_id ORDER BY a.amenity_id), '[]')::text FROM unit_amenity a WHERE a.unit_id = unit.id) AS amenities, (SELECT COALESCE(json_agg(json_build_object('id', m.id, 'url', m.url) ORDER BY m.position), '[]')::text FROM media_item m WHERE m.unit_id = unit.id) AS media_items FROM unit WHERE workspace_id = $1 AND updated_at >= $2 ORDER BY created_at, id

-- list of units by 'all of these', one
-- takes (INT8, TIMESTAMPTZ), gives (id UUID, workspace_id INT8, unit_type_id UUID, code TEXT, status TEXT, number_of_bedrooms INT8, number_of_bathrooms INT8, size_in_sqm TEXT, features TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, amenities TEXT, media_items TEXT)
SELECT id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms, size_in_sqm, features, created_at, updated_at, (SELECT COALESCE(json_agg(a.amenity_id ORDER BY a.amenity_id), '[]')::text FROM unit_amenity a WHERE a.unit_id = unit.id) AS amenities, (SELECT COALESCE(json_agg(json_build_object('id', m.id, 'url', m.url) ORDER BY m.position), '[]')::text FROM media_item m WHERE m.unit_id = unit.id) AS media_items FROM unit WHERE workspace_id = $1 AND status = 'ARCHIVED' AND updated_at >= $2 ORDER BY created_at, id

-- list of units by 'ids', one
-- takes (INT8, UUID[]), gives (id UUID, workspace_id INT8, unit_type_id UUID, code TEXT, status TEXT, number_of_bedrooms INT8, number_of_bathrooms INT8, size_in_sqm TEXT, features TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, amenities TEXT, media_items TEXT)
SELECT id, workspace_id, unit_type_id, code, status, number_of_bedrooms, number_of_bathrooms, size_in_sqm, features, created_at, updated_at, (SELECT COALESCE(json_agg(a.amenity_id ORDER BY a.amenity_id), '[]')::text FROM unit_amenity a WHERE a.unit_id = unit.id) AS amenities, (SELECT COALESCE(json_agg(json_build_object('id', m.id, 'url', m.url) ORDER BY m.position), '[]')::text FROM media_item m WHERE m.unit_id = unit.id) AS media_items FROM unit WHERE workspace_id = $1 AND id = ANY ($2) ORDER BY created_at, id

-- list of bookings by '', one
-- takes (INT8), gives (id UUID, workspace_id INT8, unit_id UUID, product_id UUID, confirmation_code TEXT, status TEXT, check_in DATE, check_out DATE, adults INT8, children INT8, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE workspace_id = $1 ORDER BY created_at, id

-- list of bookings by 'unit', one
-- takes (INT8, UUID), gives (id UUID, workspace_id INT8, unit_id UUID, product_id UUID, confirmation_code TEXT, status TEXT, check_in DATE, check_out DATE, adults INT8, children INT8, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE workspace_id = $1 AND unit_id = $2 ORDER BY created_at, id

-- list of bookings by 'from', one
-- takes (INT8, DATE), gives (id UUID, workspace_id INT8, unit_id UUID, product_id UUID, confirmation_code TEXT, status TEXT, check_in DATE, check_out DATE, adults INT8, children INT8, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE workspace_id = $1 AND check_out > $2 ORDER BY created_at, id

-- list of bookings by 'to', one
-- takes (INT8, DATE), gives (id UUID, workspace_id INT8, unit_id UUID, product_id UUID, confirmation_code TEXT, status TEXT, check_in DATE, check_out DATE, adults INT8, children INT8, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE workspace_id = $1 AND check_in <= $2 ORDER BY created_at, id

-- list of bookings by 'updated_since', one
-- takes (INT8, TIMESTAMPTZ), gives (id UUID, workspace_id INT8, unit_id UUID, product_id UUID, confirmation_code TEXT, status TEXT, check_in DATE, check_out DATE, adults INT8, children INT8, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE workspace_id = $1 AND updated_at >= $2 ORDER BY created_at, id

-- list of bookings by 'all of these', one
-- takes (INT8, UUID, DATE, DATE, TIMESTAMPTZ), gives (id UUID, workspace_id INT8, unit_id UUID, product_id UUID, confirmation_code TEXT, status TEXT, check_in DATE, check_out DATE, adults INT8, children INT8, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE workspace_id = $1 AND unit_id = $2 AND check_out > $3 AND check_in <= $4 AND updated_at >= $5 ORDER BY created_at, id

-- list of bookings by 'ids', one
-- takes (INT8, UUID[]), gives (id UUID, workspace_id INT8, unit_id UUID, product_id UUID, confirmation_code TEXT, status TEXT, check_in DATE, check_out DATE, adults INT8, children INT8, contacts TEXT, platform TEXT, payment_status TEXT, vetting_status TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, unit_id, product_id, confirmation_code, status, check_in, check_out, adults, children, contacts, platform, payment_status, vetting_status, created_at, updated_at FROM booking WHERE workspace_id = $1 AND id = ANY ($2) ORDER BY created_at, id

-- list of tasks by '', one
-- takes (INT8), gives (id UUID, workspace_id INT8, title TEXT, kind TEXT, due_date DATE, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id UUID, booking_id UUID, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE workspace_id = $1 ORDER BY created_at, id

-- list of tasks by 'unit', one
-- takes (INT8, UUID), gives (id UUID, workspace_id INT8, title TEXT, kind TEXT, due_date DATE, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id UUID, booking_id UUID, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE workspace_id = $1 AND unit_id = $2 ORDER BY created_at, id

-- list of tasks by 'from', one
-- takes (INT8, DATE), gives (id UUID, workspace_id INT8, title TEXT, kind TEXT, due_date DATE, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id UUID, booking_id UUID, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE workspace_id = $1 AND due_date >= $2 ORDER BY created_at, id

-- list of tasks by 'to', one
-- takes (INT8, DATE), gives (id UUID, workspace_id INT8, title TEXT, kind TEXT, due_date DATE, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id UUID, booking_id UUID, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE workspace_id = $1 AND due_date <= $2 ORDER BY created_at, id

-- list of tasks by 'all of these', one
-- takes (INT8, UUID, DATE, DATE), gives (id UUID, workspace_id INT8, title TEXT, kind TEXT, due_date DATE, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id UUID, booking_id UUID, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE workspace_id = $1 AND unit_id = $2 AND due_date >= $3 AND due_date <= $4 ORDER BY created_at, id

-- list of users by '', one
-- takes (INT8), gives (id UUID, email TEXT, name TEXT, nickname TEXT, status TEXT, joined_at TIMESTAMPTZ, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, role_bindings TEXT, teams TEXT)
SELECT id, email, name, nickname, status, joined_at, created_at, updated_at, (SELECT COALESCE(json_agg(json_build_object('workspace_id', r.workspace_id, 'roles', r.roles::json) ORDER BY r.workspace_id), '[]')::text FROM role_binding r WHERE r.account_id = account.id) AS role_bindings, (SELECT COALESCE(json_agg(t.team_id ORDER BY t.team_id), '[]')::text FROM team_member t WHERE t.account_id = account.id) AS teams FROM account WHERE id IN (SELECT b.account_id FROM role_binding b WHERE b.workspace_id = $1) ORDER BY created_at, id

-- list of users by 'status', one
-- takes (INT8), gives (id UUID, email TEXT, name TEXT, nickname TEXT, status TEXT, joined_at TIMESTAMPTZ, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, role_bindings TEXT, teams TEXT)
SELECT id, email, name, nickname, status, joined_at, created_at, updated_at, (SELECT COALESCE(json_agg(json_build_object('workspace_id', r.workspace_id, 'roles', r.roles::json) ORDER BY r.workspace_id), '[]')::text FROM role_binding r WHERE r.account_id = account.id) AS role_bindings, (SELECT COALESCE(json_agg(t.team_id ORDER BY t.team_id), '[]')::text FROM team_member t WHERE t.account_id = account.id) AS teams FROM account WHERE id IN (SELECT b.account_id FROM role_binding b WHERE b.workspace_id = $1) AND status = 'SUSPENDED' ORDER BY created_at, id

-- list of webhooks by '', one
-- takes (INT8), gives (id UUID, workspace_id INT8, url TEXT, events TEXT, secret BYTEA, old_secret BYTEA, old_secret_until TIMESTAMPTZ, disabled TEXT, disabled_at TIMESTAMPTZ, failures INT8, failing_since TIMESTAMPTZ, failed_at TIMESTAMPTZ, succeeded_at TIMESTAMPTZ, from_position INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, backlog INT8)
SELECT id, workspace_id, url, events, secret, old_secret, old_secret_until, disabled, disabled_at, failures, failing_since, failed_at, succeeded_at, from_position, created_at, updated_at, (SELECT COUNT(*) FROM webhook_delivery d WHERE d.endpoint_id = webhook_endpoint.id AND d.state = 'pending') AS backlog FROM webhook_endpoint WHERE workspace_id = $1 ORDER BY workspace_id, created_at, id

-- look-up in conversation, one
-- takes (INT8, UUID[]), gives (id UUID, workspace_id INT8, booking_id UUID, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, booking_id, created_at, updated_at FROM conversation WHERE workspace_id = $1 AND booking_id = ANY ($2) ORDER BY created_at, id

-- look-up in message, one
-- takes (INT8, UUID[]), gives (id UUID, conversation_id UUID, body TEXT, content_type TEXT, source TEXT, sent_at TIMESTAMPTZ, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, conversation_id, body, content_type, source, sent_at, created_at, updated_at FROM message WHERE EXISTS (SELECT 1 FROM conversation c WHERE c.id = message.conversation_id AND c.workspace_id = $1) AND id = ANY ($2) ORDER BY sent_at, id

-- look-up in rate_plan, one
-- takes (INT8, UUID[]), gives (id UUID, workspace_id INT8, unit_id UUID, name TEXT, currency TEXT, min_stay INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, unit_id, name, currency, min_stay, created_at, updated_at FROM rate_plan WHERE workspace_id = $1 AND unit_id = ANY ($2) ORDER BY created_at, id

-- look-up in tariff, one
-- takes (INT8, UUID[]), gives (id UUID, rate_plan_id UUID, start_date DATE, end_date DATE, price TEXT, min_stay INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, rate_plan_id, start_date, end_date, price, min_stay, created_at, updated_at FROM tariff WHERE EXISTS (SELECT 1 FROM rate_plan p WHERE p.id = tariff.rate_plan_id AND p.workspace_id = $1) AND id = ANY ($2) ORDER BY rate_plan_id, start_date

-- look-up in media_item, one
-- takes (INT8, UUID[]), gives (id UUID, url TEXT)
SELECT id, url FROM media_item WHERE EXISTS (SELECT 1 FROM unit u WHERE u.id = media_item.unit_id AND u.workspace_id = $1) AND id = ANY ($2) ORDER BY unit_id, position

-- look-up in account, one
-- takes (INT8, UUID[]), gives (id UUID, email TEXT, name TEXT, nickname TEXT, status TEXT, joined_at TIMESTAMPTZ, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, role_bindings TEXT, teams TEXT)
SELECT id, email, name, nickname, status, joined_at, created_at, updated_at, (SELECT COALESCE(json_agg(json_build_object('workspace_id', r.workspace_id, 'roles', r.roles::json) ORDER BY r.workspace_id), '[]')::text FROM role_binding r WHERE r.account_id = account.id) AS role_bindings, (SELECT COALESCE(json_agg(t.team_id ORDER BY t.team_id), '[]')::text FROM team_member t WHERE t.account_id = account.id) AS teams FROM account WHERE id IN (SELECT b.account_id FROM role_binding b WHERE b.workspace_id = $1) AND id = ANY ($2) ORDER BY created_at, id

-- look-up in team, one
-- takes (INT8, UUID[]), gives (id UUID, name TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, name, created_at, updated_at FROM team WHERE EXISTS (SELECT 1 FROM team_member m JOIN role_binding b ON b.account_id = m.account_id WHERE m.team_id = team.id AND b.workspace_id = $1) AND id = ANY ($2) ORDER BY created_at, id

-- look-up in booking_document, one
-- takes (INT8, UUID[]), gives (document_id UUID, workspace_id INT8, booking_id UUID, document_type TEXT, status TEXT, number TEXT, issue_date TEXT, currency TEXT, payable TEXT, issuing_started_at TIMESTAMPTZ, issued_at TIMESTAMPTZ, rejected_by_tax_authority_at TIMESTAMPTZ, rejected_by_tax_authority_reason TEXT, version INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT document_id, workspace_id, booking_id, document_type, status, number, issue_date, currency, payable, issuing_started_at, issued_at, rejected_by_tax_authority_at, rejected_by_tax_authority_reason, version, created_at, updated_at FROM booking_document WHERE workspace_id = $1 AND document_id = ANY ($2) ORDER BY created_at, document_id

-- look-up in conversation, one
-- takes (INT8, UUID[]), gives (id UUID, workspace_id INT8, booking_id UUID, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, booking_id, created_at, updated_at FROM conversation WHERE workspace_id = $1 AND id = ANY ($2) ORDER BY created_at, id

-- look-up in product, one
-- takes (INT8, UUID[]), gives (id UUID, workspace_id INT8, product_group_id UUID, name TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, units TEXT)
SELECT id, workspace_id, product_group_id, name, created_at, updated_at, (SELECT COALESCE(json_agg(s.unit_id ORDER BY s.unit_id), '[]')::text FROM product_unit s WHERE s.product_id = product.id) AS units FROM product WHERE workspace_id = $1 AND id = ANY ($2) ORDER BY created_at, id

-- look-up in rate_plan, one
-- takes (INT8, UUID[]), gives (id UUID, workspace_id INT8, unit_id UUID, name TEXT, currency TEXT, min_stay INT8, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, unit_id, name, currency, min_stay, created_at, updated_at FROM rate_plan WHERE workspace_id = $1 AND id = ANY ($2) ORDER BY created_at, id

-- look-up in building, one
-- takes (INT8, UUID[]), gives (id UUID, workspace_id INT8, name TEXT, address TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, name, address, created_at, updated_at FROM building WHERE workspace_id = $1 AND id = ANY ($2) ORDER BY created_at, id

-- look-up in unit_type, one
-- takes (INT8, UUID[]), gives (id UUID, workspace_id INT8, building_id UUID, code TEXT, name TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, building_id, code, name, created_at, updated_at FROM unit_type WHERE workspace_id = $1 AND id = ANY ($2) ORDER BY created_at, id

-- look-up in submission, one
-- takes (INT8, UUID[]), gives (document_id UUID, workspace_id INT8, stage TEXT, number TEXT, entry_id UUID, entry_renewed BOOL, entry_digest TEXT, check_earlier_attempts BOOL, job_id UUID, structured TEXT, plugin_key TEXT, plugin_version TEXT, plugin_digest TEXT, settlement TEXT, alert_code TEXT, alert_message TEXT, retries INT8, last_error TEXT, held_until TIMESTAMPTZ, stamps TEXT, job_taken_at TIMESTAMPTZ, version INT8, actor TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at FROM submission WHERE workspace_id = $1 AND document_id = ANY ($2) ORDER BY (alert_code IS NULL), updated_at DESC, document_id

-- look-up in task, one
-- takes (INT8, UUID[]), gives (id UUID, workspace_id INT8, title TEXT, kind TEXT, due_date DATE, start_time TEXT, estimated_duration_hours TEXT, notes TEXT, unit_id UUID, booking_id UUID, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ)
SELECT id, workspace_id, title, kind, due_date, start_time, estimated_duration_hours, notes, unit_id, booking_id, created_at, updated_at FROM task WHERE workspace_id = $1 AND id = ANY ($2) ORDER BY created_at, id

-- look-up in product, one
-- takes (INT8, UUID[]), gives (id UUID, workspace_id INT8, product_group_id UUID, name TEXT, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ, units TEXT)
SELECT id, workspace_id, product_group_id, name, created_at, updated_at, (SELECT COALESCE(json_agg(s.unit_id ORDER BY s.unit_id), '[]')::text FROM product_unit s WHERE s.product_id = product.id) AS units FROM product WHERE workspace_id = $1 AND product_group_id = ANY ($2) ORDER BY created_at, id
