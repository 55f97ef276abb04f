//! A verdict by hand as it was typed, and the numbers that it may be about.

use crate::fields::Fields;
use gateway_domain::invoicing::{Invoice, Status};
use gateway_domain_finance::Attempt;

/// A verdict by hand as it was typed.
#[derive(Debug, Default)]
pub struct TypedVerdict {
    pub number: String,
    pub qr_url: String,
    pub no_qr_url: bool,
    pub tax_system_hash: String,
    pub no_hash: bool,
    pub reason: String,
    pub code: String,
}

impl TypedVerdict {
    /// As it was typed.
    pub fn read(fields: &Fields) -> Self {
        let text = |name| fields.text(name).to_owned();
        Self {
            number: text("number"),
            qr_url: text("qr_url"),
            no_qr_url: fields.is_ticked("no_qr_url"),
            tax_system_hash: text("tax_system_hash"),
            no_hash: fields.is_ticked("no_hash"),
            reason: text("reason"),
            code: text("code"),
        }
    }
}

/// The numbers that a document was sent under before, the last one first. What is at the authority now is none of them.
pub fn earlier_numbers(document: &Invoice, attempts: &[Attempt]) -> Vec<String> {
    let present = document.state.number().filter(|_| document.state.status() == Status::Issuing);
    let sent = attempts.iter().rev().filter_map(|attempt| attempt.number.as_ref());
    let mut numbers = Vec::new();
    for number in sent.filter(|number| Some(*number) != present) {
        if !numbers.contains(&number.0) {
            numbers.push(number.0.clone());
        }
    }
    numbers
}
