//! What taxes are called.

/// A category with its rate or its exemption, a key of the regime, and its surcharge: `VAT 21.0 %`, `VAT article 20`.
pub fn label(
    category: &str,
    rate: Option<String>,
    exemption: Option<&str>,
    surcharge: Option<String>,
) -> String {
    let rate = rate.map(|rate| format!("{rate} %"));
    let what = rate.or_else(|| exemption.map(|exemption| exemption.replace('_', " ")));
    let surcharge = surcharge.map_or_else(String::new, |surcharge| format!(" + {surcharge} %"));
    format!("{category} {}{surcharge}", what.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tax_is_called_by_its_rate_or_else_by_its_exemption() {
        let percent = |text: &str| Some(text.to_owned());
        assert_eq!(label("VAT", percent("21.0"), None, percent("5.2")), "VAT 21.0 % + 5.2 %");
        assert_eq!(label("VAT", None, Some("article_20"), None), "VAT article 20");
    }
}
