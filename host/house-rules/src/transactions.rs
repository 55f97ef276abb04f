//! Nothing waits on the network inside a transaction: a row lock is held no longer than the database takes.

use super::Violation;
use super::files::Source;
use super::sources::product_lines;

/// What reaches a remote service, a plugin, which may take as long, or a second connection, which may never come free.
const CALLS: [&str; 21] = [
    ".client.",
    "client.as_ref()",
    ".invoicing()",
    ".provider()",
    ".check(",
    ".convert(",
    ".convert_amendment(",
    ".render(",
    ".get_entry(",
    ".get_job(",
    ".list_entries(",
    ".put_entry(",
    ".put_job(",
    ".replace_entry(",
    ".get_file(",
    ".interpret(",
    ".map_identity(",
    ".preflight(",
    "webhook_sender",
    ".transport.send(",
    ".db()",
];
/// Documents are read at a remote service there.
const REMOTE: (&str, &str) = ("host/finance/src/invoice_data/remote/", "self.document(");

/// Every call of another service in a function that was lent a transaction, or between its begin and its commit.
pub(super) fn check(files: &[Source]) -> Vec<Violation> {
    let code = files
        .iter()
        .filter(|file| file.is_rust() && file.path.starts_with("host/") && !file.path.contains("/tests"));
    code.flat_map(in_file).collect()
}

/// A function that is being read: how far it is indented, and whether a transaction is open in it.
struct FunctionState {
    indentation: usize,
    in_signature: bool,
    holds: bool,
}

fn in_file(file: &Source) -> Vec<Violation> {
    let remote = file.path.starts_with(REMOTE.0).then_some(REMOTE.1);
    let calls: Vec<_> = CALLS.into_iter().chain(remote).collect();
    let mut found = Vec::new();
    let mut function_state: Option<FunctionState> = None;
    for (at, line) in product_lines(&file.text) {
        let code = line.trim();
        let indentation = line.len() - line.trim_start().len();
        if is_function(code) {
            function_state = Some(FunctionState { indentation, in_signature: true, holds: false });
        }
        let Some(function) = &mut function_state else { continue };
        if function.in_signature {
            function.holds |= code.contains("&mut Tx");
            // rustfmt ends the lines of a signature with this.
            function.in_signature = !code.ends_with('{') && !code.ends_with(';');
            continue;
        }
        if indentation == function.indentation && code == "}" {
            function_state = None;
            continue;
        }
        function.holds |= code.contains(".begin().await");
        if code.contains(".commit_at(") || code.contains("drop(tx)") {
            function.holds = false;
        }
        if code.contains(".begin().await") {
            continue;
        }
        found.extend(calls.iter().filter(|call| function.holds && code.contains(**call)).map(|call| {
            let what = format!("`{call}` is called while a transaction is open");
            file.violation(at, what, "call it before the transaction begins, or after its commit")
        }));
    }
    found
}

fn is_function(code: &str) -> bool {
    let words = code.split_whitespace().take_while(|word| !word.contains('('));
    code.contains('(')
        && (words.clone().any(|word| word == "fn") || code.contains(" fn ") || code.starts_with("fn "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<usize> {
        let file = Source { path: path.to_owned(), text: text.to_owned() };
        check(&[file]).into_iter().map(|violation| violation.line).collect()
    }

    #[test]
    fn a_call_between_begin_and_commit_is_found() {
        let text = "async fn f(&self) {\n    self.client.read().await;\n    let mut tx = db.begin().await?;\n    \
                    self.client.read().await;\n    tx.commit_at(a).await?;\n    self.client.read().await;\n}\n";
        assert_eq!(found("host/finance/src/a.rs", text), [4]);
        assert_eq!(found("host/finance/tests/it/a.rs", text), Vec::<usize>::new());
    }

    #[test]
    fn a_plugin_that_checks_or_converts_while_a_transaction_is_open_is_found() {
        let text = "async fn f(&self) {\n    let mut tx = db.begin().await?;\n    converter.check(&regime).await;\n    \
                    converter.convert(&regime).await;\n    tx.commit_at(a).await?;\n    converter.check(&regime).await;\n}\n";
        assert_eq!(found("host/finance/src/a.rs", text), [3, 4]);
    }

    #[test]
    fn the_provider_that_is_asked_while_a_transaction_is_open_is_found_whatever_it_is_called() {
        let text = "async fn f(&self, tx: &mut Tx) -> B {\n    peer.get_job(id).await;\n    peer.replace_entry(id).await\n}\n";
        assert_eq!(found("host/amendment/src/a.rs", text), [2, 3]);
    }

    #[test]
    fn a_second_connection_beside_a_transaction_is_found() {
        let text = "async fn f(&self, tx: &mut Tx) -> B {\n    submissions::find(self.context.db(), id).await\n}\n\n\
                    async fn g(&self) {\n    let mut tx = self.context.db().begin().await?;\n}\n";
        assert_eq!(found("host/finance/src/a.rs", text), [2]);
    }

    #[test]
    fn a_call_in_a_function_that_is_lent_a_transaction_is_found() {
        let text = "impl A {\n    async fn f(\n        &self,\n        tx: &mut Tx,\n    ) -> B {\n        \
                    self.document(id).await\n    }\n\n    fn g(&self) {\n        self.document(id).await\n    }\n}\n";
        assert_eq!(found("host/finance/src/invoice_data/remote/a.rs", text), [6]);
        assert_eq!(found("host/finance/src/a.rs", text), Vec::<usize>::new(), "it is read in this database");
    }
}
