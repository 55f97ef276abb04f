//! What is remembered of a document, and of the names of a sender's files.

use einvoice_eu::register::stamp;
use einvoice_plugin::Stamp;
use serde::{Deserialize, Serialize};

/// How many progressive numbers five characters of a file's name have.
const PROGRESSIVE_NUMBERS: u32 = 60_466_176;
/// Characters of a progressive number.
const PROGRESSIVE_CHARS: usize = 5;

/// A document as SdI remembers it. Records from before files had names hold neither these nor a standing.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StoredRecord {
    number: String,
    /// SHA-256 of the document, hexadecimal.
    pub(super) digest: String,
    stamps: Vec<(String, String)>,
    /// Of the document's file.
    #[serde(default)]
    pub(super) progressive: u32,
    /// The last one of its sender when this was written.
    #[serde(default)]
    last_progressive: u32,
    #[serde(default)]
    standing: Standing,
}

/// What SdI holds under a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Standing {
    #[default]
    Accepted,
    /// Nothing: it discarded the file.
    Discarded,
}

impl StoredRecord {
    pub(super) fn new(
        number: &str,
        digest: &str,
        progressive: u32,
        stamps: &[Stamp],
        accepted: bool,
    ) -> Self {
        Self {
            number: number.to_owned(),
            digest: digest.to_owned(),
            stamps: stamps.iter().map(|stamp| (stamp.provider.clone(), stamp.value.clone())).collect(),
            progressive,
            last_progressive: progressive,
            standing: if accepted { Standing::Accepted } else { Standing::Discarded },
        }
    }

    /// The last progressive number of a sender, by the last record of its chain and by that under the number.
    pub(super) fn last_progressive(previous: Option<&Self>, registered: Option<&Self>) -> u32 {
        [previous, registered].into_iter().flatten().map(|record| record.last_progressive).max().unwrap_or(0)
    }

    /// The same record, later in the sender's chain.
    pub(super) fn followed_by(self, last_progressive: u32) -> Self {
        Self { last_progressive, ..self }
    }

    pub(super) fn is_accepted(&self) -> bool {
        self.standing == Standing::Accepted
    }

    pub(super) fn stamps(&self) -> Vec<Stamp> {
        self.stamps.iter().map(|(provider, value)| stamp(provider, value)).collect()
    }
}

/// A progressive number in five digits and capital letters.
pub(super) fn progressive_text(progressive: u32) -> String {
    let mut rest = progressive % PROGRESSIVE_NUMBERS;
    let mut reversed = Vec::with_capacity(PROGRESSIVE_CHARS);
    for _ in 0..PROGRESSIVE_CHARS {
        reversed.push(char::from_digit(rest % 36, 36).unwrap_or('0').to_ascii_uppercase());
        rest /= 36;
    }
    reversed.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::progressive_text;

    #[test]
    fn a_progressive_number_has_five_characters() {
        let texts = [0, 1, 35, 36, 60_466_175, 60_466_177].map(progressive_text);
        assert_eq!(texts, ["00000", "00001", "0000Z", "00010", "ZZZZZ", "00001"]);
    }
}
