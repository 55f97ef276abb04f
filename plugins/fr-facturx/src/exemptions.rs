//! Why no VAT is charged: the articles of the code général des impôts (CGI) that the code list VATEX knows, and the
//! situations of the directive.

use einvoice_eu::taxes::{Exemption, exemption};
use einvoice_plugin::Line;

/// A reason with all its codes and words.
#[derive(Debug, Clone, Copy)]
pub struct Reason {
    /// Key, title, situation and VAT category (UNTDID 5305).
    pub exemption: Exemption,
    /// BT-121; empty where the list has none.
    pub vatex: &'static str,
    /// BT-120, as the law asks for it.
    pub text: &'static str,
    /// Of a line.
    pub short: &'static str,
}

const fn reason(
    key: &'static str,
    title: &'static str,
    format_key: &'static str,
    category: &'static str,
    vatex: &'static str,
    text: &'static str,
    short: &'static str,
) -> Reason {
    Reason { exemption: exemption(key, title, format_key, category), vatex, text, short }
}

/// All reasons. Those without a code of VATEX say why in words alone.
#[rustfmt::skip]
pub const REASONS: &[Reason] = &[
    reason("exempt", "Exempt from VAT", "exempt", "E", "", "Exonération de TVA, article 261 du CGI", "Exonéré de TVA"),
    reason("franchise", "Small business, article 293 B", "exempt", "E", "VATEX-FR-FRANCHISE", "TVA non applicable, art. 293 B du CGI", "TVA non applicable"),
    reason("article_294", "No VAT in Guyane and Mayotte, article 294", "exempt", "E", "", "TVA non applicable, art. 294 du CGI", "TVA non applicable"),
    reason("reverse_charge", "Reverse charge: the recipient accounts for the tax", "reverse-charge", "AE", "VATEX-EU-AE", "Autoliquidation", "Autoliquidation"),
    reason("intra_community", "Intra-Community supply", "intra-community", "K", "VATEX-EU-IC", "Exonération de TVA, article 262 ter, I du CGI", "Livraison intracommunautaire"),
    reason("export", "Export", "export", "G", "VATEX-EU-G", "Exonération de TVA, article 262, I du CGI", "Exportation"),
    reason("outside_scope", "Outside the scope of VAT", "outside-scope", "O", "VATEX-EU-O", "Opération hors champ de la TVA française", "Hors champ TVA"),
    reason("article_261_1", "Exempt, article 261, 1", "exempt", "E", "VATEX-FR-CGI261-1", "Exonération de TVA, article 261, 1 du CGI", "Exonéré, art. 261, 1"),
    reason("article_261_2", "Exempt, article 261, 2", "exempt", "E", "VATEX-FR-CGI261-2", "Exonération de TVA, article 261, 2 du CGI", "Exonéré, art. 261, 2"),
    reason("article_261_3", "Exempt, article 261, 3", "exempt", "E", "VATEX-FR-CGI261-3", "Exonération de TVA, article 261, 3 du CGI", "Exonéré, art. 261, 3"),
    reason("article_261_4", "Exempt, article 261, 4", "exempt", "E", "VATEX-FR-CGI261-4", "Exonération de TVA, article 261, 4 du CGI", "Exonéré, art. 261, 4"),
    reason("article_261_5", "Exempt, article 261, 5", "exempt", "E", "VATEX-FR-CGI261-5", "Exonération de TVA, article 261, 5 du CGI", "Exonéré, art. 261, 5"),
    reason("article_261_7", "Exempt, article 261, 7", "exempt", "E", "VATEX-FR-CGI261-7", "Exonération de TVA, article 261, 7 du CGI", "Exonéré, art. 261, 7"),
    reason("article_261_8", "Exempt, article 261, 8", "exempt", "E", "VATEX-FR-CGI261-8", "Exonération de TVA, article 261, 8 du CGI", "Exonéré, art. 261, 8"),
    reason("article_261_a", "Exempt, article 261 A", "exempt", "E", "VATEX-FR-CGI261A", "Exonération de TVA, article 261 A du CGI", "Exonéré, art. 261 A"),
    reason("article_261_b", "Exempt, article 261 B", "exempt", "E", "VATEX-FR-CGI261B", "Exonération de TVA, article 261 B du CGI", "Exonéré, art. 261 B"),
    reason("article_261_c_1", "Exempt, article 261 C, 1°", "exempt", "E", "VATEX-FR-CGI261C-1", "Exonération de TVA, article 261 C, 1° du CGI", "Exonéré, art. 261 C, 1°"),
    reason("article_261_c_2", "Exempt, article 261 C, 2°", "exempt", "E", "VATEX-FR-CGI261C-2", "Exonération de TVA, article 261 C, 2° du CGI", "Exonéré, art. 261 C, 2°"),
    reason("article_261_c_3", "Exempt, article 261 C, 3°", "exempt", "E", "VATEX-FR-CGI261C-3", "Exonération de TVA, article 261 C, 3° du CGI", "Exonéré, art. 261 C, 3°"),
    reason("article_261_d_1", "Exempt, article 261 D, 1°", "exempt", "E", "VATEX-FR-CGI261D-1", "Exonération de TVA, article 261 D, 1° du CGI", "Exonéré, art. 261 D, 1°"),
    reason("article_261_d_1_bis", "Exempt, article 261 D, 1° bis", "exempt", "E", "VATEX-FR-CGI261D-1BIS", "Exonération de TVA, article 261 D, 1° bis du CGI", "Exonéré, art. 261 D, 1° bis"),
    reason("article_261_d_2", "Exempt, article 261 D, 2°", "exempt", "E", "VATEX-FR-CGI261D-2", "Exonération de TVA, article 261 D, 2° du CGI", "Exonéré, art. 261 D, 2°"),
    reason("article_261_d_3", "Exempt, article 261 D, 3°", "exempt", "E", "VATEX-FR-CGI261D-3", "Exonération de TVA, article 261 D, 3° du CGI", "Exonéré, art. 261 D, 3°"),
    reason("article_261_d_4", "Exempt, article 261 D, 4°", "exempt", "E", "VATEX-FR-CGI261D-4", "Exonération de TVA, article 261 D, 4° du CGI", "Exonéré, art. 261 D, 4°"),
    reason("article_261_e_1", "Exempt, article 261 E, 1°", "exempt", "E", "VATEX-FR-CGI261E-1", "Exonération de TVA, article 261 E, 1° du CGI", "Exonéré, art. 261 E, 1°"),
    reason("article_261_e_2", "Exempt, article 261 E, 2°", "exempt", "E", "VATEX-FR-CGI261E-2", "Exonération de TVA, article 261 E, 2° du CGI", "Exonéré, art. 261 E, 2°"),
    reason("article_275", "Exempt, article 275", "exempt", "E", "VATEX-FR-CGI275", "Exonération de TVA, article 275 du CGI", "Exonéré, art. 275"),
    reason("article_277_a", "Exempt, article 277 A", "exempt", "E", "VATEX-FR-CGI277A", "Exonération de TVA, article 277 A du CGI", "Exonéré, art. 277 A"),
    reason("article_295", "Exempt, article 295", "exempt", "E", "VATEX-FR-CGI295", "Exonération de TVA, article 295 du CGI", "Exonéré, art. 295"),
    reason("article_298_sexdecies_a", "Exempt, article 298 sexdecies A", "exempt", "E", "VATEX-FR-298SEXDECIESA", "Exonération de TVA, article 298 sexdecies A du CGI", "Exonéré, art. 298 sexdecies A"),
];

/// The exemptions of [`REASONS`].
pub const EXEMPTIONS: &[Exemption] = &EXEMPTION_ROWS;

#[expect(clippy::indexing_slicing, reason = "A constant: an index out of bounds does not compile.")]
const EXEMPTION_ROWS: [Exemption; REASONS.len()] = {
    let mut rows = [exemption("", "", "", ""); REASONS.len()];
    let (mut at, mut left) = (0, REASONS);
    while let [first, rest @ ..] = left {
        rows[at] = first.exemption;
        (at, left) = (at + 1, rest);
    }
    rows
};

/// The reason of a document's key.
pub fn reason_of(key: &str) -> Option<&'static Reason> {
    REASONS.iter().find(|known| known.exemption.key == key)
}

/// The reason why a line is not taxed.
pub fn of_line(line: &Line) -> Option<&'static Reason> {
    line.tax.exemption.as_deref().and_then(reason_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_key_of_its_own() {
        for (at, reason) in REASONS.iter().enumerate() {
            let key = reason.exemption.key;
            assert!(REASONS[..at].iter().all(|other| other.exemption.key != key), "{key}");
            assert_eq!(EXEMPTIONS[at].key, key);
        }
    }
}
