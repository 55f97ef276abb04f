//! How the workspace wants to be paid: part of its settings.

use einvoice_gobl::format;
use einvoice_plugin::Invoice;
use serde::Deserialize;

/// The workspace's means of payment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Payment {
    /// The format's key: `credit-transfer`.
    pub means: String,
    /// Of the account that is to be credited.
    pub iban: Option<String>,
    /// Of its bank.
    pub bic: Option<String>,
    /// Whose account it is.
    pub account_name: Option<String>,
}

/// A country's means of payment: the format's key and the code of the add-on.
pub type Means = &'static [(&'static str, &'static str)];

impl Payment {
    /// Refuses an unknown means, a transfer without account, an IBAN with a wrong check number.
    pub fn validate(&self, means: Means) -> Result<(), String> {
        if self.code(means).is_none() {
            let known: Vec<_> = means.iter().map(|(key, _)| *key).collect();
            return Err(format!("payment.means is none of {}", known.join(", ")));
        }
        match &self.iban {
            None if self.is_transfer() => Err("a transfer needs payment.iban".to_owned()),
            Some(iban) if !is_iban(iban) => Err("payment.iban is no IBAN".to_owned()),
            Some(_) | None => Ok(()),
        }
    }

    fn is_transfer(&self) -> bool {
        self.means.starts_with("credit-transfer")
    }

    fn code(&self, means: Means) -> Option<&'static str> {
        means.iter().find(|(key, _)| *key == self.means).map(|(_, code)| *code)
    }

    /// The format's payment instructions. `ext` is the add-on's key for the means.
    pub fn instructions(&self, means: Means, ext: &'static str) -> format::Instructions<'_> {
        let account = format::CreditTransfer {
            iban: self.iban.as_deref().map(|iban| compact(iban).into()),
            bic: self.bic.as_deref().map(Into::into),
            name: self.account_name.as_deref().map(Into::into),
        };
        format::Instructions {
            key: self.means.as_str().into(),
            detail: None,
            credit_transfer: if self.is_transfer() { vec![account] } else { Vec::new() },
            ext: self.code(means).map(|code| (ext, code.into())).into_iter().collect(),
        }
    }
}

/// Completes the payment: instructions, and no instalment where nothing is due, which the format refuses.
pub fn complete<'a>(
    document: &mut format::Invoice<'a>,
    invoice: &Invoice,
    instructions: Option<format::Instructions<'a>>,
) {
    let mut payment = document.payment.take().unwrap_or_default();
    if let Some(terms) = payment.terms.as_mut().filter(|_| invoice.totals.payable.is_zero()) {
        (terms.key, terms.due_dates) = (None, Vec::new());
    }
    payment.terms = payment.terms.filter(|terms| terms.notes.is_some() || !terms.due_dates.is_empty());
    payment.instructions = instructions;
    if payment.terms.is_some() || payment.instructions.is_some() {
        document.payment = Some(payment);
    }
}

fn compact(iban: &str) -> String {
    iban.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_uppercase()).collect()
}

/// Whether the check number of an IBAN is right (ISO 13616).
pub fn is_iban(text: &str) -> bool {
    let iban = compact(text);
    if !(15..=34).contains(&iban.len()) || !iban.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return false;
    }
    let (head, tail) = iban.split_at(4);
    let shape = |at: usize, b: u8| if at < 2 { b.is_ascii_uppercase() } else { b.is_ascii_digit() };
    if !head.bytes().enumerate().all(|(at, b)| shape(at, b)) {
        return false;
    }
    let rest = tail.chars().chain(head.chars()).filter_map(|c| c.to_digit(36)).fold(0, |rest, value| {
        let shift = if value < 10 { 10 } else { 100 };
        (rest * shift + value) % 97
    });
    rest == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_iban_has_the_right_check_number() {
        for right in ["DE89370400440532013000", "IT60 X054 2811 1010 0000 0123 456", "gb82west12345698765432"]
        {
            assert!(is_iban(right), "{right}");
        }
        for wrong in ["DE88370400440532013000", "DE89", "", "8937040044053201300DE", "DE8937040044053201300é"]
        {
            assert!(!is_iban(wrong), "{wrong}");
        }
    }
}
