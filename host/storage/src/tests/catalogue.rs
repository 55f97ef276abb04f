//! Every module is in the catalogue, and every statement that gives many rows is a list, and says what answers it, or says here
//! why it is none.

use crate::catalogue::MODULES;
use crate::catalogue::lists::fixed;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Where modules with statements are, from this crate.
const FOLDERS: [&str; 8] = [
    "/src",
    "/../database/src",
    "/../storage-access/src",
    "/../storage-platform/src",
    "/../storage-documents/src",
    "/../storage-plugins/src",
    "/../storage-provider/src",
    "/../storage-tables/src",
];
/// What the statements of a module begin with.
const STATEMENTS: &str = "\nstatements! {";
/// What reads one row, or whether there is one. Whatever else takes a statement may read many.
const READ_ONE: [&str; 6] = ["execute", "exists", "fetch_one", "fetch_optional", "one", "optional"];

/// What gives many rows and is no list that somebody is shown page by page, by why it need not be one.
const NO_LISTS: [(&str, &[(&str, &str)]); 9] = [
    (
        "rows of given ids, or of what they belong to: a few for each, as many as the caller names",
        &[
            ("accounts", "MEMBERS"),
            ("accounts", "TEAMS_OF"),
            ("attempts", "OF_DOCUMENTS"),
            ("bookings", "BLOCKING"),
            ("credits", "CREDIT_NOTES_OF"),
            ("credits", "REFUNDS_OF"),
            ("deliveries", "ATTEMPTS"),
            ("deliveries", "LOGGED"),
            ("deliveries", "SETTLE"),
            ("events", "KNOWN"),
            ("events", "OF_SUBJECTS"),
            ("evidence", "MESSAGES"),
            ("filing_deadlines", "OF_DOCUMENTS"),
            ("finance_documents", "KEEP"),
            ("invoices", "IMPORTED"),
            ("jobs", "DUE_KINDS"),
            ("jobs", "DUE_OF"),
            ("reconciliations", "FILED_UNDER"),
            ("reconciliations", "OWNERS"),
            ("units", "HOLD"),
            ("units", "OF_BUILDINGS"),
            ("units", "OF_MEDIA"),
            ("units", "OF_TYPES"),
            ("units", "WITH_AMENITIES"),
            ("webhooks", "LOCK"),
            ("webhooks", "OF_WORKSPACES"),
            ("workspaces", "TIME_ZONES"),
        ],
    ),
    (
        "what happened to one document, or follows from it: as little as people and the authority did",
        &[
            ("attempts", "OF_DOCUMENT"),
            ("correctives", "OF_LOCAL"),
            ("correctives", "OF_REMOTE"),
            ("credits", "CREDIT_NOTES"),
            ("credits", "REFUNDS"),
            ("events", "OF_SUBJECT"),
            ("intents", "NOTES"),
        ],
    ),
    (
        "a batch of work in the background, as large as the worker says, from where the last one ended",
        &[
            ("attempts", "UNWATCHED"),
            ("deliveries", "DUE"),
            ("deliveries", "IN_RANGE"),
            ("events", "FIRST_SUBJECTS"),
            ("events", "OF_FIRST_RANGE"),
            ("events", "OF_RANGE"),
            ("events", "SUBJECTS"),
            ("finance_documents", "WITHOUT_FILTERS"),
            ("idempotency", "OUTDATED"),
            ("invoices", "WITHOUT_FILTERS"),
            ("jobs", "CLAIM"),
            ("mail", "WAITING"),
            ("messages", "OLD"),
            ("reconciliations", "NOT_LISTED"),
            ("reconciliations", "UNLISTED"),
            ("watchdog", "WITHOUT_JOB"),
            ("watchdog", "WITHOUT_SUBMISSION"),
            ("webhooks", "CLAIM"),
        ],
    ),
    (
        "sums and counts: a row for each group, of which there are as many as words for them",
        &[
            ("activity", "CALLS"),
            ("activity", "VERDICTS"),
            ("amendments", "OPEN_BY_STATE"),
            ("invoice_lists", "COUNT_BY_STATUS"),
            ("invoice_lists", "KEPT_COUNTS"),
            ("jobs", "DUE"),
            ("jobs", "UNKNOWN"),
            ("number_chains", "CHAINS"),
            ("number_chains", "OF_WORKSPACE"),
            ("reconciliations", "COUNTS"),
            ("reconciliations", "OPEN_BY_OUTCOME"),
            ("reconciliations", "UNKNOWN"),
            ("reports", "BY_MONTH"),
            ("reports", "BY_RATE"),
            ("reports", "BY_STATUS"),
            ("reports", "BY_STATUS_IN_PERIOD"),
            ("submissions", "ALERTS"),
            ("watchdog", "ALERTS_BY_CODE"),
        ],
    ),
    (
        "the first few that matter to a rule, as many as its text or its caller says",
        &[
            ("clients", "SECRETS"),
            ("evidence", "REPEATED_HASH"),
            ("finance_documents", "MATCH_BEYOND"),
            ("finance_documents", "NUMBERED"),
            ("invoice_lists", "MATCH_BEYOND"),
            ("invoice_lists", "NUMBERED"),
            ("legacy_uses", "OF_CLIENT"),
            ("numbers", "OF_WORKSPACE"),
            ("numbers", "PAGE"),
            ("plugins", "WORKSPACES"),
            ("rates", "CURRENCIES"),
            ("recipients", "BEYOND"),
            ("recipients", "BEYOND_OF_WORKSPACE"),
            ("recipients", "COPIES_BEYOND"),
            ("recipients", "COPIES_BEYOND_OF_WORKSPACE"),
            ("sums", "DOCUMENT_CHANGES"),
            ("sums", "RATE_CHANGES"),
        ],
    ),
    (
        "what operators set up by hand, each row one act of theirs",
        &[
            ("canaries", "ENDED"),
            ("canaries", "STANDING"),
            ("client_uses", "ALL"),
            ("e_invoicing", "BY_WEBHOOK_TOKEN"),
            ("plugins", "IN_FORCE"),
            ("plugins", "REPLICAS"),
            ("plugins", "ROLLBACK_TARGETS"),
            ("schedules", "DUE"),
            ("schedules", "SCHEDULED"),
        ],
    ),
    (
        "all that concerns one person or one alert, which an operator deals with at once",
        &[("persons", "BOOKINGS"), ("persons", "USERS"), ("submissions", "ALERTED")],
    ),
    (
        "the stand-in for the provider, which keeps what a trial made",
        &[
            ("sandbox", "ENTRIES_BEFORE"),
            ("sandbox", "ENTRIES_SINCE"),
            ("sandbox", "OPEN_DELIVERIES"),
            ("sandbox", "OPEN_JOBS"),
        ],
    ),
    (
        "one row, read through a function that takes the statement; or what the engine says of itself",
        &[
            ("correctives", "FIND_LOCAL"),
            ("correctives", "FIND_REMOTE"),
            ("creation_clock", "NEWEST"),
            ("creation_clock", "NEWEST_DOCUMENT"),
            ("db", "MIGRATIONS_APPLIED"),
            ("schema", "COLUMNS"),
            ("schema", "REFERENCES"),
            ("whole", "DAMAGE"),
        ],
    ),
];

/// Every source file that has statements, by the name of its module.
fn sources() -> Vec<(String, String)> {
    let here = env!("CARGO_MANIFEST_DIR");
    let mut open: Vec<PathBuf> = FOLDERS.map(|folder| PathBuf::from(format!("{here}{folder}"))).into();
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            if text.contains(STATEMENTS) {
                let module = if path.ends_with("mod.rs") { path.parent().unwrap() } else { &path };
                found.push((module.file_stem().unwrap().to_str().unwrap().to_owned(), text));
            }
        }
    }
    found
}

/// What takes a statement in a source file: the name of each function that is called with it first, empty where it is none.
fn readers<'t>(text: &'t str, name: &str) -> BTreeSet<&'t str> {
    let is_in_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = BTreeSet::new();
    let mut parts = text.split('&').peekable();
    while let (Some(before), Some(behind)) = (parts.next(), parts.peek()) {
        if behind.strip_prefix(name).is_none_or(|rest| rest.starts_with(is_in_word)) {
            continue;
        }
        let call = before.trim_end().trim_end_matches('(').trim_end_matches('>');
        // `fetch_one::<(i64,)>(`
        let call = call
            .rsplit_once("::<")
            .filter(|_| before.trim_end().ends_with(">("))
            .map_or(call, |(call, _)| call);
        found.insert(call.rsplit(|c| !is_in_word(c)).next().unwrap_or_default());
    }
    found
}

/// The statements that may give many rows: which answer rows at all, and of which the source does not show that one is read.
fn of_many_rows() -> BTreeSet<(&'static str, &'static str)> {
    let texts: BTreeMap<String, String> = sources().into_iter().collect();
    let answers = |text: &str| {
        ["SELECT", "WITH"].iter().any(|word| text.starts_with(word)) || text.contains(" RETURNING ")
    };
    let mut found = BTreeSet::new();
    for (module, statements) in MODULES {
        for (name, _) in statements.iter().filter(|(_, sql)| answers(sql.pg)) {
            let readers = readers(&texts[*module], name);
            if readers.is_empty() || !readers.iter().all(|reader| READ_ONE.contains(reader)) {
                found.insert((*module, *name));
            }
        }
    }
    found
}

#[test]
fn every_module_with_statements_is_in_the_catalogue() {
    let with_statements: BTreeSet<_> = sources().into_iter().map(|(module, _)| module).collect();
    let listed: BTreeSet<_> = MODULES.iter().map(|(module, _)| (*module).to_owned()).collect();
    assert_eq!(listed, with_statements);
}

#[test]
fn a_statement_that_gives_many_rows_says_what_answers_it_or_why_it_is_no_list() {
    let lists = fixed::lists().into_iter().map(|list| list.statement);
    let no_lists = NO_LISTS.iter().flat_map(|(_, statements)| statements.iter().copied());
    let named: Vec<_> = lists.chain(no_lists).collect();
    let twice: Vec<_> =
        named.iter().filter(|one| named.iter().filter(|other| other == one).count() > 1).collect();
    assert!(twice.is_empty(), "named twice: {twice:?}");
    let (named, many): (BTreeSet<_>, _) = (named.into_iter().collect(), of_many_rows());
    let missing: Vec<_> = many.difference(&named).collect();
    assert!(
        missing.is_empty(),
        "name in `fixed::lists` what answers these, or in `NO_LISTS` why they are none: {missing:?}"
    );
    let idle: Vec<_> = named.difference(&many).collect();
    assert!(idle.is_empty(), "give one row, or are gone: {idle:?}");
}

#[test]
fn whoever_reads_a_statement_is_found() {
    let text = "on.all(&LIST, params![])\ntx.fetch_one::<(i64,)>(&ONE, a)\non.into()\n    .optional(\n        &ONE,\n    b)\n\
                if newest { &EITHER } else { &LISTED }\n";
    assert_eq!(readers(text, "LIST"), BTreeSet::from(["all"]));
    assert_eq!(readers(text, "ONE"), BTreeSet::from(["fetch_one", "optional"]));
    assert_eq!(readers(text, "EITHER"), BTreeSet::from([""]));
    assert_eq!(readers(text, "NONE"), BTreeSet::new());
}
