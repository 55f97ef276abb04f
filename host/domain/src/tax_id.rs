//! Tax ids: one way to write each, and who they say is the same supplier.

use crate::ids::WorkspaceId;
use crate::regime::Supplier;

/// A tax id as it is stored: upper case, without separators, and without its country in front.
pub fn tax_id(text: &str, country: &str) -> String {
    let code: String = text
        .chars()
        .filter(|character| character.is_alphanumeric() || *character == '&')
        .flat_map(char::to_uppercase)
        .collect();
    match code.strip_prefix(country_prefix(country)) {
        Some(rest) if !rest.is_empty() => rest.to_owned(),
        Some(_) | None => code,
    }
}

/// Longest tax id of any country, letters and digits; those in use have at most 20.
const CODE_CHARS_MAX: usize = 30;

/// What to give instead of a text that is no tax id anywhere.
pub const TAX_ID_HINT: &str = "it is no tax id of any country: give at most 30 letters and digits, and nothing between them but separators";

/// Whether a text may be a tax id of some country: letters and digits, not too many, and what people write between them.
/// What one country demands is the business of its plugin.
pub fn is_possible(text: &str) -> bool {
    let separates =
        |character: char| matches!(character, ' ' | '\u{a0}' | '-' | '.' | '/' | '&' | '_' | '+' | '*' | ',');
    let code = text.chars().filter(|character| character.is_alphanumeric()).count();
    (1..=CODE_CHARS_MAX).contains(&code) && text.trim().chars().all(|c| c.is_alphanumeric() || separates(c))
}

/// A country (ISO code) as it stands in front of tax ids.
fn country_prefix(country: &str) -> &str {
    if country == "GR" { "EL" } else { country }
}

/// Who may never use a number twice: one supplier, however many workspaces it has. A workspace without a tax id stands
/// for itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Issuer(String);

/// What stands before the id of a workspace without a tax id: no country is called so.
const WORKSPACE_PREFIX: &str = "workspace/";

impl Issuer {
    pub(crate) fn of(supplier: &Supplier, workspace: WorkspaceId) -> Self {
        let code = tax_id(&supplier.tax_id, &supplier.country);
        if code.is_empty() {
            return Self(format!("{WORKSPACE_PREFIX}{workspace}"));
        }
        // Leading zeros are there or not, as people write it.
        Self(format!("{}/{}", supplier.country, code.trim_start_matches('0')))
    }

    /// Whether it is one workspace, because that has no tax id.
    pub fn is_without_tax_id(&self) -> bool {
        self.0.starts_with(WORKSPACE_PREFIX)
    }

    /// As it is stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issuer(tax_id: &str, country: &str, workspace: i64) -> Issuer {
        let supplier = Supplier {
            legal_name: "Casa Azul SL".to_owned(),
            tax_id: tax_id.to_owned(),
            country: country.to_owned(),
            address: None,
            email: None,
        };
        Issuer::of(&supplier, WorkspaceId(workspace))
    }

    #[test]
    fn a_tax_id_is_written_in_one_way() {
        for text in
            ["B17002288", "b17002288", "ES B-17.002.288", "es-b17002288", "B 17002288", "B17002288\u{a0}"]
        {
            assert_eq!(tax_id(text, "ES"), "B17002288", "{text}");
        }
        assert_eq!(tax_id("EL094019245", "GR"), "094019245");
        assert_eq!(tax_id("DE 151/815/08156", "DE"), "15181508156");
        assert_eq!(tax_id("ESB17002288", "FR"), "ESB17002288", "another country is no prefix of its own");
        assert_eq!(tax_id("es", "ES"), "ES");
        assert_eq!(tax_id(" - ", ""), "");
    }

    #[test]
    fn a_tax_id_has_letters_and_digits_and_not_too_many() {
        for text in [
            "B98602642",
            "es b-98.602.642",
            "CHE-123.456.789 MWST",
            "XAXX&010101Ñ",
            "1+23456A",
            "151/815/08156",
        ] {
            assert!(is_possible(text), "{text}");
        }
        for text in [
            "",
            " - ",
            "B98602642\u{7}",
            "B986\n02642",
            "<b>1</b>",
            "B98602642;",
            "\u{1f600}1",
            &"1".repeat(31),
        ] {
            assert!(!is_possible(text), "{text}");
        }
    }

    #[test]
    fn one_supplier_is_one_issuer_however_its_tax_id_is_written() {
        let one = issuer("B17002288", "ES", 1);
        assert_eq!(one, issuer("ESB17002288", "ES", 2));
        assert_eq!(issuer("4387763A", "ES", 1), issuer("04387763-a", "ES", 2));
        assert_ne!(one, issuer("B17002288", "PT", 2));
        assert_ne!(one, issuer("B17002289", "ES", 1));
    }

    #[test]
    fn workspaces_without_a_tax_id_are_issuers_of_their_own() {
        assert_ne!(issuer("", "ES", 1), issuer("", "ES", 2));
        assert_eq!(issuer("", "ES", 1), issuer("-", "", 1));
        assert!(issuer("", "ES", 1).is_without_tax_id() && !issuer("B17002288", "ES", 1).is_without_tax_id());
    }
}
