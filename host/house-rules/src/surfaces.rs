//! Nobody reaches storage through a service: the manifests keep surfaces from naming it, and this keeps services from
//! handing its types on, and the binary, whose manifest has to name it, from reading what services are there for.

use super::Violation;
use super::files::Source;
use super::sources::{product_code, product_lines};

/// Who may hand on what storage has: storage itself, and the binary, which has a rule of its own.
const CRATES_EXEMPT: [&str; 2] = ["host/storage/", "host/gateway/"];
/// Where the binary opens the database, hands it to the services, and holds what keeps others from serving it.
const WIRING: [&str; 3] =
    ["host/gateway/src/wiring.rs", "host/gateway/src/services.rs", "host/gateway/src/serve.rs"];
/// What a service is given and what it lends: the database, a transaction of its caller, and what runs statements.
const TYPES_EXEMPT: [&str; 3] = ["Db", "Tx", "Executor"];

/// Every public re-export of storage, and every public signature and field with one of its types.
pub(super) fn storage(files: &[Source]) -> Vec<Violation> {
    let services = files.iter().filter(|file| {
        file.is_rust()
            && file.path.starts_with("host/")
            && file.path.contains("/src/")
            && !CRATES_EXEMPT.iter().any(|exempt| file.path.starts_with(exempt))
    });
    services.flat_map(in_file).collect()
}

/// Every line of the binary that names storage outside of its wiring, and there what is no type: its commands ask the services.
pub(super) fn binary(files: &[Source]) -> Vec<Violation> {
    // `::Db`, or `::{Db, Options as StorageOptions};`.
    let names_types = |named: &str| {
        let mut names = named.trim_start_matches([':', '{']).split(',').map(str::trim_start);
        names.all(|name| name.starts_with(char::is_uppercase))
    };
    let found = files.iter().filter(|file| file.path.starts_with("host/gateway/src/")).flat_map(|file| {
        let wires = WIRING.contains(&&*file.path);
        let reaches = move |line: &str| {
            line.split("gateway_storage").skip(1).any(|named| !wires || !names_types(named))
        };
        let lines = product_lines(&file.text).into_iter().filter(move |(_, line)| reaches(line));
        let remedy = "ask the service that owns it; what opens the database is imported in one line";
        lines.map(|(line, _)| file.violation(line, "the binary reaches storage".to_owned(), remedy))
    });
    found.filter(|violation| !violation.file.contains("/tests/")).collect()
}

fn in_file(file: &Source) -> Vec<Violation> {
    let code = product_code(&file.text);
    let imported = imported(&code);
    let declarations = declarations(&code);
    let handed_on = declarations.iter().filter(|(_, declaration)| {
        declaration.starts_with("pub use gateway_storage")
            || !declaration.starts_with("pub use ") && names_storage(declaration, &imported)
    });
    handed_on
        .map(|(line, declaration)| {
            let what = format!("a service hands on a type of storage: {declaration}");
            file.violation(*line, what, "give it a type of the rules, or of the service")
        })
        .collect()
}

/// What the file calls the types and modules of storage that it imports, without those that are [`TYPES_EXEMPT`].
fn imported(code: &str) -> Vec<&str> {
    let imports = code.split("use gateway_storage::").skip(1);
    let imports = imports.filter_map(|rest| rest.split(';').next());
    let words = imports.flat_map(|import| import.split(['{', '}', ',']));
    let names =
        words.filter_map(|path| path.rsplit(|c: char| c.is_whitespace() || c == ':').find(|w| !w.is_empty()));
    names.filter(|name| !TYPES_EXEMPT.contains(name)).collect()
}

/// Public declarations without their bodies, each on one line, with the number of its first line.
fn declarations(code: &str) -> Vec<(usize, String)> {
    let mut lines = code.lines().map(str::trim).enumerate();
    let mut found = Vec::new();
    while let Some((index, line)) = lines.next() {
        if !line.starts_with("pub ") {
            continue;
        }
        let mut declaration = line.to_owned();
        while !is_whole(&declaration)
            && let Some((_, more)) = lines.next()
        {
            declaration.push(' ');
            declaration.push_str(more);
        }
        found.push((index.saturating_add(1), declaration));
    }
    found
}

/// The comma behind a parameter ends no function, the one behind a field ends the field.
fn is_whole(declaration: &str) -> bool {
    declaration.ends_with(['{', '}', ';']) || declaration.ends_with(',') && !declaration.contains(" fn ")
}

fn names_storage(declaration: &str, imported: &[&str]) -> bool {
    let mut paths = declaration.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    let storage = |path: &str| {
        let mut steps = path.split("::");
        match (steps.next(), steps.next()) {
            (Some("gateway_storage"), Some(name)) => !TYPES_EXEMPT.contains(&name),
            (Some(module), Some(_)) => imported.contains(&module),
            (Some(name), None) => name.starts_with(char::is_uppercase) && imported.contains(&name),
            (None, _) => false,
        }
    };
    paths.any(storage)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        storage(&[Source { path: path.to_owned(), text: text.to_owned() }]).len()
    }

    #[test]
    fn a_service_that_hands_on_storage_is_found() {
        assert_eq!(
            found("host/finance/src/a.rs", "use gateway_storage::Db;\npub use gateway_storage::Tx;\n"),
            1
        );
        assert_eq!(found("host/finance/src/a.rs", "use gateway_storage::Db;\n"), 0);
        assert_eq!(found("host/gateway/src/a.rs", "pub use gateway_storage::Tx;\n"), 0);
    }

    #[test]
    fn the_binary_names_storage_only_where_it_is_wired() {
        let found = |path: &str, text: &str| {
            let file = Source { path: path.to_owned(), text: text.to_owned() };
            binary(&[file]).into_iter().map(|violation| violation.line).collect::<Vec<_>>()
        };
        let nowhere: [usize; 0] = [];
        let [wiring, ..] = WIRING;
        let opens = "use gateway_storage::{Db, Options as Settings};\nfn f(e: gateway_storage::Engine) {}\n";
        assert_eq!(found(wiring, opens), nowhere);
        assert_eq!(found("host/gateway/src/doctor.rs", opens), [1, 2]);
        for reads in ["workspaces;", "{Db, workspaces};", "tables::journal;", "{\n    Db,\n    jobs,\n};"] {
            assert_eq!(found(wiring, &format!("//! A.\nuse gateway_storage::{reads}\n")), [2], "{reads}");
        }
        let test = "#[cfg(test)]\nmod tests {\n    use gateway_storage::testing;\n}\n";
        assert_eq!(found("host/gateway/src/doctor.rs", test), nowhere);
        assert_eq!(found("host/gateway/src/tests/admin.rs", "use gateway_storage::jobs;\n"), nowhere);
        assert_eq!(found("host/gateway/benches/flow/main.rs", "use gateway_storage::Sql;\n"), nowhere);
    }

    #[test]
    fn a_public_signature_or_field_with_a_type_of_storage_is_found() {
        let with = |code: &str| {
            let imports =
                "use gateway_storage::jobs::{self as queue, Job};\nuse gateway_storage::{Db, Tx};\n";
            found("host/finance/src/a.rs", &format!("{imports}{code}"))
        };
        assert_eq!(with("pub fn next(&self) -> Option<Job> {\n"), 1);
        assert_eq!(with("pub async fn put(\n    &self,\n    id: u8,\n    job: &Job,\n) -> bool {\n"), 1);
        assert_eq!(with("pub struct Page {\n    pub jobs: Vec<queue::Job>,\n    pub id: u8,\n}\n"), 1);
        assert_eq!(with("pub fn count(&self) -> gateway_storage::Count {\n"), 1);
        assert_eq!(with("pub(crate) fn next(&self) -> Option<Job> {\n    let pub_job: Job;\n"), 0);
        assert_eq!(with("fn next() -> Job {}\nstruct Page {\n    jobs: Vec<Job>,\n}\n"), 0);
        assert_eq!(with("pub fn jobs(queue: u8) -> JobView {\n"), 0);
    }

    #[test]
    fn the_database_and_a_transaction_of_the_caller_are_what_a_service_is_given() {
        let text = "use gateway_storage::{Db, Executor, Tx};\npub fn new(db: Db) -> Self {}\npub async fn put(&self, tx: &mut Tx) {}\npub fn find<'a>(on: impl Into<Executor<'a>>) {}\n";
        assert_eq!(found("host/finance/src/a.rs", text), 0);
    }
}
