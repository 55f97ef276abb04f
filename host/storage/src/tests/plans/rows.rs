//! A hundred thousand rows of each table that is listed, of twenty workspaces in turn; made by the database itself.

use gateway_database::sql::Engine;
use sqlx::{AssertSqlSafe, ConnectOptions};
use sqlx_postgres::PgConnection;
use sqlx_sqlite::{SqliteConnectOptions, SqliteConnection, SqliteSynchronous};

const ROWS: i64 = 100_000;

/// What the engines write differently; `i` is the number of the row.
struct Words {
    engine: Engine,
}

impl Words {
    /// An id out of a number.
    fn id(&self, number: &str) -> String {
        match self.engine {
            Engine::Postgres => {
                format!("('00000000-0000-7000-8000-' || lpad(to_hex({number}), 12, '0'))::uuid")
            }
            Engine::Sqlite => format!("printf('00000000-0000-7000-8000-%012x', {number})"),
        }
    }

    /// An instant, so many seconds after the beginning of 2026.
    fn at(&self, seconds: &str) -> String {
        match self.engine {
            Engine::Postgres => format!("to_timestamp(1767225600 + {seconds})"),
            Engine::Sqlite => {
                format!("strftime('%Y-%m-%dT%H:%M:%S.000000Z', 1767225600 + {seconds}, 'unixepoch')")
            }
        }
    }

    /// A day, so many after the first of 2026.
    fn day(&self, days: &str) -> String {
        match self.engine {
            Engine::Postgres => format!("DATE '2026-01-01' + ({days})::integer"),
            Engine::Sqlite => format!("date('2026-01-01', ({days}) || ' days')"),
        }
    }

    fn insert(&self, table: &str, columns: &str, rows: i64, values: &str) -> String {
        let numbers = match self.engine {
            Engine::Postgres => format!("generate_series(1, {rows}) AS n(i)"),
            Engine::Sqlite => format!(
                "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) SELECT i FROM n)"
            ),
        };
        format!("INSERT INTO {table} ({columns}) SELECT {values} FROM {numbers};\n")
    }

    /// Everything.
    fn all(&self) -> String {
        let operated = [self.workspaces(), self.audit(), self.reconciliations(), self.legal_clock()].concat();
        [self.documents(), self.finance(), self.catalog(), self.reservations(), self.people(), operated]
            .concat()
    }

    fn documents(&self) -> String {
        let (id, booking, at) = (self.id("i"), self.id("i % 10000"), self.at("i"));
        let (draft, rejected) = ("(i / 20) % 10 = 0", "(i / 20) % 1000 = 1");
        let day = self.day("(i / 20) % 300");
        let documents = self.insert(
            "invoice",
            "id, workspace_id, kind, status, content, totals, number, send_to_tax_authority, issued_at, rejected_at, \
             rejection_reason, booking_id, \
             issue_date, gross_ten_thousandths, version, filters_version, created_at, updated_at",
            ROWS,
            &format!(
                "{id}, 1 + i % 20, CASE WHEN (i / 20) % 1000 = 3 THEN 'credit_note' ELSE 'invoice' END, CASE WHEN {draft} THEN 'draft' WHEN {rejected} THEN 'rejected' ELSE 'issued' END, '{{}}', '{{}}', \
                 CASE WHEN {draft} THEN NULL ELSE 'F-' || i END, TRUE, CASE WHEN {draft} OR {rejected} THEN NULL ELSE {at} END, \
                 CASE WHEN {rejected} THEN {at} END, CASE WHEN {rejected} THEN 'no' END, \
                 {booking}, CAST({day} AS TEXT), 10000 * (i % 5000), 1, 1, {at}, {at}"
            ),
        );
        let numbers = self.insert(
            "invoice_number",
            "workspace_id, kind, year, no, number, invoice_id, given_at",
            ROWS,
            &format!("1 + i % 20, 'invoice', 2026, i, 'F-' || i, {id}, {at}"),
        );
        [documents, numbers, self.recipients("invoice_recipient_term", "roe")].concat()
    }

    /// A thousandth of the limits waits to be told.
    fn legal_clock(&self) -> String {
        let (id, at, end) = (self.id("i"), self.at("i"), self.at("i + 1"));
        let seal = match self.engine {
            Engine::Postgres => "'\\x00'::bytea",
            Engine::Sqlite => "x'00'",
        };
        let limits = self.insert(
            "filing_deadline",
            "document_id, workspace_id, number, issued_at, file_by, checked_at, alert_at, alerted_at",
            ROWS,
            &format!(
                "{id}, 1 + i % 20, 'F-' || i, {at}, {at}, {at}, {at}, CASE WHEN i % 1000 = 1 THEN NULL ELSE {at} END"
            ),
        );
        let outages = self.insert(
            "outage",
            "id, side, call, began_at, counts_since, ended_at, failures, last_failed_at, last_error, seal_key, seal",
            ROWS,
            &format!("{id}, 'provider', 'put_entry', {at}, {at}, {end}, 2, {at}, 'HTTP 503', 'abc', {seal}"),
        );
        [limits, outages].concat()
    }

    /// Two words of a name for each document: one that a thousandth has, and one that is its own.
    fn recipients(&self, table: &str, name: &str) -> String {
        let id = self.id("i");
        let columns = "document_id, workspace_id, term";
        let names = format!("{id}, 1 + i % 20, '{name}' || ((i / 20) % 1000)");
        let numbers = format!("{id}, 1 + i % 20, 'x' || i");
        [self.insert(table, columns, ROWS, &names), self.insert(table, columns, ROWS, &numbers)].concat()
    }

    fn finance(&self) -> String {
        let (id, booking, at) = (self.id("i"), self.id("i % 10000"), self.at("i"));
        let day = self.day("(i / 20) % 300");
        let (alert, rejected) = ("(i / 20) % 50 = 1", "(i / 20) % 1000 = 2");
        let submissions = self.insert(
            "submission",
            "document_id, workspace_id, stage, number, entry_id, entry_renewed, structured, plugin_key, plugin_version, \
             plugin_digest, job_id, job_taken_at, settlement, alert_code, alert_message, retries, version, actor, \
             created_at, updated_at",
            ROWS,
            &format!(
                "{id}, 1 + i % 20, CASE WHEN {alert} THEN 'waiting' WHEN {rejected} THEN 'rejected' ELSE 'accepted' END, \
                 'F-' || i, {id}, FALSE, '{{}}', 'es-verifactu', '1.0.0', 'abc', {id}, {at}, \
                 CASE WHEN {alert} THEN NULL WHEN {rejected} THEN '{{\"settlement\":\"reject\"}}' \
                 ELSE '{{\"settlement\":\"accept\"}}' END, \
                 CASE WHEN {alert} THEN 'overdue' END, CASE WHEN {alert} THEN 'look' END, 0, 1, 'jane', {at}, {at}"
            ),
        );
        let events = self.insert(
            "event",
            "id, source, workspace_id, subject, sequence, type, time, actor, data, position",
            ROWS,
            &format!("{id}, '/invoicing', 1 + i % 20, {id}, 1, 'issued', {at}, 'jane', '{{}}', i"),
        );
        let documents_of_bookings = self.insert(
            "booking_document",
            "document_id, workspace_id, booking_id, document_type, status, currency, payable, version, created_at, \
             updated_at",
            ROWS,
            &format!("{id}, 1 + i % 20, {booking}, 'invoice', 'issued', 'EUR', '1.00', 1, {at}, {at}"),
        );
        let status = "CASE WHEN (i / 20) % 10 = 0 THEN 'draft' WHEN (i / 20) % 1000 = 1 THEN 'rejected' ELSE 'issued' END";
        // A document is some hundred characters at least.
        let data = format!("{{\"lines\":\"{}\"}}", "x".repeat(500));
        let copies = self.insert(
            "finance_document",
            "document_id, workspace_id, version, filters_version, data, created_at, updated_at, status, booking_id, number, \
             document_type, issue_date, gross_ten_thousandths",
            ROWS,
            &format!(
                "{id}, 1 + i % 20, 1, 1, '{data}', {at}, {at}, {status}, {booking}, 'F-' || i, \
                 CASE WHEN (i / 20) % 1000 = 3 THEN 'credit_note' ELSE 'invoice' END, CAST({day} AS TEXT), 10000 * (i % 5000)"
            ),
        );
        let recipients = self.recipients("finance_document_recipient_term", "roe");
        [submissions, events, documents_of_bookings, copies, recipients].concat()
    }

    fn catalog(&self) -> String {
        let (id, group, at, day) = (self.id("i"), self.id("i % 1000"), self.at("i"), self.day("i % 300"));
        let groups = self.insert(
            "product_group",
            "id, workspace_id, internal_reference, contract_earliest_start_date, contract_latest_start_date, \
             contract_earliest_end_date, contract_latest_end_date, academic_year, product_segment, state, \
             publishing_start_date, requires_cancelation_policy, created_at, updated_at",
            ROWS,
            &format!(
                "{id}, 1 + i % 20, 'R-' || i, {day}, {day}, {day}, {day}, (2020 + i % 7) || '/' || (2021 + i % 7), \
                 'SEMESTER_' || (1 + i % 2), CASE WHEN (i / 20) % 1000 = 1 THEN 'INACTIVE' ELSE 'ACTIVE' END, {day}, FALSE, {at}, {at}"
            ),
        );
        let products = self.insert(
            "product",
            "id, workspace_id, product_group_id, name, created_at, updated_at",
            ROWS,
            &format!("{id}, 1 + i % 20, {group}, 'room', {at}, {at}"),
        );
        let units = self.insert(
            "unit",
            "id, workspace_id, unit_type_id, code, status, features, created_at, updated_at",
            ROWS,
            &format!("{id}, 1 + i % 20, {group}, 'U', CASE WHEN (i / 20) % 1000 = 1 THEN 'ARCHIVED' ELSE 'ACTIVE' END, '[]', {at}, {at}"),
        );
        [groups, products, units].concat()
    }

    fn reservations(&self) -> String {
        let (id, unit, at) = (self.id("i"), self.id("i % 10000"), self.at("i"));
        let (first, last) = (self.day("i % 300"), self.day("i % 300 + 5"));
        let bookings = self.insert(
            "booking",
            "id, workspace_id, unit_id, confirmation_code, status, check_in, check_out, adults, children, contacts, \
             vetting_status, created_at, updated_at",
            ROWS,
            &format!(
                "{id}, 1 + i % 20, {unit}, 'C' || i, 'ENQUIRY', {first}, {last}, 1, 0, '[]', 'UNVETTED', {at}, {at}"
            ),
        );
        let tasks = self.insert(
            "task",
            "id, workspace_id, title, due_date, unit_id, created_at, updated_at",
            ROWS,
            &format!("{id}, 1 + i % 20, 'clean', {first}, {unit}, {at}, {at}"),
        );
        let conversations = self.insert(
            "conversation",
            "id, workspace_id, booking_id, created_at, updated_at",
            ROWS,
            &format!("{id}, 1 + i % 20, {id}, {at}, {at}"),
        );
        let messages = self.insert(
            "message",
            "id, conversation_id, body, content_type, sent_at, created_at, updated_at",
            ROWS,
            &format!("{id}, {}, 'Hello', 'text/plain', {at}, {at}, {at}", self.id("i % 100")),
        );
        [bookings, tasks, conversations, messages].concat()
    }

    /// A hundred users of each of a thousand workspaces, and endpoints that are told a lot.
    fn people(&self) -> String {
        let (id, at) = (self.id("i"), self.at("i"));
        let users = self.insert(
            "account",
            "id, email, status, created_at, updated_at",
            ROWS,
            &format!("{id}, 'a@example.com', CASE WHEN i % 10000 = 1 THEN 'SUSPENDED' ELSE 'ACTIVE' END, {at}, {at}"),
        );
        let roles = self.insert(
            "role_binding",
            "account_id, workspace_id, roles",
            ROWS,
            &format!("{id}, 1 + i % 1000, '[]'"),
        );
        let (endpoint, message) = (self.id("i % 10"), self.id("i"));
        let endpoints = self.insert(
            "webhook_endpoint",
            "id, workspace_id, url, events, secret, disabled, disabled_at, from_position, created_at, updated_at",
            20_000,
            &format!(
                "{id}, 1 + i % 1000, 'https://example.com', '[]', {}, {}, {}, 0, {at}, {at}",
                self.bytes(),
                "CASE WHEN i % 100 = 1 THEN 'failing' WHEN i % 100 = 2 THEN 'owner' END",
                format_args!("CASE WHEN i % 100 IN (1, 2) THEN {at} END"),
            ),
        );
        let messages = self.insert(
            "webhook_message",
            "id, workspace_id, type, time, body, created_at",
            ROWS,
            &format!("{id}, 1, 'invoice.issued', {at}, '{{}}', {at}"),
        );
        let deliveries = self.insert(
            "webhook_delivery",
            "id, endpoint_id, message_id, state, due_at, done_at, created_at",
            ROWS,
            &format!("{id}, {endpoint}, {message}, CASE WHEN i % 1000 = 7 THEN 'failed' ELSE 'delivered' END, {at}, {at}, {at}"),
        );
        [users, roles, endpoints, messages, deliveries].concat()
    }

    /// A thousand.
    fn workspaces(&self) -> String {
        let at = self.at("i");
        self.insert(
            "workspace",
            "id, name, legal_name, tax_id, country, time_zone, invoice_pattern, credit_pattern, rejection_strategy, \
             created_at, updated_at",
            1_000,
            &format!("i, 'W', 'W', 'B' || i, 'ES', 'UTC', 'F-{{n}}', 'C-{{n}}', 'a', {at}, {at}"),
        )
    }

    /// Runs of twenty workspaces, what one of ten thousand found, ten amendments and attachments of each of ten thousand documents,
    /// and tokens
    /// that end one by one.
    fn reconciliations(&self) -> String {
        let (id, at, later) = (self.id("i"), self.at("i"), self.at("i + 1"));
        let runs = self.insert(
            "reconciliation",
            "id, workspace_id, requested_by, from_at, to_at, stage, requests, failures, counts, version, started_at, updated_at",
            ROWS,
            &format!("{id}, 1 + i % 20, 'jane', {at}, {later}, 'ended', 1, 0, '{{}}', 1, {at}, {at}"),
        );
        let found = self.insert(
            "reconciled_entry",
            "reconciliation_id, entry_id, outcome, divergences",
            ROWS,
            &format!("{}, {id}, 'only_there', '[]'", self.id("i % 10000")),
        );
        let amendments = self.insert(
            "amendment",
            "id, document_id, workspace_id, ordinal, number, changes, content, replaced, job_id, entry_id, plugin_key, \
             plugin_version, plugin_digest, structured, state, retries, outcome, ended_at, actor, version, created_at, updated_at",
            ROWS,
            &format!(
                "{id}, {}, 1 + i % 20, 1 + i / 10000, 'F-' || i, '[]', '{{}}', '{{}}', {id}, {id}, 'es-verifactu', \
                 '1.0.0', 'abc', '{{}}', 'accepted', 0, '{{}}', {at}, 'jane', 1, {at}, {at}",
                self.id("i % 10000")
            ),
        );
        let tokens = self.insert(
            "e_invoicing",
            "workspace_id, regime, company_id, workflow_id, token, settings, updated_at, token_expires_at",
            20_000,
            &format!("i, 'es-verifactu', {id}, {id}, {}, '{{}}', {at}, {at}", self.bytes()),
        );
        let attachments = self.insert(
            "attachment",
            "document_id, id, name, media_type, size, digest, actor, created_at, content",
            ROWS,
            &format!(
                "{}, {id}, 'a.pdf', 'application/pdf', 1, '', 'jane', {at}, {}",
                self.id("i % 10000"),
                self.bytes()
            ),
        );
        [runs, found, amendments, attachments, tokens].concat()
    }

    /// A hundred entries of each of a thousand actors, ten of each of ten thousand subjects.
    fn audit(&self) -> String {
        let (id, at) = (self.id("i"), self.at("i"));
        self.insert(
            "audit",
            "id, at, actor, action, subject, data",
            ROWS,
            &format!("{id}, {at}, 'jane' || (i % 1000), 'client.update', 'client:' || (i % 10000), '{{}}'"),
        )
    }

    const fn bytes(&self) -> &'static str {
        match self.engine {
            Engine::Postgres => "'\\x00'::bytea",
            Engine::Sqlite => "x'00'",
        }
    }
}

pub(super) async fn fill_postgres(connection: &mut PgConnection) {
    let fill = Words { engine: Engine::Postgres }.all();
    // Triggers keep what rows refer to, which nobody looks at here.
    let text =
        // Every row is sampled, so that the planner knows the same in every run.
        format!("SET session_replication_role = replica; SET synchronous_commit = off; {fill} SET default_statistics_target = 400; ANALYZE;");
    sqlx::raw_sql(AssertSqlSafe(text)).execute(connection).await.unwrap();
}

/// A connection that looks at no references and is quick.
pub(super) async fn sqlite(url: &str) -> SqliteConnection {
    let options: SqliteConnectOptions = url.parse().unwrap();
    options.foreign_keys(false).synchronous(SqliteSynchronous::Off).connect().await.unwrap()
}

pub(super) async fn fill_sqlite(connection: &mut SqliteConnection) {
    let fill = Words { engine: Engine::Sqlite }.all();
    let text = format!("PRAGMA cache_size = -200000; BEGIN; {fill} COMMIT;");
    sqlx::raw_sql(AssertSqlSafe(text)).execute(connection).await.unwrap();
}
