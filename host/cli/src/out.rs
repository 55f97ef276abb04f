//! Data on standard output, notes on standard error. A reader that went away is no failure.

use comfy_table::Table;
use comfy_table::presets::NOTHING;
use gateway_domain::printable;
use serde::Serialize;
use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// What is printed as it is, of all that would steer a terminal.
const KEPT: &[char] = &['\n'];

/// Where a command's result goes.
#[derive(Debug, Clone, Copy)]
pub struct Out {
    json: bool,
}

impl Out {
    pub const fn new(json: bool) -> Self {
        Self { json }
    }

    /// Prints the result: one line of JSON with `--json`, else text for people.
    pub fn data(self, value: &impl Serialize, text: impl FnOnce() -> String) {
        if !self.json {
            return line(&printable(&text(), KEPT));
        }
        match serde_json::to_string(value) {
            Ok(json) => line(&json),
            // Only a type whose own serialisation fails gets here.
            Err(error) => {
                note(&format!("error: the result cannot be written as JSON: {error}"));
                LOST.store(true, Ordering::Release);
            }
        }
    }
}

/// Whether something did not get onto standard output, although somebody reads it.
static LOST: AtomicBool = AtomicBool::new(false);

/// One line on standard output.
pub fn line(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let written = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
    if written.is_err_and(|error| error.kind() != ErrorKind::BrokenPipe) {
        LOST.store(true, Ordering::Release);
    }
}

/// Whether a line was lost, on a full disk for instance.
pub fn is_output_lost() -> bool {
    LOST.load(Ordering::Acquire)
}

/// One line on standard error.
pub fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", printable(text, KEPT));
}

/// A [`table`] with a first row that names the columns.
pub fn listing<const COLUMNS: usize>(
    heading: [&str; COLUMNS],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let heading = std::iter::once(heading.map(str::to_owned).to_vec());
    table(&heading.chain(rows).collect::<Vec<_>>())
}

/// Columns as wide as their widest cell.
pub fn table(rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).add_rows(rows);
    table.column_iter_mut().for_each(|column| {
        column.set_padding((0, 2));
    });
    table.trim_fmt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_lines_up() {
        let rows = [["ID", "NAME"], ["1", "Änne"], ["100", "B"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(table(&rows), "ID   NAME\n1    Änne\n100  B");
    }
}
