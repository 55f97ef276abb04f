//! What stands on an invoice that people read. What the AT wants besides, the ATCUD and the program's certificate, are notes
//! of the structured document.

use einvoice_plugin::{ExemptionName, ExemptionNames, Printing, PrintingDescription, TaxName};

use crate::PtAt;

/// Key, name and short name: the laws of the AT's table of reasons, in 60 characters at most, for they are the texts of
/// `TaxExemptionReason` too.
const EXEMPTION_NAMES: [(&str, &str, &str); 31] = [
    ("m01", "Artigo 16.º, n.º 6, alíneas a) a d) do CIVA", "M01"),
    ("m02", "Artigo 6.º do Decreto-Lei n.º 198/90, de 19 de junho", "M02"),
    ("m04", "Isento artigo 13.º do CIVA", "M04"),
    ("m05", "Isento artigo 14.º do CIVA", "M05"),
    ("m06", "Isento artigo 15.º do CIVA", "M06"),
    ("m07", "Isento artigo 9.º do CIVA", "M07"),
    ("m09", "IVA - não confere direito a dedução", "M09"),
    ("m10", "IVA - regime de isenção", "M10"),
    ("m11", "Regime particular do tabaco", "M11"),
    ("m12", "Regime da margem de lucro - Agências de viagens", "M12"),
    ("m13", "Regime da margem de lucro - Bens em segunda mão", "M13"),
    ("m14", "Regime da margem de lucro - Objetos de arte", "M14"),
    ("m15", "Margem de lucro - Objetos de coleção e antiguidades", "M15"),
    ("m16", "Isento artigo 14.º do RITI", "M16"),
    ("m19", "Outras isenções", "M19"),
    ("m20", "IVA - regime forfetário", "M20"),
    ("m21", "IVA - não confere direito à dedução (artigo 72.º, n.º 4)", "M21"),
    ("m25", "Mercadorias à consignação", "M25"),
    ("m26", "Isenção de IVA com direito à dedução no cabaz alimentar", "M26"),
    ("m30", "IVA - autoliquidação (artigo 2.º, n.º 1, alínea i) do CIVA)", "M30"),
    ("m31", "IVA - autoliquidação (artigo 2.º, n.º 1, alínea j) do CIVA)", "M31"),
    ("m32", "IVA - autoliquidação (artigo 2.º, n.º 1, alínea l) do CIVA)", "M32"),
    ("m33", "IVA - autoliquidação (artigo 2.º, n.º 1, alínea m) do CIVA)", "M33"),
    ("m40", "IVA - autoliquidação (artigo 6.º, n.º 6, alínea a) do CIVA)", "M40"),
    ("m41", "IVA - autoliquidação (artigo 8.º, n.º 3 do RITI)", "M41"),
    ("m42", "IVA - autoliquidação (Decreto-Lei n.º 21/2007)", "M42"),
    ("m43", "IVA - autoliquidação (Decreto-Lei n.º 362/99)", "M43"),
    ("m44", "IVA - regras específicas (artigo 6.º do CIVA)", "M44"),
    ("m45", "IVA - regime transfronteiriço de isenção (artigo 58.º-A)", "M45"),
    ("m46", "IVA - e-TaxFree (Decreto-Lei n.º 19/2017)", "M46"),
    ("m99", "Não sujeito ou não tributado", "M99"),
];

/// The name of a reason by its code (`TaxExemptionCode`).
pub fn exemption_name(code: &str) -> Option<&'static str> {
    EXEMPTION_NAMES.iter().find(|(key, ..)| key.eq_ignore_ascii_case(code)).map(|(_, name, _)| *name)
}

impl Printing for PtAt {
    fn printing() -> PrintingDescription {
        PrintingDescription {
            tax_names: vec![TaxName::new("VAT", "IVA")],
            qr_side_mm: 30,
            ..PrintingDescription::new("pt", "NIF")
        }
    }
}

impl ExemptionNames for PtAt {
    fn exemption_names() -> Vec<ExemptionName> {
        ExemptionName::list(&EXEMPTION_NAMES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_plugin::harness::exemption_name_mistakes;

    #[test]
    fn every_exemption_has_a_name_on_paper() {
        assert_eq!(exemption_name_mistakes::<PtAt>(), Vec::<String>::new());
    }

    #[test]
    fn every_name_fits_the_schema_of_the_file() {
        let chars = |(_, name, _): &(&str, &str, &str)| name.chars().count();
        assert!(EXEMPTION_NAMES.iter().all(|name| (6..=60).contains(&chars(name))));
    }
}
