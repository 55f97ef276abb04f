//! Data on standard output, notes on standard error. A reader that went away is no failure.

mod screen;
mod tables;

pub use tables::{Column, listing, table};

use gateway_domain::printable;
use screen::{ERROR, Screen};
use serde::Serialize;
use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// What is printed as it is, of all that would steer a terminal.
const PRINTED_CONTROLS: &[char] = &['\n'];
/// How a refusal begins.
const ERROR_WORD: &str = "error:";

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
    pub fn data<T: Into<Text>>(self, value: &impl Serialize, text: impl FnOnce() -> T) {
        if !self.json {
            return line(text().into().as_str());
        }
        match serde_json::to_string(value) {
            Ok(json) => line(&json),
            // Only a type whose own serialisation fails gets here.
            Err(error) => {
                note(&format!("error: the result cannot be written as JSON: {error}"));
                OUTPUT_LOST.store(true, Ordering::Release);
            }
        }
    }
}

/// Text for people, in which only our own styles steer a terminal.
#[derive(Debug)]
pub struct Text(String);

impl Text {
    /// Parts below one another, with an empty line between two.
    pub fn paragraphs(parts: impl IntoIterator<Item = Self>) -> Self {
        let parts: Vec<String> = parts.into_iter().map(|part| part.0).collect();
        Self(parts.join("\n\n"))
    }

    /// With its styles, for [`line`]. There is no `Display`: a text made of it would have them escaped.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(printable(&text, PRINTED_CONTROLS).into_owned())
    }
}

/// Whether something did not get onto standard output, although somebody reads it.
static OUTPUT_LOST: AtomicBool = AtomicBool::new(false);

/// One line on standard output.
pub fn line(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let written = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
    if written.is_err_and(|error| error.kind() != ErrorKind::BrokenPipe) {
        OUTPUT_LOST.store(true, Ordering::Release);
    }
}

/// Whether a line was lost, on a full disk for instance.
pub fn is_output_lost() -> bool {
    OUTPUT_LOST.load(Ordering::Acquire)
}

/// One line on standard error. The word `error:` that it begins with stands out on a terminal.
pub fn note(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let text = printable(text, PRINTED_CONTROLS);
    let _ = match (text.strip_prefix(ERROR_WORD), Screen::of(&stderr)) {
        (Some(rest), Some(screen)) => writeln!(stderr, "{}{rest}", screen.paint(ERROR_WORD, ERROR)),
        _ => writeln!(stderr, "{text}"),
    };
}
