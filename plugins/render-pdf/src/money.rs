//! Figures as people write them: exact, from text to text.

use crate::text::Locale;

/// The most digits a figure carries.
const DIGITS_MAX: usize = 18;
/// What keeps a figure and its currency on one line.
const NO_BREAK_SPACE: char = '\u{a0}';

/// An exact decimal, as its digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal<'a> {
    is_negative: bool,
    /// Without leading zeros: empty below one.
    whole: &'a str,
    fraction: &'a str,
}

impl<'a> Decimal<'a> {
    /// Reads `-?[0-9]+(\.[0-9]+)?` of at most 18 digits, of which a single 0 before the point is none.
    pub fn parse(text: &'a str) -> Option<Self> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = match unsigned.split_once('.') {
            Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
            Some(_) => return None,
            None => (unsigned, ""),
        };
        let whole_digits = if whole == "0" { 0 } else { whole.len() };
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty()
            || !is_digits(whole)
            || !is_digits(fraction)
            || whole_digits + fraction.len() > DIGITS_MAX
        {
            return None;
        }
        let is_zero = unsigned.bytes().all(|byte| matches!(byte, b'0' | b'.'));
        Some(Self {
            is_negative: text.len() > unsigned.len() && !is_zero,
            whole: whole.trim_start_matches('0'),
            fraction,
        })
    }

    /// Whether it is nought, however many zeros it has.
    pub fn is_zero(self) -> bool {
        self.whole.is_empty() && self.fraction.bytes().all(|byte| byte == b'0')
    }

    /// The same figure with the other sign.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { is_negative: !self.is_negative && !self.is_zero(), ..self }
    }

    /// The same figure without its sign.
    #[must_use]
    pub fn absolute(self) -> Self {
        Self { is_negative: false, ..self }
    }

    /// Its digits, grouped by thousands, without sign: with at least `decimals_min` decimals and no zeros behind those.
    fn magnitude(self, decimals_min: usize, locale: Locale) -> String {
        let (group, point) = locale.separators();
        let whole = if self.whole.is_empty() { "0" } else { self.whole };
        let mut text = String::with_capacity(DIGITS_MAX * 2);
        for (at, digit) in whole.chars().enumerate() {
            if at > 0 && (whole.len() - at).is_multiple_of(3) {
                text.push(group);
            }
            text.push(digit);
        }
        let mut fraction = self.fraction.to_owned();
        while fraction.len() > decimals_min && fraction.ends_with('0') {
            fraction.pop();
        }
        while fraction.len() < decimals_min {
            fraction.push('0');
        }
        if !fraction.is_empty() {
            text.push(point);
            text.push_str(&fraction);
        }
        text
    }

    const fn sign(self) -> &'static str {
        if self.is_negative { "-" } else { "" }
    }

    /// `1.234,5` in Spanish.
    pub fn number(self, decimals_min: u8, locale: Locale) -> String {
        format!("{}{}", self.sign(), self.magnitude(usize::from(decimals_min), locale))
    }
}

/// A currency as amounts in it are written.
#[derive(Debug, Clone, Copy)]
pub struct Currency<'a> {
    /// ISO 4217.
    pub code: &'a str,
    /// How many decimals an amount has at least.
    pub decimals: u8,
}

impl Currency<'_> {
    /// `1.234,56 €` in Spanish, `€1,234.56` in English. A currency without a sign of its own goes by its code.
    pub fn format(self, amount: Decimal<'_>, locale: Locale) -> String {
        let (sign, magnitude) = (amount.sign(), amount.magnitude(usize::from(self.decimals), locale));
        let symbol = self.symbol();
        if !locale.has_currency_first() {
            return format!("{sign}{magnitude}{NO_BREAK_SPACE}{symbol}");
        }
        if symbol.chars().any(char::is_alphabetic) {
            return format!("{sign}{}{NO_BREAK_SPACE}{magnitude}", self.code);
        }
        format!("{sign}{symbol}{magnitude}")
    }

    fn symbol(&self) -> &str {
        match self.code {
            "EUR" => "€",
            "GBP" => "£",
            "USD" => "$",
            "JPY" => "¥",
            "PLN" => "zł",
            "CZK" => "Kč",
            code => code,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(code: &str, decimals: u8, amount: &str) -> [String; 2] {
        let amount = Decimal::parse(amount).unwrap();
        [Locale::Es, Locale::En]
            .map(|locale| Currency { code, decimals }.format(amount, locale).replace(NO_BREAK_SPACE, "_"))
    }

    #[test]
    fn an_amount_is_written_as_the_locale_does() {
        assert_eq!(written("EUR", 2, "1234.56"), ["1.234,56_€", "€1,234.56"]);
        assert_eq!(written("EUR", 2, "-1234567.5"), ["-1.234.567,50_€", "-€1,234,567.50"]);
        assert_eq!(written("PLN", 2, "999"), ["999,00_zł", "PLN_999.00"]);
        assert_eq!(written("GBP", 2, "0.005"), ["0,005_£", "£0.005"]);
        assert_eq!(written("JPY", 0, "1234"), ["1.234_¥", "¥1,234"]);
        assert_eq!(written("KWD", 3, "0007.25"), ["7,250_KWD", "KWD_7.250"]);
        assert_eq!(
            written("EUR", 2, "123456789012345678"),
            ["123.456.789.012.345.678,00_€", "€123,456,789,012,345,678.00"]
        );
    }

    #[test]
    fn nought_has_no_sign() {
        for text in ["0", "-0", "0.00", "-0.00"] {
            let amount = Decimal::parse(text).unwrap();
            assert!(amount.is_zero());
            assert_eq!(amount.number(2, Locale::En), "0.00");
            assert_eq!(amount.negated().number(2, Locale::En), "0.00");
        }
    }

    #[test]
    fn no_decimal_is_cut_and_zeros_behind_the_least_are_left_out() {
        let written = |text| Decimal::parse(text).unwrap().number(2, Locale::En);
        assert_eq!(["1.23456", "1.230000", "1"].map(written), ["1.23456", "1.23", "1.00"]);
    }

    #[test]
    fn what_is_no_plain_decimal_is_refused() {
        for text in
            ["", "-", ".5", "1.", "1e3", "+1", "1,0", "1.2.3", " 1", "1234567890123456789", "--1", "١"]
        {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_nought_before_the_point_is_no_digit() {
        let smallest = Decimal::parse("-0.000000000000000001").unwrap();
        assert_eq!(smallest.number(2, Locale::En), "-0.000000000000000001");
        for text in ["0.0000000000000000001", "1.000000000000000001", "00.00000000000000001"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_digit_comes_out_again(units in -999_999_999_999_999_999_i64..=999_999_999_999_999_999) {
            let text = units.to_string();
            let written = Decimal::parse(&text).unwrap().number(0, Locale::Es);
            prop_assert_eq!(written.replace('.', ""), text);
        }
    }
}
