//! Every list whose statement is one text whatever is asked for, and what answers it.

use super::{Indexes, SAMPLE, recently};
use crate::catalogue::MODULES;
use gateway_database::sql::{Param, Sql, params};
use gateway_domain::ids::WorkspaceId;
use jiff::Timestamp;
use uuid::Uuid;

/// How many rows the sample requests ask for.
const ROWS: i64 = 26;

/// What answers a list.
pub(crate) enum AccessPath {
    /// One of these indexes gives the rows of a table in the order of the list: no more are read than are shown. The
    /// arguments are those of a sample request.
    Index { table: &'static str, indexes: Indexes, arguments: Vec<Param> },
    /// One of these indexes finds all that belongs to what the list is of, which is little by nature: what `bound` says.
    Few { table: &'static str, indexes: Indexes, arguments: Vec<Param>, bound: &'static str },
    /// Whatever is there is read and sorted, which is little by nature: what it says is all there is.
    Bounded(&'static str),
}

/// A list whose statement is one text.
pub(crate) struct FixedList {
    /// The module that has the statement, as the catalogue calls it, and its name there.
    pub(crate) statement: (&'static str, &'static str),
    /// What answers it.
    pub(crate) access: AccessPath,
}

impl FixedList {
    /// The statement; none where the module has none of this name.
    pub(crate) fn sql(&self) -> Option<Sql> {
        let (module, name) = self.statement;
        let (_, statements) = MODULES.iter().find(|(known, _)| *known == module)?;
        statements.iter().find(|(known, _)| *known == name).map(|(_, sql)| *sql)
    }
}

fn indexed(
    statement: (&'static str, &'static str),
    table: &'static str,
    indexes: Indexes,
    arguments: Vec<Param>,
) -> FixedList {
    FixedList { statement, access: AccessPath::Index { table, indexes, arguments } }
}

fn few(
    statement: (&'static str, &'static str),
    (table, indexes): (&'static str, Indexes),
    arguments: Vec<Param>,
    bound: &'static str,
) -> FixedList {
    FixedList { statement, access: AccessPath::Few { table, indexes, arguments, bound } }
}

fn bounded(statement: (&'static str, &'static str), bound: &'static str) -> FixedList {
    FixedList { statement, access: AccessPath::Bounded(bound) }
}

/// All of them.
pub(crate) fn lists() -> Vec<FixedList> {
    [of_documents(), of_operations(), of_few_rows(), of_what_operators_keep()].into_iter().flatten().collect()
}

/// Workspaces, their documents and what belongs to these.
fn of_documents() -> Vec<FixedList> {
    let (first, last) = ("2026-01-01", "2026-12-31");
    vec![
        // SQLite says that it takes the INTEGER PRIMARY KEY, which is no index of its own.
        indexed(
            ("workspaces", "LIST"),
            "workspace",
            &["workspace_pkey", "PRIMARY"],
            params![WorkspaceId(0), ROWS],
        ),
        indexed(
            ("e_invoicing", "REGIMES"),
            "e_invoicing",
            &["e_invoicing_pkey", "PRIMARY"],
            params![WorkspaceId(0), ROWS],
        ),
        indexed(
            ("webhooks", "PAGE"),
            "webhook_endpoint",
            &["webhook_endpoint_of_workspace"],
            params![WorkspaceId(1), ROWS, 0_i64],
        ),
        indexed(
            ("export", "PAGE"),
            "invoice",
            &["invoice_export"],
            params![WorkspaceId(1), first, last, "", Uuid::nil(), ROWS],
        ),
        indexed(
            ("number_chains", "NUMBERS"),
            "invoice_number",
            &["invoice_number_pkey", "sqlite_autoindex_invoice_number_1"],
            params![WorkspaceId(1), "invoice", 2026_i64, 1000_i64],
        ),
        indexed(
            ("evidence", "DOCUMENTS"),
            "invoice",
            &["invoice_page"],
            params![WorkspaceId(1), Timestamp::UNIX_EPOCH, Uuid::nil()],
        ),
        indexed(
            ("evidence", "COPIES"),
            "finance_document",
            &["finance_document_last"],
            params![WorkspaceId(1), Timestamp::UNIX_EPOCH, Uuid::nil()],
        ),
        indexed(("imported_files", "ORIGINS"), "invoice", &["invoice_imported"], params![WorkspaceId(1), ""]),
    ]
}

/// What is done beside documents, and what becomes due.
fn of_operations() -> Vec<FixedList> {
    // A few outages have ended since, as those that bear on a filing of now.
    let lately = Timestamp::from_second(1_767_225_600 + 99_990).unwrap_or(Timestamp::UNIX_EPOCH);
    vec![
        indexed(
            ("filing_deadlines", "TO_TELL"),
            "filing_deadline",
            &["filing_deadline_to_tell"],
            params![lately, ROWS],
        ),
        indexed(("outages", "BETWEEN"), "outage", &["outage_ended"], params![lately, lately, ROWS]),
        indexed(("outages", "NEWEST"), "outage", &["outage_began"], params![ROWS]),
        indexed(("audit", "OLDEST"), "audit", &["audit_page"], params![Timestamp::UNIX_EPOCH, ROWS]),
        indexed(
            ("events", "OLD"),
            "event",
            &["event_of_platform"],
            params![Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH, 0_i64, ROWS],
        ),
        indexed(
            ("reconciliations", "OF_WORKSPACE"),
            "reconciliation",
            &["reconciliation_page"],
            params![WorkspaceId(1), ROWS],
        ),
        indexed(
            ("reconciliations", "NEWEST"),
            "reconciliation",
            &["reconciliation_page_of_all"],
            params![ROWS],
        ),
        indexed(
            ("reconciliations", "ENTRIES"),
            "reconciled_entry",
            &["reconciled_entry_open"],
            params![SAMPLE, Uuid::nil(), ROWS],
        ),
        indexed(
            ("e_invoicing", "EXPIRING_TOKENS"),
            "e_invoicing",
            &["e_invoicing_token_expiry"],
            params![recently(), Timestamp::UNIX_EPOCH, WorkspaceId(0), ROWS],
        ),
        indexed(("webhooks", "GIVEN_UP"), "webhook_endpoint", &["webhook_endpoint_given_up"], params![ROWS]),
    ]
}

/// A few rows of one thing, by an index.
fn of_few_rows() -> Vec<FixedList> {
    const ATTACHMENTS: &str = "the attachments of one document, which has twenty at most";
    const AMENDMENTS: &str =
        "the amendments of one document, each of which somebody asked for after the one before ended";
    const OUTAGES: &str = "the open outages of one side, one for each kind of call";
    vec![
        few(
            ("amendments", "OF_DOCUMENT"),
            ("amendment", &["amendment_document_id_ordinal_key", "sqlite_autoindex_amendment_3"]),
            params![SAMPLE],
            AMENDMENTS,
        ),
        few(
            ("annotations", "ATTACHMENTS"),
            ("attachment", &["attachment_pkey", "sqlite_autoindex_attachment_1"]),
            params![SAMPLE],
            ATTACHMENTS,
        ),
        // PostgreSQL finds the few that are open by the index of ends as well.
        few(("outages", "OPEN"), ("outage", &["outage_open", "outage_ended"]), params!["provider"], OUTAGES),
    ]
}

/// What is read whole: as many rows as operators made.
fn of_what_operators_keep() -> Vec<FixedList> {
    const CLIENTS: &str = "the clients, each of which an operator registered";
    const VERSIONS: &str = "the versions of plugins, each of which an operator installed";
    const SECRETS: &str = "two tokens of each workspace, two secrets of each endpoint, and the keys that sign; \
        read where a process starts and where an operator looks after master keys";
    const RENDERERS: &str = "the versions of renderers, each of which an operator installed";
    const SIGNING_KEYS: &str = "the keys that sign access tokens, or did: one more with each rotation";
    vec![
        bounded(("renderers", "VERSIONS"), RENDERERS),
        bounded(("clients", "LIST"), CLIENTS),
        bounded(("plugins", "VERSIONS"), VERSIONS),
        bounded(("plugins", "VERSIONS_OF"), VERSIONS),
        bounded(("keys", "PUBLISHED"), SIGNING_KEYS),
        bounded(("keys", "SEALING_KEYS"), SECRETS),
        bounded(("keys", "SEALING_USES"), SECRETS),
        bounded(("keys", "SEALED_UNDER"), SECRETS),
        bounded(("keys", "HASHING_KEYS"), CLIENTS),
        bounded(("keys", "HASHED_UNDER"), CLIENTS),
    ]
}
