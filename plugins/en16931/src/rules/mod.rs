//! The fatal rules of EN 16931 (CEN's schematron 1.3.15) that an invoice of a stored document can break.
//!
//! Rules that no [`Invoice`] breaks are not here: of terms that it does not have, of sums that the derivation makes
//! (BR-CO-10), of a negative price (BR-27).

mod categories;
mod figures;
mod terms;

use crate::Invoice;

/// A rule of the standard or of a national profile.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// As the validator reports it: `BR-CO-15`. Stable for ever.
    pub id: &'static str,
    /// Whether an invoice breaks it.
    pub is_broken: fn(&Invoice) -> bool,
    /// What is wrong and what to do next, one sentence.
    pub meaning: &'static str,
}

/// A row of a table of rules.
pub const fn rule(id: &'static str, is_broken: fn(&Invoice) -> bool, meaning: &'static str) -> Rule {
    Rule { id, is_broken, meaning }
}

/// All rules, in the order they are reported.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    terms::RULES.iter().chain(categories::rules()).chain(figures::RULES)
}

/// The rules an invoice breaks, in the order of [`all`].
pub fn broken(invoice: &Invoice) -> impl Iterator<Item = &'static Rule> + '_ {
    all().filter(|rule| (rule.is_broken)(invoice))
}

/// What a rule says; none of one that is not here.
pub fn meaning(id: &str) -> Option<&'static str> {
    all().find(|rule| rule.id == id).map(|rule| rule.meaning)
}

#[cfg(test)]
mod tests {
    use super::all;

    #[test]
    fn every_rule_stands_once_and_says_what_to_do() {
        let ids: Vec<_> = all().map(|rule| rule.id).collect();
        assert!(ids.iter().enumerate().all(|(at, id)| !ids[..at].contains(id)));
        assert!(all().all(|rule| rule.meaning.contains("; ") && rule.meaning.ends_with('.')));
    }
}
