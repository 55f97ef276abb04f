//! What the clocks show in mainland Portugal and Madeira, by which documents are entered.

use einvoice_gobl::clock::western_europe;
use einvoice_gobl::date::Date;

/// Characters of a time without its offset.
const TIME_CHARS: usize = "2026-11-20T08:30:00".len();

/// The day, and the time as SAF-T writes it: `2026-11-20T08:30:00`. None when the text is no instant.
pub fn portugal(instant: &str) -> Option<(Date, String)> {
    let local = western_europe(instant)?;
    let text = local.to_string();
    Some((local.day, text.get(..TIME_CHARS)?.to_owned()))
}
