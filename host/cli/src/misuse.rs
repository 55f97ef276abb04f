//! What is wrong with a command line, as a sentence.
//!
//! The parser says what it found as kinds and contexts; its own paragraphs name things as programmers do and change with its
//! releases. How a command is used in general is left to its help.

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::error::Error as _;

/// One sentence about a command line that cannot be understood, with what to do next.
pub(crate) fn sentence(error: &Error) -> String {
    let finding = ParserFinding(error);
    format!("error: {}: see '--help'", finding.reason())
}

/// What the parser found out.
struct ParserFinding<'a>(&'a Error);

impl ParserFinding<'_> {
    fn reason(&self) -> String {
        let argument = self.first(ContextKind::InvalidArg).unwrap_or_else(|| "the argument".to_owned());
        let value = self.first(ContextKind::InvalidValue).unwrap_or_default();
        match self.0.kind() {
            ErrorKind::InvalidSubcommand => {
                let name = self.first(ContextKind::InvalidSubcommand).unwrap_or_default();
                self.with_suggestion(
                    format!("there is no command '{name}'"),
                    ContextKind::SuggestedSubcommand,
                )
            }
            ErrorKind::UnknownArgument => self.unknown(&argument),
            ErrorKind::InvalidValue if value.is_empty() => {
                format!("{argument} needs a value{}", self.allowed())
            }
            ErrorKind::InvalidValue => self.with_suggestion(
                format!("{argument} cannot be '{value}'{}", self.allowed()),
                ContextKind::SuggestedValue,
            ),
            ErrorKind::ValueValidation => {
                let why = self.0.source().map_or_else(|| "it cannot be read".to_owned(), ToString::to_string);
                format!("{argument} cannot be '{value}': {why}")
            }
            ErrorKind::ArgumentConflict => self.conflict(&argument),
            ErrorKind::MissingRequiredArgument => format!("this is missing: {}", self.missing()),
            ErrorKind::MissingSubcommand => "a command is missing".to_owned(),
            ErrorKind::TooManyValues => format!("{argument} takes no value '{value}'"),
            ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
                format!("{argument} needs more values")
            }
            ErrorKind::NoEquals => format!("{argument} takes its value behind '='"),
            ErrorKind::InvalidUtf8 => "an argument is no text in UTF-8".to_owned(),
            // Help and version are no mistakes; of others only their existence is known.
            _ => "the command line cannot be understood".to_owned(),
        }
    }

    fn unknown(&self, argument: &str) -> String {
        let reason = if argument.starts_with('-') {
            format!("there is no option {argument} here")
        } else {
            format!("'{argument}' is one argument too many")
        };
        self.with_suggestion(reason, ContextKind::SuggestedArg)
    }

    fn conflict(&self, argument: &str) -> String {
        let others = self.all(ContextKind::PriorArg);
        if others.iter().any(|other| other == argument) || others.is_empty() {
            return format!("{argument} can be given only once");
        }
        format!("{argument} cannot be given together with {}", others.join(" and "))
    }

    /// Options stand as they are typed, the rest by the name that the help has for it.
    fn missing(&self) -> String {
        self.all(ContextKind::InvalidArg).join(", ")
    }

    fn allowed(&self) -> String {
        let allowed = self.all(ContextKind::ValidValue);
        if allowed.is_empty() { String::new() } else { format!(": use one of {}", allowed.join(", ")) }
    }

    fn with_suggestion(&self, reason: String, kind: ContextKind) -> String {
        // The parser's last one is the nearest.
        match self.all(kind).pop() {
            Some(suggestion) => format!("{reason}; did you mean '{suggestion}'?"),
            None => reason,
        }
    }

    fn first(&self, kind: ContextKind) -> Option<String> {
        self.all(kind).into_iter().next()
    }

    fn all(&self, kind: ContextKind) -> Vec<String> {
        match self.0.get(kind) {
            Some(ContextValue::String(text)) => vec![text.clone()],
            Some(ContextValue::Strings(texts)) => texts.clone(),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::Parser;

    fn sentence_of(line: &str) -> String {
        let error = Cli::try_parse_from(line.split(' ')).expect_err(line);
        sentence(&error)
    }

    #[test]
    fn every_mistake_is_one_sentence_that_names_it() {
        for (line, expected) in [
            ("gateway clent list", "there is no command 'clent'; did you mean 'client'?"),
            ("gateway clien list", "there is no command 'clien'; did you mean 'client'?"),
            ("gateway client lst", "there is no command 'lst'; did you mean 'list'?"),
            ("gateway client list --jsn", "there is no option --jsn here; did you mean '--json'?"),
            ("gateway client list more", "'more' is one argument too many"),
            ("gateway client show", "this is missing: <ID>"),
            (
                "gateway client show x",
                "<ID> cannot be 'x': it is no UUID: copy the whole of it, such as 0197f4f2-0000-7000-8000-000000000001",
            ),
            ("gateway submission list --limit", "--limit <LIMIT> needs a value"),
            (
                "gateway submission list --limit 0",
                "--limit <LIMIT> cannot be '0': give a whole number from 1 to 1000",
            ),
            ("gateway client list --json=yes", "--json takes no value 'yes'"),
            (
                "gateway plugin new it-x --lang rst",
                "--lang <LANG> cannot be 'rst': use one of rust, python, javascript; did you mean 'rust'?",
            ),
            ("gateway submission list --limit 5 --limit 6", "--limit <LIMIT> can be given only once"),
            ("gateway keys rotate master --stage --finish", "--stage cannot be given together with --finish"),
        ] {
            assert_eq!(sentence_of(line), format!("error: {expected}: see '--help'"), "{line}");
        }
    }
}
