//! Decimals that the treasuries' schema takes: twelve digits before the point, three of a percent, eight after it at most.

use einvoice_gobl::decimal::Decimal;

/// Digits before the point of an amount.
const WHOLE_DIGITS_MAX: usize = 12;
/// Digits before the point of a percent.
const PERCENT_DIGITS_MAX: usize = 3;

/// None for what is no amount, or one with too many digits for the schema.
pub(super) fn read(text: &str) -> Option<Decimal> {
    Decimal::read(text).filter(|figure| figure.whole_digits() <= WHOLE_DIGITS_MAX)
}

/// `21.0%`. None for what is no percent, or one with too many digits for the schema.
pub(super) fn read_percent(text: &str) -> Option<Decimal> {
    let is_percent =
        |percent: &Decimal| !percent.is_negative() && percent.whole_digits() <= PERCENT_DIGITS_MAX;
    read(text.trim_end_matches('%')).filter(is_percent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_printed_as_the_schema_takes_them() {
        for (text, cents, exact) in [
            ("0", "0.00", "0.00"),
            ("-0.001", "0.00", "-0.001"),
            ("-1.5", "-1.50", "-1.50"),
            ("12.345678", "12.35", "12.345678"),
            ("999999999999.99", "999999999999.99", "999999999999.99"),
            ("0.0000000049", "0.00", "0.00"),
        ] {
            let figure = read(text).unwrap();
            assert_eq!((figure.amount().as_str(), figure.precise().as_str()), (cents, exact), "{text}");
        }
        for text in ["", "x", "1.", "1,5", "1e3", "1000000000000", "999999999999999999"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read_percent("21.0%").unwrap().amount(), "21.00");
        assert!(["1000%", "-1%", "%"].into_iter().all(|text| read_percent(text).is_none()));
    }

    #[test]
    fn a_tax_goes_in_and_out_of_a_price() {
        let (price, percent) = (read("121.00").unwrap(), read_percent("21.0%").unwrap());
        assert_eq!(price.without_percent(percent).unwrap().precise(), "100.00");
        assert_eq!(read("89.90").unwrap().without_percent(percent).unwrap().precise(), "74.29752066");
        assert_eq!(read("-33.33").unwrap().with_percent(percent).unwrap().precise(), "-40.3293");
    }
}
