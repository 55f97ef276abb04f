//! What a plugin puts on documents that people read, looked at as the gateway does.

use crate::{Country, ExemptionNames};

/// Most names, and most characters of each text of one (`wit/v1.4`).
const NAMES_MAX: usize = 100;
const TEXT_CHARS_MAX: usize = 200;

/// What is wrong with the names that a plugin gives to exemptions, a sentence each: an exemption without one, a name of no
/// exemption, more than a gateway takes.
pub fn exemption_name_mistakes<P: Country + ExemptionNames>() -> Vec<String> {
    let (exemptions, names) = (P::describe().exemptions, P::exemption_names());
    let without = exemptions.iter().filter(|choice| !names.iter().any(|name| name.key == choice.key));
    let mut mistakes: Vec<String> =
        without.map(|choice| format!("the exemption {} has no name", choice.key)).collect();
    for (at, name) in names.iter().enumerate() {
        if !exemptions.iter().any(|choice| choice.key == name.key) {
            mistakes.push(format!("{} is the name of no exemption", name.key));
        }
        if names.iter().take(at).any(|earlier| earlier.key == name.key) {
            mistakes.push(format!("the exemption {} has two names", name.key));
        }
        for text in [&name.name, &name.short_name] {
            let is_empty = text.trim().is_empty();
            if is_empty || text.chars().count() > TEXT_CHARS_MAX || text.chars().any(char::is_control) {
                mistakes.push(format!("the exemption {} cannot be called '{text}'", name.key));
            }
        }
    }
    if names.len() > NAMES_MAX {
        mistakes.push(format!("there are {} names, of which a gateway takes {NAMES_MAX}", names.len()));
    }
    mistakes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Choice, Context, Description, Document, ExemptionName, Fault, Faults, Identity, Invoice,
        ProviderResult, Recipient, Rounding, Verdict,
    };

    struct Nowhere;

    impl Country for Nowhere {
        fn describe() -> Description {
            let exemptions = vec![Choice::new("article_20", "Exempt"), Choice::new("export", "Export")];
            Description { exemptions, ..Description::new(Rounding::Precise) }
        }

        fn check(_: &Invoice, _: &Context) -> Vec<Fault> {
            Vec::new()
        }

        fn convert(_: &Invoice, _: &Context) -> Result<Document, Faults> {
            Err(Vec::new())
        }

        fn map_identity(_: &Recipient) -> Result<Identity, Faults> {
            Err(Vec::new())
        }

        fn interpret(_: &ProviderResult) -> Result<Verdict, Faults> {
            Err(Vec::new())
        }
    }

    impl ExemptionNames for Nowhere {
        fn exemption_names() -> Vec<ExemptionName> {
            ExemptionName::list(&[
                ("article_20", "Exempt by article 20", "Exempt"),
                ("article_20", "Exempt by article 20", " "),
                ("other", "Exempt", "Exempt"),
            ])
        }
    }

    #[test]
    fn every_exemption_has_one_name_that_a_document_has_room_for() {
        assert_eq!(
            exemption_name_mistakes::<Nowhere>(),
            [
                "the exemption export has no name",
                "the exemption article_20 has two names",
                "the exemption article_20 cannot be called ' '",
                "other is the name of no exemption",
            ]
        );
    }
}
