//! The member states whose VAT numbers the register knows, and how those of each look.

/// A member state of the Union, or Northern Ireland, which counts as one for goods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is its code")]
pub enum MemberState {
    At,
    Be,
    Bg,
    Cy,
    Cz,
    De,
    Dk,
    Ee,
    /// Greece, whose ISO code is `GR`.
    El,
    Es,
    Fi,
    Fr,
    Hr,
    Hu,
    Ie,
    It,
    Lt,
    Lu,
    Lv,
    Mt,
    Nl,
    Pl,
    Pt,
    Ro,
    Se,
    Si,
    Sk,
    /// Northern Ireland, whose ISO code is `GB`.
    Xi,
}

impl MemberState {
    /// Each of them.
    pub const ALL: &'static [Self] = &[
        Self::At,
        Self::Be,
        Self::Bg,
        Self::Cy,
        Self::Cz,
        Self::De,
        Self::Dk,
        Self::Ee,
        Self::El,
        Self::Es,
        Self::Fi,
        Self::Fr,
        Self::Hr,
        Self::Hu,
        Self::Ie,
        Self::It,
        Self::Lt,
        Self::Lu,
        Self::Lv,
        Self::Mt,
        Self::Nl,
        Self::Pl,
        Self::Pt,
        Self::Ro,
        Self::Se,
        Self::Si,
        Self::Sk,
        Self::Xi,
    ];

    /// As it stands in front of its VAT numbers.
    pub const fn code(self) -> &'static str {
        match self {
            Self::At => "AT",
            Self::Be => "BE",
            Self::Bg => "BG",
            Self::Cy => "CY",
            Self::Cz => "CZ",
            Self::De => "DE",
            Self::Dk => "DK",
            Self::Ee => "EE",
            Self::El => "EL",
            Self::Es => "ES",
            Self::Fi => "FI",
            Self::Fr => "FR",
            Self::Hr => "HR",
            Self::Hu => "HU",
            Self::Ie => "IE",
            Self::It => "IT",
            Self::Lt => "LT",
            Self::Lu => "LU",
            Self::Lv => "LV",
            Self::Mt => "MT",
            Self::Nl => "NL",
            Self::Pl => "PL",
            Self::Pt => "PT",
            Self::Ro => "RO",
            Self::Se => "SE",
            Self::Si => "SI",
            Self::Sk => "SK",
            Self::Xi => "XI",
        }
    }

    /// By the code in front of its VAT numbers.
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|state| state.code() == code)
    }

    /// Where a tax number of a country (ISO 3166-1 alpha-2) belongs; none outside of the Union. Of the United Kingdom, only numbers that
    /// say so are of Northern Ireland.
    pub fn of_country(country: &str, tax_number: &str) -> Option<Self> {
        match country {
            "GR" => Some(Self::El),
            "GB" => compact(tax_number).starts_with(Self::Xi.code()).then_some(Self::Xi),
            code => Self::parse(code),
        }
    }

    /// How numbers of it look behind its code (FAQ of VIES, question 11): `9` a digit, `@` a letter, `?` either, every other character
    /// itself.
    pub(crate) const fn formats(self) -> &'static [&'static str] {
        match self {
            Self::At => &["U99999999"],
            Self::Be => &["0999999999", "1999999999"],
            Self::Bg => &["999999999", "9999999999"],
            Self::Cy => &["99999999@"],
            Self::Cz => &["99999999", "999999999", "9999999999"],
            Self::De | Self::Ee | Self::El | Self::Pt => &["999999999"],
            Self::Dk | Self::Fi | Self::Hu | Self::Lu | Self::Mt | Self::Si => &["99999999"],
            Self::Es => &["@99999999", "99999999@", "@9999999@"],
            Self::Fr => &["??999999999"],
            Self::Hr | Self::It | Self::Lv => &["99999999999"],
            Self::Ie => &["9999999@", "9999999@@", "9@99999@"],
            Self::Lt => &["999999999", "999999999999"],
            Self::Nl => &["999999999B99"],
            Self::Pl | Self::Sk => &["9999999999"],
            Self::Ro => {
                &["99", "999", "9999", "99999", "999999", "9999999", "99999999", "999999999", "9999999999"]
            }
            Self::Se => &["999999999999"],
            Self::Xi => &["999999999", "999999999999", "GD999", "HA999"],
        }
    }
}

/// Upper case, letters and digits alone.
pub(crate) fn compact(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|character| character.to_ascii_uppercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_register_knows_27_member_states_and_northern_ireland() {
        assert_eq!(MemberState::ALL.len(), 28);
        for &state in MemberState::ALL {
            assert_eq!(MemberState::parse(state.code()), Some(state));
            assert!(!state.formats().is_empty());
        }
        for code in ["GR", "GB", "CH", "NO", "US", ""] {
            assert_eq!(MemberState::parse(code), None, "{code}");
        }
    }

    #[test]
    fn greece_is_el_and_northern_ireland_is_told_by_its_numbers() {
        assert_eq!(MemberState::of_country("GR", "094019245"), Some(MemberState::El));
        assert_eq!(MemberState::of_country("GB", "xi 123 456 789"), Some(MemberState::Xi));
        assert_eq!(
            MemberState::of_country("GB", "123456789"),
            None,
            "the register does not know it any more"
        );
        assert_eq!(MemberState::of_country("XI", "123456789"), Some(MemberState::Xi));
        assert_eq!(MemberState::of_country("CH", "CHE123456789"), None);
    }
}
