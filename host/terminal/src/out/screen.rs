//! The terminal that somebody reads: how wide it is, and what it may be coloured with.

use anstyle::{AnsiColor, Style};
use std::ffi::OsStr;
use std::io::IsTerminal;
use std::os::fd::AsFd;

/// Of a terminal that does not say how wide it is.
const USUAL_WIDTH: u16 = 80;

/// Names of columns.
pub(super) const HEADING: Style = Style::new().bold();
/// What went wrong.
pub(super) const ERROR: Style = AnsiColor::Red.on_default().bold();

/// A terminal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Screen {
    /// Columns of characters.
    pub(super) width: u16,
    pub(super) has_colours: bool,
}

impl Screen {
    /// The terminal that this goes to; none for a file, a pipe and the like.
    pub(super) fn of(stream: &(impl AsFd + IsTerminal)) -> Option<Self> {
        if !stream.is_terminal() {
            return None;
        }
        let size = rustix::termios::tcgetwinsize(stream).ok();
        let width = size.map(|size| size.ws_col).filter(|columns| *columns > 0).unwrap_or(USUAL_WIDTH);
        let variable = |name| std::env::var_os(name);
        let has_colours = has_colours(variable("NO_COLOR").as_deref(), variable("TERM").as_deref());
        Some(Self { width, has_colours })
    }

    /// The text in a style, where the terminal has colours.
    pub(super) fn paint(self, text: &str, style: Style) -> String {
        if self.has_colours { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }
}

/// As clap decides about the help: <https://no-color.org>, and a terminal that says what it is.
fn has_colours(no_color: Option<&OsStr>, term: Option<&OsStr>) -> bool {
    no_color.is_none_or(OsStr::is_empty) && term.is_some_and(|term| term != "dumb")
}

/// How the state of a document, or of its way to the tax authority, looks.
pub(super) fn style_of_state(state: &str) -> Option<Style> {
    match state {
        "issued" | "accepted" => Some(AnsiColor::Green.on_default()),
        "issuing" => Some(AnsiColor::Yellow.on_default()),
        "rejected" => Some(AnsiColor::Red.on_default()),
        "draft" => Some(Style::new().dimmed()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals_that_have_them_and_people_who_want_them() {
        let decided = |no_color: Option<&'static str>, term: Option<&'static str>| {
            has_colours(no_color.map(OsStr::new), term.map(OsStr::new))
        };
        assert!(decided(None, Some("xterm")) && decided(Some(""), Some("xterm")));
        for (no_color, term) in [(Some("1"), Some("xterm")), (None, Some("dumb")), (None, None)] {
            assert!(!decided(no_color, term), "{no_color:?} {term:?}");
        }
    }

    #[test]
    fn only_what_is_a_terminal_is_a_screen() {
        assert!(Screen::of(&tempfile::tempfile().unwrap()).is_none());
    }
}
